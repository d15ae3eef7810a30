"""Advice for the host below the script: comments and nothing else, whatever it holds."""

import subprocess
import sys
from pathlib import Path

from tests.emit.pretend import small_design

from poolwright.domain.design import HostAdvice
from poolwright.domain.finding import Source
from poolwright.emit.host_notes import with_host_advice
from poolwright.emit.script import guarded_script
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


def _script() -> str:
    return guarded_script(small_design(), generated_at="2026-11-20 10:00 UTC", program_version="0.1.0")


def _added(advice: tuple[HostAdvice, ...]) -> str:
    script = _script()
    text = with_host_advice(script, advice)
    assert text.startswith(script.rstrip())
    return text[len(script.rstrip()) :]


def test_that_the_advice_of_the_shipped_rules_is_what_is_written() -> None:
    advice = advice_for(load_rules(with_own=False), small_design())
    assert _added(advice) == GOLDEN.read_text(encoding="utf-8")


def test_that_every_line_added_is_a_comment_or_empty() -> None:
    lines = _added((HOSTILE,)).splitlines()
    assert all(not line or line.startswith("# ") or line == "#" for line in lines)
    assert len(lines) > 5


def test_that_bash_and_shellcheck_take_it_and_no_directive_hides_in_it(tmp_path: Path) -> None:
    path = tmp_path / "script.sh"
    path.write_text(with_host_advice(_script(), (HOSTILE,)) + "echo $unquoted\n", encoding="utf-8")
    subprocess.run(["bash", "-n", path], check=True)
    shellcheck = Path(sys.executable).parent / "shellcheck"
    done = subprocess.run([shellcheck, path], stdout=subprocess.PIPE, text=True, check=False)
    assert "SC2086" in done.stdout  # the advice did not switch the check off
    assert done.stdout.count("SC2086") == 1 + done.stdout.count("shellcheck.net/wiki/SC2086")
    path.write_text(with_host_advice(_script(), (HOSTILE,)), encoding="utf-8")
    assert subprocess.run([shellcheck, path], stdout=subprocess.PIPE, text=True, check=False).stdout == ""


def test_that_without_advice_the_script_stays_as_it_is() -> None:
    assert with_host_advice(_script(), ()) == _script()
