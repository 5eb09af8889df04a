"""The dynamics node beside a bare rclpy relay with the same messages: `script/bench --ros`."""
