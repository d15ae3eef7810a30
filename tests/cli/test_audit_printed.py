"""Every rule on pools that exist is reached by what the tools print, read as a person reads it: `poolwright audit`."""

import json
from pathlib import Path

import pytest
from tests.changes.existing_machines import FOLDER
from tests.command_line import answer_of, poolwright

from poolwright.rule_library import load_rules
from poolwright.rules.model import Scope

MACHINE = FOLDER / "good.capture"
GOOD = MACHINE.read_text(encoding="utf-8")
# What the tools would print of a pool with one thing wrong, as a diff of the machine `good`: the rule, the pool that is
# meant and the rules that such a pool breaks as well; then the lines that change. They are in the words and columns of
# `zpool status -P`, `zpool list -v -Hp -P`, `zpool get -Hp`, `zfs get -Hp`; texts of status and scans are those that
# OpenZFS 2.3 and recorded pools print.
CHANGES = Path(__file__).with_name("printed_changes.diff").read_text(encoding="utf-8").split("\n\n")
PRINTED = {change.split()[0]: change for change in CHANGES}
RECORDED = {"existing.expanded", "existing.stranded"}  # what only a pool shows that went through it
UNREAD = {"existing.degraded"}  # of pools without zpool status: tests/changes/test_half_known_pools.py


def findings(file: Path, pool: str) -> dict[str, str]:
    document = json.loads(poolwright("audit", "--from", str(file), "--pool", pool, "--json").stdout)
    return {found["rule"]: found["text"] for found in document["pools"][0]["findings"]}


def changed(diff: str) -> str:
    """Return the capture of the machine `good` with these lines changed; each must be there."""
    text = GOOD
    for hunk in diff.split("@@\n"):
        was, becomes = (
            "".join(line[1:] for line in hunk.splitlines(keepends=True) if line[0] in f" {sign}") for sign in "-+"
        )
        assert was in text
        text = text.replace(was, becomes, 1)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("rule_id", sorted(PRINTED))
def test_that_what_the_tools_print_reaches_this_rule_and_no_other(rule_id: str, tmp_path: Path) -> None:
    head, _, lines = PRINTED[rule_id].partition("\n")
    _, pool, *beside = head.split()
    file = tmp_path / "printed.capture"
    file.write_text(changed(f"{lines}\n"), encoding="utf-8")
    usual = findings(MACHINE, pool)
    found = findings(file, pool)
    assert found.keys() - usual.keys() == {rule_id, *beside}
    assert pool in found[rule_id]


@pytest.mark.parametrize("pool", ["fast", "tank"])
def test_that_the_good_machine_breaks_no_rule_on_pools_that_exist(pool: str) -> None:
    assert not [rule for rule in findings(MACHINE, pool) if rule.startswith("existing.")]


def test_that_an_expanded_pool_is_recorded() -> None:
    pools = answer_of("audit", "--from", str(FOLDER / "expanded.capture"))["pools"]
    assert {found["rule"] for pool in pools for found in pool["findings"]} >= RECORDED


def test_that_no_rule_on_pools_that_exist_is_left_out() -> None:
    book = load_rules()
    assert {rule.id for rule in book.rules if rule.scope is Scope.EXISTING} == PRINTED.keys() | RECORDED | UNREAD


def test_that_a_threshold_is_the_rule_book_s_and_not_the_program_s(tmp_path: Path) -> None:
    """A quota used by 89 %, vdevs that differ by 49 %, and 0.9 % that a pool could grow by: nothing is said."""
    file = tmp_path / "printed.capture"
    text = GOOD.replace("tank/home\tused\t196416\t-", "tank/home\tused\t47781511168\t-", 1)
    file.write_text(text.replace("tank\texpandsize\t-\t-", "tank\texpandsize\t323926433464\t-", 1), encoding="utf-8")
    found = findings(file, "tank")
    assert "existing.quota-near" not in found
    assert "existing.not-expanded" not in found
    keys = {limit.key for limit in load_rules().limits}
    assert {f"existing.{name}" for name in
            ("most_quota_percent", "uneven_percent", "expandable_percent", "most_root_bytes")} <= keys  # fmt: skip
