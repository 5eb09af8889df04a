"""The examples in Python do what they say."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_arm_is_balanced_upright():
    report = subprocess.run([sys.executable, "-W", "ignore", EXAMPLES / "balance/balance.py"],
                            check=True, capture_output=True, text=True).stdout
    last = report.splitlines()[-1]
    assert last.startswith(" 3.0 s")
    angles = [float(word) for word in last.partition("[")[2].partition("]")[0].split()]
    assert len(angles) == 2
    assert max(map(abs, angles)) < 0.01  # degrees
