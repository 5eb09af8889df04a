"""The dynamics node compared with a bare rclpy relay of the same messages: `script/bench --ros`."""
