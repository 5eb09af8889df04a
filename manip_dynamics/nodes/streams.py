"""How the nodes listen."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# Takes messages from reliable and from best-effort publishers alike. At 1 kHz nothing is lost
# while the operating system leaves the node aside for a tenth of a second.
STREAM = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)

# Gets the last message of a publisher that spoke before we listened (robot_description).
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
