"""The same integrator on the same arm reaches the same state as MuJoCo."""

import numpy as np
import pytest

import manip_dynamics as md

mujoco = pytest.importorskip(
    "mujoco", reason="MuJoCo is not installed; script/requirements-bench.txt names it")


@pytest.mark.filterwarnings("ignore::manip_dynamics.ModelWarning")
@pytest.mark.parametrize("name", ["stanford_arm", "puma560", "six_axis", "scara", "planar_2r"])
def test_rk4_ends_where_mujoco_ends(name):
    from bench.libraries.mujoco import build

    robot = md.load_robot(name)
    q, qd = np.linspace(0.4, 0.2, robot.n), np.linspace(-0.3, 0.3, robot.n)
    model, data = build(robot.chain)
    model.opt.timestep, model.opt.integrator = 1e-3, mujoco.mjtIntegrator.mjINT_RK4
    data.qpos[:], data.qvel[:] = q, qd
    mujoco.mj_step(model, data, 1000)

    simulator = md.Simulator(md.Dynamics(robot), 1e-3, "rk4", limits=False)
    simulator.reset(q, qd)
    simulator.run(1.0, every=1000)
    np.testing.assert_allclose(simulator.q, data.qpos, atol=1e-9)
    np.testing.assert_allclose(simulator.qd, data.qvel, atol=1e-8)
