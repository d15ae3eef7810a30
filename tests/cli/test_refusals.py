"""Requests that no command can answer: status, one reason in words, and the same reason as JSON."""

import json
import shlex
from pathlib import Path

import pytest
from tests.changes.existing_machines import FOLDER
from tests.command_line import poolwright

MACHINES = {name: FOLDER / f"{name.lower()}.capture" for name in ("GOOD", "WRONG")}
# What is typed, the status, and what is said; “…” stands between two parts of it.
REFUSED = Path(__file__).with_name("refused.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", REFUSED)
def test_that_a_bad_request_ends_with_its_status_and_a_reason(row: str) -> None:
    line, _, expected = row.partition(" => ")
    status, _, said = expected.partition(": ")
    words = [str(MACHINES.get(word, word)) for word in shlex.split(line)]
    done = poolwright(*words, "--json")
    assert done.returncode == int(status), done.stderr
    answer = json.loads(done.stdout)
    told = " ".join((answer["error"], *answer.get("reasons", ())))
    for part in said.split(" … "):
        assert part in done.stderr
        assert part in told
