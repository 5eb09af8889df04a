"""Frames moved along their axes: the same arm with fewer offsets.

Where joint i is parallel to joint i-1, the origin O_{i-1} may lie anywhere on its axis. Modified
DH tables distribute the distance along the axes over d_{i-1} and d_i. With all of it in d_{i-1} and
d_i = 0, every recursion saves the terms with d_i (5 multiplications and 4 additions in the inverse
dynamics of the Stanford arm). Coordinates, efforts and the tip do not change.
"""

from __future__ import annotations

from dataclasses import replace

from .chain import Chain, Link, Matrix, MomentLink, RigidLink


def merge_parallel_offsets(chain: Chain) -> Chain:
    """The same arm with d_i = 0 at revolute joints i > 1 that are parallel to joint i-1."""
    joints, links = list(chain.joints), list(chain.links)
    for i in reversed(range(1, chain.n)):
        joint = joints[i]
        if joint.revolute and joint.sin_alpha == 0.0 and joint.d != 0.0:
            slide = joint.cos_alpha * joint.d
            joints[i] = replace(joint, d=0.0)
            joints[i - 1] = replace(joints[i - 1], d=joints[i - 1].d + slide)
            links[i - 1] = _about_slid_origin(links[i - 1], slide)
    return replace(chain, joints=tuple(joints), links=tuple(links))


def _about_slid_origin(link: Link, slide: float) -> Link:
    """The link in a frame whose origin has moved by `slide` along z."""
    if isinstance(link, RigidLink):
        return replace(link, com=(link.com[0], link.com[1], link.com[2] - slide))
    m, (x, y, z) = link.mass, link.first_moment
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.origin_inertia
    turned = slide * (m * slide - 2.0 * z)
    xz, yz = xz + slide * x, yz + slide * y
    inertia: Matrix = ((xx + turned, xy, xz), (xy, yy + turned, yz), (xz, yz, zz))
    return MomentLink(m, (x, y, z - m * slide), inertia)
