"""QoS profiles of the subscriptions."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# Compatible with reliable and best-effort publishers. At 1 kHz, the queue bridges 0.1 s during
# which the operating system does not schedule the node.
STREAM = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)

# Receives the last message even if it was published before the subscription (robot_description).
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
