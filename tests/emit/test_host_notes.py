"""Advice for the host beside the script: comments and nothing else, whatever it holds."""

from pathlib import Path

from tests.emit.pretend import small_design

from poolwright.domain.design import HostAdvice
from poolwright.domain.finding import Source
from poolwright.domain.version import ZfsVersion
from poolwright.emit.exports import host_advice_text
from poolwright.judging import advice_for
from poolwright.rule_library import load_rules

GOLDEN = Path(__file__).parent / "golden" / "small_office_host.txt"
HOSTILE = HostAdvice(
    kind="command\ntouch /tmp/a",
    title="shellcheck disable=all\r\nrm -rf /",
    command="echo $(id) `id`\nrm -rf /\x1b[2J",
    reason="shellcheck source=/etc/shadow " + "long words " * 60,
    why="\u202e backwards \u2028 next line",
    sources=(Source(kind="man", ref="zfs(8)\nreboot"),),
)


def test_that_the_advice_of_the_shipped_rules_is_what_is_written() -> None:
    rules = load_rules(with_own=False)
    assert host_advice_text(("tank",), advice_for(rules, small_design())) == GOLDEN.read_text(encoding="utf-8")
    jobs = [piece.content for piece in advice_for(rules, small_design(version=ZfsVersion(2, 0, 7)))]
    assert "0 2 1 * * root PATH=/usr/sbin:/sbin zpool scrub tank" in jobs  # of cron.d, cron looks elsewhere


def test_that_every_line_is_a_comment() -> None:
    lines = host_advice_text(("tank",), (HOSTILE,)).splitlines()
    assert all(line.startswith("# ") or line == "#" for line in lines)
    assert len(lines) > 5


def test_that_a_design_without_advice_says_so() -> None:
    assert "There is no advice" in host_advice_text(("tank", "rest"), ())
