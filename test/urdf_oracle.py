"""The same URDF in Pinocchio, with the joints that are not of the arm locked."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

JOINT = "joint of the arm: "


def _with_distinct_names(text: str) -> str:
    """Pinocchio cannot reduce a model in which a joint and a link have the same name."""
    robot = ElementTree.fromstring(text)
    for joint in robot.findall("joint"):
        joint.set("name", JOINT + joint.get("name"))
        for mimic in joint.findall("mimic"):
            mimic.set("joint", JOINT + mimic.get("joint"))
    return ElementTree.tostring(robot, encoding="unicode")


class UrdfOracle:
    """Pinocchio's model of a URDF; states are in the order of the given joint names.

    Pinocchio has no continuous joint with one coordinate: it wants cos and sin.
    """

    def __init__(self, text, joint_names, gravity=(0.0, 0.0, -9.81), positions=None):
        import pinocchio as pin

        self.pin = pin
        full = pin.buildModelFromXML(_with_distinct_names(text))
        joint_names = [JOINT + name for name in joint_names]
        reference = pin.neutral(full)
        for name, position in (positions or {}).items():
            joint = full.joints[full.getJointId(JOINT + name)]
            if joint.nq == 2:
                reference[joint.idx_q:joint.idx_q + 2] = np.cos(position), np.sin(position)
            elif joint.nq == 1:
                reference[joint.idx_q] = position
        locked = [i for i in range(1, full.njoints) if full.names[i] not in joint_names]
        self.model = pin.buildReducedModel(full, locked, reference)
        self.model.gravity.linear = np.array(gravity)
        self.data = self.model.createData()
        self.joints = [self.model.joints[self.model.getJointId(name)] for name in joint_names]
        self.order = [joint.idx_v for joint in self.joints]

    def q(self, positions):
        q = self.pin.neutral(self.model)
        for joint, x in zip(self.joints, positions):
            if joint.nq == 2:
                q[joint.idx_q:joint.idx_q + 2] = np.cos(x), np.sin(x)
            else:
                q[joint.idx_q] = x
        return q

    def v(self, values):
        v = np.zeros(self.model.nv)
        v[self.order] = values
        return v

    def inverse_dynamics(self, q, qd, qdd):
        tau = self.pin.rnea(self.model, self.data, self.q(q), self.v(qd), self.v(qdd))
        return tau[self.order]
