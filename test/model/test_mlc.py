"""Minimal linear combinations: as many as the rank of the regressor, and the same dynamics."""

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from oracle import (
    assert_close,
    assert_minimal_and_sufficient,
    random_chain,
    random_kinds,
    random_link,
    stacked_regressor,
)
from reference import reference_chain, reference_states

from manip_dynamics.model.chain import Chain, Joint
from manip_dynamics.model.mlc import BASES, minimal_combinations

pin = pytest.importorskip("pinocchio")


def natural_parameters(chain: Chain) -> np.ndarray:
    return np.array([p for link in chain.links for p in link.parameters])


def special_chain(rng: np.random.Generator, n: int) -> Chain:
    """Parallel, antiparallel, coaxial and right-angled axes, gravity along the first of them."""
    joints = []
    for kind in random_kinds(rng, n):
        alpha = rng.choice([rng.uniform(-3, 3), math.pi / 2, -math.pi / 2, 0.0, 0.0, math.pi])
        theta = rng.choice([rng.uniform(-3, 3), 0.0, math.pi / 2, math.pi])
        a, d = rng.uniform(-0.7, 0.7, 2) * rng.integers(0, 2, 2)
        joints.append(Joint("revolute" if kind == "R" else "prismatic", alpha, a, theta, d))
    first = np.array([0.0, -joints[0].sin_alpha, joints[0].cos_alpha])
    gravity = [np.zeros(3), 9.81 * first, -9.81 * first, rng.normal(size=3)][rng.integers(4)]
    return Chain(tuple(joints), tuple(random_link(rng) for _ in joints), tuple(gravity))


@pytest.mark.parametrize("seed", range(150))
def test_number_is_the_rank_of_the_regressor_on_general_arms(seed):
    rng = np.random.default_rng([seed, 1])
    n = 1 + seed % 8
    assert_minimal_and_sufficient(random_chain(rng, random_kinds(rng, n), seed % 3 == 0), rng)


@pytest.mark.parametrize("seed", range(350))
def test_number_is_the_rank_of_the_regressor_on_special_geometries(seed):
    rng = np.random.default_rng([seed, 2])
    assert_minimal_and_sufficient(special_chain(rng, 1 + seed % 7), rng)


@pytest.mark.parametrize("seed", range(60))
def test_number_is_the_rank_of_the_regressor_without_gravity(seed):
    rng = np.random.default_rng([seed, 3])
    chain = replace(special_chain(rng, 2 + seed % 5), gravity=(0.0, 0.0, 0.0))
    assert_minimal_and_sufficient(chain, rng)


def weightless_wrist(offsets: list[float]) -> Chain:
    """Axes in one point, the last frames slid along their axes."""
    rng = np.random.default_rng(4)
    joints = tuple(Joint("revolute", math.pi / 2 * (i % 2), d=d) for i, d in enumerate(offsets))
    return Chain(joints, tuple(random_link(rng) for _ in joints), (0.0, 0.0, 0.0))


@pytest.mark.parametrize("offsets", [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0.4], [0.1, 0.2, -0.2, 0.5]])
def test_first_moments_of_a_weightless_wrist_have_no_effect(offsets):
    chain = weightless_wrist(offsets)
    assert not any(name.startswith("k") for name in minimal_combinations(chain).names)
    assert_minimal_and_sufficient(chain, np.random.default_rng(5))


def test_axes_that_miss_the_point_bring_the_first_moments_back():
    names = minimal_combinations(weightless_wrist([0.0, 0.2, 0.0, 0.0])).names
    assert [name for name in names if name.startswith("k")] == ["k_x_4", "k_y_4"]


@pytest.mark.parametrize("basis", [*BASES, "mixed"])
@pytest.mark.parametrize("seed", range(40))
def test_virtual_links_have_the_dynamics_of_the_real_ones(seed, basis):
    rng = np.random.default_rng([seed, 6])
    n = 1 + seed % 8
    chain = special_chain(rng, n) if seed % 2 else random_chain(rng, random_kinds(rng, n))
    mlc = minimal_combinations(chain)
    virtual = mlc.virtual_chain(rng.choice(BASES, n).tolist() if basis == "mixed" else basis)
    Y = stacked_regressor(chain, rng)
    assert_close(Y @ natural_parameters(virtual), Y @ natural_parameters(chain))


@pytest.mark.parametrize("angle", [1e-13, 1e-11, 1e-9, 1e-8, 1e-6, 1e-3])
def test_nearly_parallel_axes_lose_no_precision(angle):
    """A slide that is almost, or for all that can be seen, parallel to the first axis."""
    rng = np.random.default_rng(15)
    chain = random_chain(rng, "RPRRPR")
    tilted = (chain.joints[0], replace(chain.joints[1], alpha=angle),
              replace(chain.joints[2], alpha=-angle, theta=0.0), *chain.joints[3:])
    chain = replace(chain, joints=tilted)
    Y = stacked_regressor(chain, rng)
    virtual = minimal_combinations(chain).chain
    assert_close(Y @ natural_parameters(virtual), Y @ natural_parameters(chain))


def test_virtual_links_are_sparse():
    """Khalil's regrouping: a revolute link keeps at most 7 parameters, a prismatic one 4."""
    chain = random_chain(np.random.default_rng(7), "RRPRPPR")
    for joint, link in zip(chain.joints, minimal_combinations(chain).chain.links):
        nonzero = np.count_nonzero(link.parameters)
        assert nonzero <= (7 if joint.revolute else 4)
        if joint.revolute:
            assert (link.mass, link.first_moment[2], link.origin_inertia[1][1]) == (0, 0, 0)
        else:
            assert not np.any(link.origin_inertia)


def test_bases_do_what_they_say():
    chain = random_chain(np.random.default_rng(8), "RRPRR")
    mlc = minimal_combinations(chain)
    for i in (1, 3, 4):
        J = {basis: np.array(mlc.virtual_chain(basis).links[i].origin_inertia) for basis in BASES}
        assert J["J22"][1, 1] == 0
        assert J["J11"][0, 0] == 0
        assert J["Sigma33"][0, 0] + J["Sigma33"][1, 1] == pytest.approx(J["Sigma33"][2, 2])


def test_values_are_linear_in_the_natural_parameters():
    chain = random_chain(np.random.default_rng(9), "RPRRPR")
    mlc = minimal_combinations(chain)
    assert_close(mlc.values, mlc.K @ natural_parameters(chain))
    assert_close(mlc.K @ natural_parameters(mlc.chain), mlc.values)


def test_virtual_links_can_be_built_for_given_values():
    chain = random_chain(np.random.default_rng(10), "RRPR")
    mlc = minimal_combinations(chain)
    values = np.random.default_rng(11).normal(size=len(mlc.values))
    other = mlc.with_values(values)
    assert_close(other.K @ natural_parameters(other.chain), values)
    assert other.composite[2].mass == values[mlc.names.index("m_3")]
    with pytest.raises(ValueError, match=f"expected {len(values)} MLC values"):
        mlc.with_values(values[1:])


@pytest.mark.parametrize(("name", "entry"), reference_states().items())
def test_reference_values(name, entry):
    mlc = minimal_combinations(reference_chain(entry["robot"]))
    assert mlc.names == tuple(readable(symbol) for symbol in entry["MLC"])
    assert_close(mlc.values, list(entry["MLC"].values()))
    if "r" in entry and "R" in entry["robot"]["joint_types"]:
        assert (mlc.r, mlc.s) == (entry["r"], entry["s"])


def readable(symbol: str) -> str:
    entry, joint = symbol.split("_")
    return {"U11-22": "U11-U22", "kx": "k_x", "ky": "k_y", "kz": "k_z", "k1": "kappa1",
            "k2": "kappa2"}.get(entry, entry) + "_" + joint


def test_zeros_of_the_stanford_arm_are_exact():
    """13 of its 33 MLCs are not zero; rounding must not hide that from the code generator."""
    mlc = minimal_combinations(reference_chain(reference_states()["stanford_A"]["robot"]))
    assert (len(mlc.values), np.count_nonzero(mlc.values)) == (33, 13)


def test_seven_joints_take_less_than_ten_milliseconds():
    chain = random_chain(np.random.default_rng(12), "RRRRRRR")
    durations = []
    for _ in range(5):
        start = time.perf_counter()
        minimal_combinations(chain)
        durations.append(time.perf_counter() - start)
    assert min(durations) < 0.010


def test_cheapest_chain_lowers_the_cost_and_keeps_the_mlcs():
    mlc = minimal_combinations(random_chain(np.random.default_rng(14), "RRPRR"))

    def full_inertias(chain: Chain) -> int:
        return sum(link.origin_inertia[0][0] != 0 for link in chain.links)

    assert full_inertias(mlc.chain) == 3
    cheapest = mlc.cheapest_chain(full_inertias)
    assert full_inertias(cheapest) == 0
    assert_close(mlc.K @ natural_parameters(cheapest), mlc.values)


def test_basis_must_be_known():
    mlc = minimal_combinations(random_chain(np.random.default_rng(13), "RR"))
    with pytest.raises(ValueError, match="J22, J11, Sigma33"):
        mlc.virtual_chain("J33")
