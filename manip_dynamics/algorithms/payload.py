"""An arm whose payload and gravity may be scalars of any kind.

Efforts are linear in the ten parameters m, m c, J of a body that is fixed to the last link, and in
gravity. Both may be traced scalars, which makes them inputs of a program; the payload affects only
the last link, so the constants of all others still fold. On virtual links, the choice of MLCs must
not have used the direction of gravity (see `in_any_gravity`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from manip_dynamics.model.chain import Chain, MomentLink

from .vectors import Scalar, add, matvec

PARAMETERS = 10  # m, m c_x, m c_y, m c_z, J_xx, J_xy, J_xz, J_yy, J_yz, J_zz: about O_n, in frame n

_NO_SPECIAL_DIRECTION = (2.0, 3.0, 5.0)


def with_load(chain: Chain, payload: Sequence[Scalar] | None = None,
              gravity: Sequence[Scalar] | None = None) -> Chain:
    """The arm with a payload (10) on its last link, and in this gravity (3) in frame 0."""
    if payload is not None:
        m, x, y, z, xx, xy, xz, yy, yz, zz = payload
        load = MomentLink(m, (x, y, z), ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
        chain = replace(chain, links=(*chain.links[:-1], load.plus(chain.links[-1])))
    if gravity is not None:
        x, y, z = gravity
        chain = replace(chain, gravity=(x, y, z))
    return chain


def in_any_gravity(chain: Chain) -> Chain:
    """The arm in a generic direction of gravity, with no axis vertical or horizontal."""
    return replace(chain, gravity=_NO_SPECIAL_DIRECTION)


def payload_parameters(chain: Chain, body: Sequence[Scalar]) -> list[Scalar]:
    """The ten parameters of a body (10) in the tip frame: m, c (3), I about c (6)."""
    m, *c, xx, xy, xz, yy, yz, zz = body
    R = chain.tip.rotation
    x, y, z = add(matvec(R, (c[0], c[1], c[2])), chain.tip.translation)
    turned = [matvec(R, row) for row in ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))]  # I R^T
    (xx, _, _), (xy, yy, _), (xz, yz, zz) = (
        matvec(R, (turned[0][k], turned[1][k], turned[2][k])) for k in range(3))
    mx, my, mz = m * x, m * y, m * z
    return [m, mx, my, mz, xx + (my * y + mz * z), xy - mx * y, xz - mx * z,
            yy + (mx * x + mz * z), yz - my * z, zz + (mx * x + my * y)]
