"""How the nodes listen."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# Takes messages from reliable and from best-effort publishers alike, and keeps the newest.
STREAM = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)

# Gets the last message of a publisher that spoke before we listened (robot_description).
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
