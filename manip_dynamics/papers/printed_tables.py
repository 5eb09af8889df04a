"""The tables of operation counts printed in the papers, as data.

Formulas are polynomials in the number of joints n; `values` are the numbers printed beside them,
(multiplications, additions) for some n. `arm` is "revolute" (n revolute joints, Type 1 of Lin &
Fang 1999) or "prismatic" (the third joint prismatic, the others revolute, Type 2). `code` is the
algorithm of this package (counted_algorithms.py), None if no available paper describes the
method. `remark` explains differences between the printed and the executed counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from .polynomial import Polynomial

Values = dict[int, tuple[int, int]]


@dataclass(frozen=True)
class PrintedCounts:
    """The printed counts of one method for one kind of arm."""

    multiplications: Polynomial | None = None
    additions: Polynomial | None = None
    values: Values = field(default_factory=dict)


@dataclass(frozen=True)
class PrintedRow:
    """One method of a table."""

    method: str
    code: str | None
    printed: dict[str, PrintedCounts]  # by arm
    remark: str = ""


@dataclass(frozen=True)
class PrintedTable:
    key: str
    title: str
    rows: tuple[PrintedRow, ...]


def counts(m: tuple, a: tuple, values: Values | None = None) -> PrintedCounts:
    return PrintedCounts(Polynomial.of(*m), Polynomial.of(*a), values or {})


def revolute(m: tuple, a: tuple, values: Values | None = None) -> dict[str, PrintedCounts]:
    return {"revolute": counts(m, a, values)}


def _from_two_on(m: tuple[int, ...], a: tuple[int, ...]) -> Values:
    return dict(enumerate(zip(m, a), start=2))


NOT_DESCRIBED = "None of the available papers describes this algorithm."
OURS = "Not in the papers."

ANGELES_1 = PrintedTable("angeles-1", "Angeles, Ma & Rojas 1989, Table 1: inverse dynamics", (
    PrintedRow("Hollerbach (EL)", None,
               revolute((412, -277), (320, -201), {6: (2195, 1719)}), NOT_DESCRIBED),
    PrintedRow("Luh et al. (NE)", "Newton-Euler",
               revolute((150, -48), (131, -48), {6: (852, 738)}),
               "Counted here: Newton-Euler with moments about the link origins (Tsai 9.7 in "
               "modified DH)."),
    PrintedRow("Walker & Orin (NE)", "Newton-Euler",
               revolute((137, -22), (101, -11), {6: (800, 595)}), "As the row above."),
    PrintedRow("Hollerbach (NE)", None,
               {"revolute": PrintedCounts(values={6: (688, 558)})}, NOT_DESCRIBED),
    PrintedRow("Kane & Levinson (Kane)", None,
               {"revolute": PrintedCounts(values={6: (646, 394)})},
               "Derived by hand for the Stanford arm only."),
    PrintedRow("Khalil et al. (NE)", "Newton-Euler",
               revolute((105, -92), (94, -86), {6: (538, 478)}),
               "As the rows above; the multiplications have the same slope."),
    PrintedRow("Angeles, Ma & Rojas (Kane)", "Kane",
               revolute((105, -109), (90, -105), {6: (521, 435)}),
               "a_i - rho_{i-1} is constant at revolute joints: 3 additions per link fewer than "
               "printed. Live also drops the components that tau_1 does not need."),
    PrintedRow("Newton-Euler on virtual links", "Newton-Euler on virtual links", {}, OURS),
))

LIN_1 = PrintedTable("lin-1", "Lin 1991, Table I: inertia matrix", (
    PrintedRow("Walker & Orin", "Walker-Orin",
               revolute((11, 53, -74), (8, 52, -62), _from_two_on(
                   (76, 184, 314, 466, 640, 836, 1054), (74, 166, 274, 398, 538, 694, 866))),
               "Lin counts the algorithm as published. Here s x f is evaluated for d and a "
               "separately, and two bodies are combined with their reduced mass."),
    PrintedRow("Renaud", "Formulation 3",
               revolute((13.5, 22.5, -68), (9, 26, -64), _from_two_on(
                   (31, 121, 238, 382, 553, 751, 976), (24, 95, 184, 291, 416, 559, 720))),
               "Formulation 3 of Lin & Fang needs 12M 8A for u x s, Lin's algorithm 14M 10A."),
    PrintedRow("Lin (1990)", None,
               revolute((Fraction(7, 6), Fraction(99, 6), Fraction(-214, 6), 19),
                        (1, 13.5, -28.5, 14), _from_two_on(
                   (23, 92, 215, 399, 651, 978, 1387), (19, 77, 180, 334, 545, 819, 1162))),
               NOT_DESCRIBED),
    PrintedRow("Fijany & Bejczy", "Formulation 4",
               revolute((4.5, 115.5, -175), (4, 88, -134), _from_two_on(
                   (74, 212, 359, 515, 680, 854, 1037), (58, 166, 282, 406, 538, 678, 826))),
               "Formulation 4 of Lin & Fang: composite bodies in their own frames, and u_i as a "
               "column of R."),
    PrintedRow("Lin 1991", "Lin 1991, H",
               revolute((10.5, 38.5, -85), (6, 39, -70), _from_two_on(
                   (34, 125, 237, 370, 524, 699, 895), (32, 101, 182, 275, 380, 497, 626))),
               "n^2 terms as printed. Here R J R^T takes 17M 14A, and J contains the products of "
               "p and s that the pairs need."),
    PrintedRow("meeting frame, virtual links", "meeting frame", {}, OURS),
))

LIN_2 = PrintedTable("lin-2", "Lin 1991, Table II: bias vector", (
    PrintedRow("Khalil & Kleinfinger", "Newton-Euler bias",
               revolute((101, -129), (90, -118), _from_two_on(
                   (73, 174, 275, 376, 477, 578, 679), (62, 152, 242, 332, 422, 512, 602))),
               "Counted here: Newton-Euler inverse dynamics of real links without acceleration; "
               "the customised version of this row is not described."),
    PrintedRow("Balafoutis et al.", "bias on virtual links",
               revolute((93, -69), (81, -66), _from_two_on(
                   (117, 210, 303, 396, 489, 582, 675), (96, 177, 258, 339, 420, 501, 582))),
               "MLCs are the minimal form of augmented bodies. Counted here: Newton-Euler on "
               "virtual links."),
    PrintedRow("Lin 1991", "Lin 1991, b beside H",
               revolute((12.5, 5.5, 3), (9, 1, 0), _from_two_on(
                   (64, 132, 225, 343, 486, 654, 847), (38, 84, 148, 230, 330, 448, 584))),
               "The cost of b when H is computed too; n^2 terms as printed. The linear terms are "
               "lower because d_mj reuses the entries of J combined with p and s."),
    PrintedRow("Lin 1991, H and b together (text)", "Lin 1991, H and b",
               revolute((23, 44, -82), (15, 40, -70)), "As above, and as Table I."),
))

LIN_FANG_6 = PrintedTable(
    "lin-fang-6", "Lin & Fang 1999, Table VI: inertia matrix, composite bodies given", (
        PrintedRow("Formulation 1", "Formulation 1, bodies given", {
            "revolute": counts((10, -18, 10), (6, -10, 4),
                               {4: (98, 60), 6: (262, 160), 11: (1022, 620)}),
            "prismatic": counts((10, -18, 0), (6, -10, 0),
                                {6: (252, 156), 8: (496, 304), 9: (648, 396)})},
            "Executed as printed. Live drops the x and y components of t_1i. Type 2: mh_3 u_3 "
            "and its moments are constant."),
        PrintedRow("Formulation 2", "Formulation 2, bodies given", {
            "revolute": counts((11.5, -27.5, 16), (8, -18, 10),
                               {4: (90, 66), 6: (265, 190), 11: (1105, 780)}),
            "prismatic": counts((11.5, -40.5, 60), (8, -29, 46),
                                {6: (231, 160), 8: (472, 326), 9: (627, 433)})},
            "The printed count omits u_j and s_j in frame j+1 (4(n-1) multiplications) but does "
            "not use that their z components are constant (4(n-2)). Type 2: more constants "
            "are folded."),
        PrintedRow("Formulation 3 (Renaud)", "Formulation 3, bodies given", {
            "revolute": counts((12.5, -28.5, 16), (8, -18, 10),
                               {4: (102, 66), 6: (295, 190), 11: (1215, 780)}),
            "prismatic": counts((12.5, -43.5, 65), (8, -29, 45),
                                {6: (254, 159), 8: (517, 325), 9: (686, 432)})},
            "As Formulation 2. Live drops (u x s)_z of the last frame."),
        PrintedRow("Formulation 4 (Fijany & Bejczy)", "Formulation 4, bodies given", {
            "revolute": counts((4.5, 48.5, -108), (4, 24, -56),
                               {4: (158, 104), 6: (345, 232), 11: (970, 692)}),
            "prismatic": counts((4.5, 48.5, -114), (4, 24, -62),
                                {6: (339, 226), 8: (562, 386), 9: (687, 478)})},
            "The printed count has u_i = R e_z as a product (8M 4A); it is a column of R."),
        PrintedRow("Formulation 5 (Kawasaki et al.)", "Formulation 5, bodies given", {
            "revolute": counts((10, -18, 14), (6, -6, 2),
                               {4: (102, 74), 6: (266, 182), 11: (1016, 662)}),
            "prismatic": counts((10, -18, 4), (6, -6, -7),
                                {6: (256, 173), 8: (500, 329), 9: (652, 425)})},
            "Printed 1016 for n = 11, but the formula gives 1026. Executed has 2 more for s_12. "
            "Type 2: Table V adds s x f to a moment that already contains it."),
        PrintedRow("meeting frame", "meeting frame, bodies given", {}, OURS),
    ))

LIN_FANG_7 = PrintedTable(
    "lin-fang-7", "Lin & Fang 1999, Table VII: composite bodies from MLCs", (
        PrintedRow("Table VII", "Table VII", {
            "revolute": counts((32, -47), (33, -57)), "prismatic": counts((32, -45), (33, -59))},
            "The paper counts 18M for (41) to (54), with two products 2 S; 2 sin(beta) is "
            "constant: 17M. The printed count omits 2M for u_r in frame s."),
    ))

LIN_FANG_8 = PrintedTable(
    "lin-fang-8", "Lin & Fang 1999, Table VIII: inertia matrix from MLCs", (
        PrintedRow("Formulation 1", "Formulation 1 from MLCs", {
            "revolute": counts((10, 14, -37), (6, 23, -53),
                               {4: (179, 135), 6: (407, 301), 8: (715, 515)}),
            "prismatic": counts((10, 14, -45), (6, 23, -59),
                                {4: (171, 129), 6: (399, 295), 8: (707, 509)})},
            "Differs as Tables VI and VII do."),
        PrintedRow("Formulation 2", "Formulation 2 from MLCs", {
            "revolute": counts((11.5, 4.5, -31), (8, 15, -47),
                               {4: (171, 141), 6: (410, 331), 8: (741, 585)}),
            "prismatic": counts((11.5, -8.5, 15), (8, 4, -13),
                                {4: (165, 131), 6: (378, 299), 8: (683, 531)})},
            "Differs as Tables VI and VII do."),
        PrintedRow("Kawasaki et al. I", None,
                   revolute((11, 15, -41), (7, 32, -66),
                            {4: (194, 174), 6: (445, 378), 8: (783, 638)}),
                   NOT_DESCRIBED + " Printed 194 for n = 4, but the formula gives 195."),
        PrintedRow("Kawasaki et al. II", "Formulation 5 on virtual links",
                   revolute((11, 9, -35), (7, 23, -57),
                            {4: (177, 147), 6: (415, 333), 8: (741, 575)}),
                   "Counted here: Formulation 5 on virtual links, with s split into d and a."),
        PrintedRow("meeting frame, virtual links", "meeting frame", {}, OURS),
    ))

BANSEVICIUS_2 = PrintedTable(
    "bansevicius-2", "Bansevicius et al. 2005, Table 2: inertia matrix", (
        PrintedRow("Walker & Orin (N-E)", "Walker-Orin",
                   revolute((12, 56, -27), (7, 67, -56), {6: (741, 598)}),
                   "Lin 1991 gives a different count; see there."),
        PrintedRow("Angeles & Ma (N-E)", None,
                   revolute((1, 17, -21, 8), (1, 14, -16, 5), {6: (710, 629)}), NOT_DESCRIBED),
        PrintedRow("Mata et al. (G-A)", None,
                   revolute((11.5, 19.5, -49), (8.5, 31.5, -69), {6: (482, 426)}), NOT_DESCRIBED),
        PrintedRow("Uicker & Kahn, symbolic (L-E)", "Uicker-Kahn",
                   {"revolute": PrintedCounts(values={6: (144, 186)})},
                   "Printed for the flexible robot, whose zeros the computer algebra exploits; a "
                   "general arm is counted here. See the table of that robot."),
    ))

TABLES = (ANGELES_1, LIN_1, LIN_2, LIN_FANG_6, LIN_FANG_7, LIN_FANG_8, BANSEVICIUS_2)
