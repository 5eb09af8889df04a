"""Thin rclpy nodes: messages in, Dynamics or Simulator, messages out."""
