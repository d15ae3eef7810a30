"""The command line in another language: people read it told, programs read what they always read."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.cases import table
from tests.cli.schemas import kinds
from tests.texts.brackets import bare, in_brackets, outside, told_in

from poolwright import texts
from poolwright.cli import main
from poolwright.cli.main import COMMANDS, build_parser, run
from poolwright.design.blast import State
from poolwright.design.candidate import AnswerName
from poolwright.design.roles.verdicts import Verdict
from poolwright.design.support import Role
from poolwright.domain.disk import Health, UseKind
from poolwright.domain.estimate import OriginKind
from poolwright.domain.finding import Severity
from poolwright.domain.workload import Goal
from poolwright.predict.synclog_model import Commit, Placement
from poolwright.rules.rulebook import RuleBasis, Scope

# The first answer of each kind that needs no file and holds no script, and two that fail.
_ANSWERS = (
    *(
        shlex.split(lines[0])
        for command, of in kinds().items()
        for lines in of.values()
        if "{" not in lines[0] and command not in ("script", "bench")
    ),
    ["recommend", "--disks", "1 x 8TB", "--goal", "safety", "--survive", "2"],
    ["capacity", "--vdev", "raidz9:8x6TB"],
)
# The key of a design that was made for the answer.
_KEY = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


@pytest.fixture
def bracketed() -> Iterator[None]:
    with in_brackets():
        yield


def printed(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    run(argv)
    return _KEY.sub("KEY", capsys.readouterr().out)


def keys_of(value: object) -> Iterator[str]:
    """Yield the keys of a document, of all that is in it too."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


@pytest.mark.slow
@pytest.mark.parametrize("argv", _ANSWERS, ids=" ".join)
def test_that_programs_read_the_same_in_every_language(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    english = printed([*argv, "--json"], capsys)
    for code, told in (("", "⟦disk⟧"), ("de", "Platte"), ("zh_CN", "磁盘")):
        with told_in(code):
            assert printed([*argv, "--json"], capsys) == english
            assert texts._("disk") in (told, "disk" if code == "zh_CN" else told)


def test_that_the_environment_names_the_language_of_a_command(tmp_path: Path) -> None:
    told = {}
    for lang in ("de_DE.UTF-8", "C.UTF-8"):
        environment = {**os.environ, "LANG": lang, "HOME": str(tmp_path)}
        for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
            environment.pop(name, None)
        command = (sys.executable, "-m", "poolwright", "capacity", "--vdev", "raidz2:8x6TB")
        told[lang] = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "nutzbar" in told["de_DE.UTF-8"]
    assert "30,9 TiB" in told["de_DE.UTF-8"]
    assert "30.9 TiB" in told["C.UTF-8"]


@pytest.mark.slow
@pytest.mark.parametrize("argv", _ANSWERS, ids=" ".join)
def test_that_no_answer_rests_on_the_words_of_a_language(
    argv: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    english = printed([*argv, "--json"], capsys)
    monkeypatch.setattr(main, "in_english", nullcontext)
    with in_brackets():
        told = printed([*argv, "--json"], capsys)
    assert not [key for key in keys_of(json.loads(told)) if "⟦" in key]
    assert bare(told).lower() == english.lower()  # a text in brackets does not begin with a letter to be raised


@pytest.mark.parametrize("command", COMMANDS)
def test_that_the_help_of_every_option_is_told(bracketed: None, command: str) -> None:
    of_command = next(
        action.choices[command]
        for action in build_parser(command)._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    silent = [
        action.option_strings or action.dest
        for action in of_command._actions
        if action.dest not in ("help", "command") and not str(action.help).startswith("⟦")
    ]
    assert silent == []
    assert "⟦" in str(of_command.description)


_WORDS = (
    Goal, Role, Verdict, Severity, RuleBasis, Scope, State, AnswerName, OriginKind, Health, UseKind, Commit, Placement,
)  # fmt: skip
_GLUE = ("unknown", "yes", "no", "and", "or", "to", "typed disks", "disks", "network", "under", "hours", "calibrated")
_UNTOLD = re.compile(
    rf"(?<![\w=./-])(?:{'|'.join((*(value for kind in _WORDS for value in kind), *_GLUE))})(?![\w=./-])"
)
_PRINTED = table(__file__, "printed")


@pytest.mark.slow
@pytest.mark.parametrize("argv", _PRINTED, ids=" ".join)
def test_that_the_values_in_what_is_printed_are_told_too(
    argv: list[str], bracketed: None, capsys: pytest.CaptureFixture[str]
) -> None:
    run(argv)
    said = capsys.readouterr()
    told = (line for line in outside(said.out + said.err).splitlines() if "poolwright " not in line)  # no command
    lines = [line for line in told if not line.startswith("      ")]
    assert {line: found for line in lines if (found := _UNTOLD.findall(line))} == {}


@pytest.mark.slow
def test_that_what_recommend_prints_is_told(bracketed: None, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(["recommend", "--example", "thesis", "--goal", "safety"], capsys).splitlines()
    # A text and a snippet may run over several lines; those of commands and files stand further in.
    inside, silent = False, []
    for line in lines:
        if not inside and "⟦" not in line and not line.startswith("      ") and re.search("[A-Za-z]{3}", line):
            silent.append(line)
        inside = ((inside or "⟦" in line) and line.rfind("⟦") > line.rfind("⟧")) or (inside and "⟧" not in line)
    assert silent == []
