"""Operation counts of the papers' tables: exact integers, executed and live."""

import pytest

from manip_dynamics.algorithms.composite_body import composite_bodies
from manip_dynamics.algorithms.regressor import regressor
from manip_dynamics.algorithms.vectors import frames_at
from manip_dynamics.model.mlc import minimal_combinations
from manip_dynamics.papers.counted_algorithms import ALGORITHMS, ARMS, as_written, general_arm
from manip_dynamics.papers.polynomial import Polynomial, fit
from manip_dynamics.papers.printed_tables import TABLES

JOINTS = range(2, 13)

# Counts of the current code: executed M, A and live M, A, as polynomials in n.
COUNTS = {
    "Kane": {
        "revolute": ("105 n - 97", "87 n - 86", "105 n - 116", "87 n - 104"),
        "prismatic": ("105 n - 92", "87 n - 85", "105 n - 111", "87 n - 103")},
    "Newton-Euler": {
        "revolute": ("105 n - 97", "87 n - 86", "105 n - 122", "87 n - 108"),
        "prismatic": ("105 n - 92", "87 n - 87", "105 n - 117", "87 n - 109")},
    "Newton-Euler on virtual links": {
        "revolute": ("81 n - 80", "69 n - 73", "81 n - 93", "69 n - 84"),
        "prismatic": ("81 n - 84", "69 n - 79", "81 n - 97", "69 n - 93")},
    "Newton-Euler bias": {
        "revolute": ("105 n - 113", "86 n - 101", "105 n - 134", "86 n - 119"),
        "prismatic": ("105 n - 108", "86 n - 102", "105 n - 129", "86 n - 120")},
    "bias on virtual links": {
        "revolute": ("81 n - 91", "68 n - 83", "81 n - 102", "68 n - 92"),
        "prismatic": ("81 n - 95", "68 n - 89", "81 n - 106", "68 n - 101")},
    "Walker-Orin": {
        "revolute": ("10 n^2 + 26 n - 40", "6 n^2 + 36 n - 45",
                     "10 n^2 + 21 n - 53", "6 n^2 + 34 n - 68"),
        "prismatic": ("10 n^2 + 26 n - 54", "6 n^2 + 36 n - 53",
                      "10 n^2 + 21 n - 71", "6 n^2 + 34 n - 80")},
    "Formulation 3": {
        "revolute": ("12.5 n^2 + 1.5 n - 17", "8 n^2 + 21 n - 36",
                     "12.5 n^2 - 0.5 n - 29", "8 n^2 + 20 n - 57"),
        "prismatic": ("12.5 n^2 - 13.5 n + 20", "8 n^2 + 10 n - 4",
                      "12.5 n^2 - 15.5 n + 8", "8 n^2 + 9 n - 25")},
    "Formulation 4": {
        "revolute": ("4.5 n^2 + 69.5 n - 127", "4 n^2 + 57 n - 98",
                     "4.5 n^2 + 69.5 n - 149", "4 n^2 + 57 n - 124"),
        "prismatic": ("4.5 n^2 + 69.5 n - 134", "4 n^2 + 57 n - 105",
                      "4.5 n^2 + 69.5 n - 156", "4 n^2 + 57 n - 131")},
    "Formulation 1, bodies given": {
        "revolute": ("10 n^2 - 18 n + 10", "6 n^2 - 10 n + 4",
                     "10 n^2 - 22 n + 14", "6 n^2 - 12 n + 6"),
        "prismatic": ("10 n^2 - 18 n - 5", "6 n^2 - 10 n - 4",
                      "10 n^2 - 22 n - 1", "6 n^2 - 12 n - 2")},
    "Formulation 2, bodies given": {
        "revolute": ("11.5 n^2 - 27.5 n + 20", "8 n^2 - 18 n + 10",
                     "11.5 n^2 - 27.5 n + 20", "8 n^2 - 18 n + 10"),
        "prismatic": ("11.5 n^2 - 40.5 n + 51", "8 n^2 - 29 n + 40",
                      "11.5 n^2 - 40.5 n + 49", "8 n^2 - 29 n + 39")},
    "Formulation 3, bodies given": {
        "revolute": ("12.5 n^2 - 29.5 n + 20", "8 n^2 - 18 n + 10",
                     "12.5 n^2 - 31.5 n + 24", "8 n^2 - 19 n + 12"),
        "prismatic": ("12.5 n^2 - 44.5 n + 57", "8 n^2 - 29 n + 42",
                      "12.5 n^2 - 46.5 n + 61", "8 n^2 - 30 n + 44")},
    "Formulation 4, bodies given": {
        "revolute": ("4.5 n^2 + 38.5 n - 89", "4 n^2 + 18 n - 50",
                     "4.5 n^2 + 38.5 n - 95", "4 n^2 + 18 n - 53"),
        "prismatic": ("4.5 n^2 + 38.5 n - 96", "4 n^2 + 18 n - 57",
                      "4.5 n^2 + 38.5 n - 102", "4 n^2 + 18 n - 60")},
    "Formulation 5, bodies given": {
        "revolute": ("10 n^2 - 18 n + 16", "6 n^2 - 6 n + 2",
                     "10 n^2 - 22 n + 15", "6 n^2 - 8 n"),
        "prismatic": ("10 n^2 - 18 n - 1", "6 n^2 - 6 n - 13",
                      "10 n^2 - 22 n - 2", "6 n^2 - 8 n - 15")},
    "Table VII": {
        "revolute": ("31 n - 43", "33 n - 57", "31 n - 45", "33 n - 58"),
        "prismatic": ("31 n - 42", "33 n - 59", "31 n - 44", "33 n - 60")},
    "Formulation 1 from MLCs": {
        "revolute": ("10 n^2 + 13 n - 37", "6 n^2 + 23 n - 55",
                     "10 n^2 + 9 n - 39", "6 n^2 + 21 n - 58"),
        "prismatic": ("10 n^2 + 13 n - 51", "6 n^2 + 23 n - 65",
                      "10 n^2 + 9 n - 53", "6 n^2 + 21 n - 68")},
    "Formulation 2 from MLCs": {
        "revolute": ("11.5 n^2 + 3.5 n - 25", "8 n^2 + 15 n - 49",
                     "11.5 n^2 + 3.5 n - 31", "8 n^2 + 15 n - 54"),
        "prismatic": ("11.5 n^2 - 9.5 n + 7", "8 n^2 + 4 n - 21",
                      "11.5 n^2 - 9.5 n - 1", "8 n^2 + 4 n - 27")},
    "Formulation 5 on virtual links": {
        "revolute": ("10 n^2 + 13 n - 22", "6 n^2 + 26 n - 42",
                     "10 n^2 + 9 n - 33", "6 n^2 + 24 n - 54"),
        "prismatic": ("10 n^2 + 13 n - 39", "6 n^2 + 26 n - 46",
                      "10 n^2 + 9 n - 50", "6 n^2 + 24 n - 58")},
}

# Live M, A for 2 to 12 joints: the middle frame makes them polynomials of odd and of even n.
MEETING_FRAME = {
    "revolute": ([19, 72, 147, 223, 324, 431, 558, 696, 849, 1018, 1197],
                 [12, 58, 118, 183, 260, 346, 440, 547, 658, 786, 914]),
    "prismatic": ([46, 133, 214, 315, 401, 525, 646, 796, 950, 1126],
                  [45, 113, 181, 258, 327, 418, 514, 622, 739, 864]),
}

# An upper bound on live M, A for n revolute joints, found before this code was written.
BOUNDS = {
    "Kane": ((105, -116), (87, -104)),
    "Newton-Euler on virtual links": ((81, -93), (69, -84)),
    "Formulation 1, bodies given": ((10, -22, 14), (6, -12, 6)),
    "Formulation 2, bodies given": ((11.5, -27.5, 20), (8, -18, 10)),
    "Formulation 3, bodies given": ((12.5, -31.5, 24), (8, -19, 12)),
    "Formulation 4, bodies given": ((4.5, 38.5, -95), (4, 18, -53)),
    "Table VII": ((31, -45), (33, -57)),
    "Formulation 1 from MLCs": ((10, 9, -39), (6, 21, -58)),
    "Formulation 2 from MLCs": ((11.5, 3.5, -31), (8, 15, -54)),
    "Lin 1991, H": ((10.5, 17.5, -47), (6, 33, -61)),
    "Lin 1991, H and b": ((23, 28, -72), (15, 35, -76)),
    "meeting frame": ((10, 9, -39), (6, 21, -58)),  # no worse than Formulation 1
}


def counted(code, arm):
    joints = [n for n in JOINTS if n > 2 or arm == "revolute"]
    runs = {n: ALGORITHMS[code](general_arm(n, arm)) for n in joints}
    return [
        {n: getattr(getattr(run, kind), operation) for n, run in runs.items()}
        for kind in ("executed", "live") for operation in ("multiplications", "additions")
    ]


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("code", COUNTS)
def test_counts_are_these_polynomials(code, arm):
    formulas = [str(fit(counts)) for counts in counted(code, arm)]
    assert tuple(formulas) == COUNTS[code][arm]


@pytest.mark.parametrize("arm", ARMS)
def test_counts_of_the_meeting_frame(arm):
    live = [list(counts.values()) for counts in counted("meeting frame", arm)[2:]]
    assert tuple(live) == MEETING_FRAME[arm]


@pytest.mark.parametrize("code", BOUNDS)
def test_counts_are_no_worse_than_known(code):
    for live, bound in zip(counted(code, "revolute")[2:], BOUNDS[code]):
        # The formulas hold from 4 joints on; shorter arms save more.
        assert all(live[n] <= Polynomial.of(*bound)(n) for n in range(4, 13))


@pytest.mark.parametrize("code", [
    "Kane", "Formulation 1, bodies given", "Formulation 2, bodies given",
    "Formulation 3, bodies given", "Formulation 4, bodies given", "Formulation 5, bodies given",
    "Formulation 1 from MLCs", "Formulation 2 from MLCs", "Lin 1991, H", "Lin 1991, b beside H",
    "Lin 1991, H and b"])
def test_leading_terms_are_the_printed_ones(code):
    rows = [row for table in TABLES for row in table.rows if row.code == code]
    for row in rows:
        for arm, printed in row.printed.items():
            M, A, *_ = counted(code, arm)
            assert leading(fit(M)) == leading(printed.multiplications)
            if code != "Kane":  # the paper counts 3 additions per link for a constant
                assert leading(fit(A)) == leading(printed.additions)


def leading(polynomial):
    return len(polynomial.coefficients), polynomial.coefficients[0]


def test_formulation_1_executes_exactly_what_is_printed():
    M, A, *_ = counted("Formulation 1, bodies given", "revolute")
    assert (str(fit(M)), str(fit(A))) == ("10 n^2 - 18 n + 10", "6 n^2 - 10 n + 4")
    assert (M[2], A[2], M[12], A[12]) == (14, 8, 1234, 748)


def test_composite_bodies_cost_31M_39A_per_joint():
    def bodies(chain):
        return as_written(
            lambda q: composite_bodies(chain, frames_at(chain, q)),
            chain.n, ("q",)).live

    runs = {n: bodies(general_arm(n, "revolute")) for n in JOINTS}
    assert str(fit({n: run.multiplications for n, run in runs.items()})) == "31 n - 36"
    assert str(fit({n: run.additions for n, run in runs.items()})) == "39 n - 46"


def test_regressor_of_six_joints():
    mlc = minimal_combinations(general_arm(6, "revolute"))
    run = as_written(lambda *state: regressor(mlc, *state), 6, ("q", "qd", "qdd")).live
    assert (run.multiplications, run.additions) == (777, 563)


MISPRINTS = {  # of multiplications: what the formula beside them gives
    ("Formulation 5 (Kawasaki et al.)", "revolute", 11): 1026,
    ("Kawasaki et al. I", "revolute", 4): 195,
}


def test_printed_numbers_equal_the_printed_formulas():
    for table in TABLES:
        for row in table.rows:
            for arm, printed in row.printed.items():
                if printed.multiplications is None:
                    continue
                for n, (M, A) in printed.values.items():
                    M = MISPRINTS.get((row.method, arm, n), M)
                    assert (printed.multiplications(n), printed.additions(n)) == (M, A)


def test_every_row_is_counted_or_says_why_not():
    for table in TABLES:
        for row in table.rows:
            assert row.remark
            assert row.code in ALGORITHMS or row.code is None


@pytest.mark.parametrize("coefficients", [(10, -3, 7), (2, 0, -1, 5), (81, -93)])
def test_fit_finds_a_polynomial_and_nothing_else(coefficients):
    polynomial = Polynomial.of(*coefficients)
    values = {n: polynomial(n) for n in JOINTS}
    degree = max(2, len(coefficients) - 1)
    assert fit(values, degree) == polynomial
    values[10] += 1
    assert fit(values, degree) is None
