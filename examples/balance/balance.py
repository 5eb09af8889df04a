"""Balance an arm upright with a linear-quadratic regulator (LQR) that is made of its linearization.

    python examples/balance/balance.py
"""

import numpy as np
from scipy.linalg import solve_continuous_are

import manip_dynamics as md

dyn = md.Dynamics(md.load_robot("planar_2r"))
at_rest = np.zeros(dyn.n)

# Upright: of the two positions in which gravity pulls straight along the arm, the higher one.
upright = max((np.array([angle, 0.0]) for angle in (-np.pi / 2, np.pi / 2)),
              key=lambda q: dyn.energy(q, at_rest).potential)
holding = dyn.gravity(upright)

A, B = md.linearize(dyn, upright, at_rest, holding)
Q, R = np.diag([100.0, 100.0, 1.0, 1.0]), np.eye(dyn.n)
gains = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))


def regulator(time, q, qd):
    return holding - gains @ np.concatenate([q - upright, qd])


simulator = md.Simulator(dyn, dt=1e-3, controller=regulator, limits=False)
simulator.reset(upright + [0.3, -0.2])
history = simulator.run(3.0)

print("fastest growth without control:", f"{np.linalg.eigvals(A).real.max():.2f} 1/s")
print("slowest decay with control:    ", f"{-np.linalg.eigvals(A - B @ gains).real.max():.2f} 1/s")
for k in range(0, len(history.q), 500):
    off = np.degrees(history.q[k] - upright).round(3)
    print(f"{history.t[k]:4.1f} s   off upright by {off} deg")
