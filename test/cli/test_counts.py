"""`manip_dynamics counts`: the papers' tables beside what the code executes."""

import json

import pytest

from manip_dynamics.cli.main import main
from manip_dynamics.papers.printed_tables import TABLES


def test_every_table_is_shown_for_both_arms(capsys):
    assert main(["counts"]) == 0
    text = capsys.readouterr().out
    for table in TABLES:
        assert text.count(table.title) == 2
        for row in table.rows:
            assert row.method in text
    assert "flexible robot" in text


def test_numbers_stand_under_their_n(capsys):
    main(["counts", "--table", "lin-fang-6", "--arm", "revolute"])
    lines = capsys.readouterr().out.splitlines()
    head = next(line for line in lines if line.strip().startswith("n ="))
    printed = next(line for line in lines if line.startswith("    M printed"))
    column = head.index(" 6 ") + 2
    assert printed[:column].split()[-1] == "262"  # Formulation 1, n = 6
    assert printed.endswith("10 n^2 - 18 n + 10")


def test_json_holds_the_same(capsys):
    assert main(["counts", "--table", "lin-fang-8", "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [table["arm"] for table in tables] == ["revolute", "prismatic"]
    row = tables[0]["rows"][0]
    assert row["method"] == "Formulation 1"
    multiplications = row["operations"]["M"]
    assert multiplications["printed"] == {
        "formula": "10 n^2 + 14 n - 37", "counts": multiplications["printed"]["counts"]}
    assert multiplications["printed"]["counts"]["6"] == 407
    assert multiplications["live"]["counts"]["6"] == 375


def test_an_arm_of_two_joints_has_no_third(capsys):
    main(["counts", "--table", "angeles-1", "--arm", "prismatic", "--json"])
    (table,) = json.loads(capsys.readouterr().out)["tables"]
    counts = table["rows"][0]["operations"]["M"]["executed"]["counts"]
    assert min(map(int, counts)) == 3


def test_the_flexible_robot_needs_fewer_operations_than_printed(capsys):
    main(["counts", "--table", "flexible-robot", "--json"])
    rows = json.loads(capsys.readouterr().out)["flexible_robot"]
    assert (rows[0]["M"], rows[0]["A"]) == (144, 186)
    assert rows[-1]["M"] < 60
    assert rows[-1]["A"] < 60


def test_an_unknown_table_lists_the_known_ones(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["counts", "--table", "nonsense"])
    assert stop.value.code == 2
    assert "lin-fang-8" in capsys.readouterr().err
