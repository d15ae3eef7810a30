"""Scripts in another language: their texts are told and quoted, and what they run is the same to the byte."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import pytest
from tests.emit.exported import KEYS, context_of
from tests.emit.functions import check_shell
from tests.emit.machines import macblog_design
from tests.emit.pretend import STAMP, Machine, machine_for, script_for, small_design
from tests.emit.test_script_text import large_design, text_of
from tests.emit.undoing import TYPED, both_pools, undo_for
from tests.texts.check import unmarked_in_shell

from poolwright import texts
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.emit.exports import export_text
from poolwright.emit.names import quote
from poolwright.emit.rehearsal import rehearsal_script
from poolwright.emit.script import fixed_part, fixed_part_sum, undo_script
from poolwright.emit.shell_texts import shell_in_language, shell_texts
from poolwright.languages import language

FILES = {
    path.name: path.read_text(encoding="utf-8")
    for path in resources.files("poolwright.emit").joinpath("shell").iterdir()
}
# These open a bracket that another closes.
WHOLE = sorted(FILES.keys() - {"00_begin.sh", "90_end.sh"})
# What would run, end a word or leave a comment if it stood in a script as it is.
NASTY = "\"; touch PWNED; ' $(touch PWNED) `touch PWNED` $HOME \\\n touch PWNED # "


class Nasty:
    """A language in which every text has around it what a shell takes for its own."""

    def gettext(self, message: str, /) -> str:
        return f"{NASTY}{message}{NASTY}" if message else message

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the form for ``n``."""
        return self.gettext(msgid1 if n == 1 else msgid2)


class Few:
    """A language of a few texts; ``every`` is what all others are."""

    def __init__(self, found: dict[str, str], every: str | None = None) -> None:
        self.found, self.every = found, every

    def gettext(self, message: str, /) -> str:
        return self.found.get(message, message if self.every is None else self.every)

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the form for ``n`` where it is known."""
        return self.gettext(msgid1 if n == 1 else msgid2)


@contextmanager
def told_in(catalogue: texts.Translations | None) -> Iterator[None]:
    texts.use(catalogue)
    try:
        yield
    finally:
        texts.use(None)


def undo_of(design: Design) -> str:
    return undo_script(design, STAMP)


def as_bash_reads(code: str) -> str:
    """Return shell code as bash prints it again: without its comments."""
    function = f"code() {{\n{code}\n}}\ndeclare -f code"
    return subprocess.run(["bash", "-c", function], capture_output=True, check=True).stdout.decode(errors="replace")


def designed(script: str) -> list[str]:
    """Return what the function ``design`` of a script holds but its comments: disks, commands, sizes, spellings.

    What a rehearsal says that it leaves out is told.
    """
    body = re.search(r"^design\(\) \{\n(.*?)^\}\n", script, re.DOTALL | re.MULTILINE)
    assert body is not None
    lines = (line.partition(" # ")[0] for line in body.group(1).splitlines())
    return [line for line in lines if line.strip() and not line.lstrip().startswith(("#", "left_out "))]


@pytest.mark.parametrize("name", sorted(FILES))
def test_that_bash_finds_the_same_texts_in_a_file_as_the_program(name: str) -> None:
    listed = subprocess.run(
        ["bash", "-D"], input=FILES[name].encode(), capture_output=True, check=False
    ).stdout.decode()
    marked = [FILES[name][text.start + 1 : text.end] for text in shell_texts(FILES[name]) if not text.is_comment]
    assert sorted("\n".join(marked).split('"\n"')) == sorted(listed.rstrip("\n").split('"\n"'))


def test_that_values_of_one_name_stay_apart_and_are_numbered_from_two() -> None:
    (text,) = shell_texts('echo $"${disk[0]} and ${disk[1]}, $disk, then ${disk[0]} again"\n')
    assert text.text == "{disk} and {disk_2}, {disk_3}, then {disk} again"
    assert text.values == (("disk", "${disk[0]}"), ("disk_2", "${disk[1]}"), ("disk_3", "$disk"))


@pytest.mark.parametrize("name", sorted(FILES))
def test_that_a_file_stays_as_it_is_in_english_but_for_the_marks(name: str) -> None:
    assert shell_in_language(FILES[name]) == FILES[name].replace('$"', '"')
    for empty in (Few({}), Few({}, every=" ")):
        with told_in(empty):
            assert shell_in_language(FILES[name]) == FILES[name].replace('$"', '"')


@pytest.mark.parametrize("name", WHOLE)
def test_that_only_quoted_texts_and_comments_differ_in_another_language(name: str) -> None:
    word, masked, at = "$'\\n'".join(quote(line) for line in NASTY.split("\n")), "", 0
    for text in shell_texts(FILES[name]):
        masked += FILES[name][at : text.start] + ("#" if text.is_comment else word)
        at = text.end
    with told_in(Few({}, every=NASTY)):
        told = shell_in_language(FILES[name])
    assert told != FILES[name]
    assert as_bash_reads(told) == as_bash_reads(masked + FILES[name][at:])


@pytest.mark.slow
@pytest.mark.parametrize("code", ["de", "zh_CN"])
@pytest.mark.parametrize("design", [small_design, large_design, macblog_design])
def test_that_a_script_of_a_language_has_the_commands_of_the_english_one(
    design: Callable[[], Design], code: str, tmp_path: Path
) -> None:
    path, writes = tmp_path / "script.sh", (text_of, undo_of, lambda design: rehearsal_script(design, STAMP))
    for write in writes:
        english = write(design())
        with told_in(language(code)):
            told = write(design())
        assert designed(told) == designed(english)
        path.write_text(told, encoding="utf-8")
        check_shell(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "design", "least"),
    [
        *((written, design, 1000) for written in (text_of, undo_of) for design in (small_design, large_design)),
        *((written, macblog_design, 1000) for written in (text_of, undo_of)),
        (lambda design: rehearsal_script(design, STAMP), macblog_design, 200),
    ],
)
def test_that_no_translation_changes_what_a_script_writes(
    design: Callable[[], Design], written: Callable[[Design], str], least: int, tmp_path: Path
) -> None:
    english = written(design())
    with told_in(Nasty()):
        told = written(design())
    assert designed(told) == designed(english)
    assert told.count("touch PWNED") > least
    path = tmp_path / "script.sh"
    path.write_text(told, encoding="utf-8")
    check_shell(path)


def in_both(make: Callable[[Path], Machine], script: Callable[[Machine], str], folder: Path, **how: str) -> str:
    """Run a script in each language and in the nasty one: return what the last told; all ran the same commands."""
    ran = []
    for name, told in (("english", None), ("de", language("de")), ("zh", language("zh_CN")), ("nasty", Nasty())):
        machine = make(folder / name)
        texts.use(told)
        try:
            text = script(machine)
        finally:
            texts.use(None)
        result = machine.run(text, *how.get("arguments", "").split(), typed=how["typed"])
        # Tools in a pipe are called in any order; those that write are not.
        calls, written = (
            [[word.replace(str(machine.root), "") for word in call] for call in found]
            for found in (sorted(result.calls), [*result.rehearsals(), *result.changes()])
        )
        ran.append((result.status, calls, written))
        assert not list(folder.rglob("*PWNED*"))
    assert all(each == ran[0] for each in ran)
    assert ran[0][0] == 0, result.text
    assert len(ran[0][2]) > 4
    return result.text


@pytest.mark.slow
def test_that_a_script_creates_the_same_in_any_language(tmp_path: Path) -> None:
    told = in_both(
        lambda folder: machine_for(small_design(), folder),
        lambda machine: script_for(small_design(), machine),
        tmp_path,
        typed="tank\n",
    )
    assert f"{NASTY}Type the name of the pool to go on:{NASTY}" in told
    assert f"{NASTY}Done: as designed: tank{NASTY}" in told
    assert f"{NASTY}Checking 3 disks{NASTY}" in told


@pytest.mark.slow
def test_that_an_undo_takes_back_the_same_in_any_language(tmp_path: Path) -> None:
    told = in_both(both_pools, lambda machine: undo_for(macblog_design(), machine), tmp_path, typed=TYPED)
    assert f"{NASTY}Undone: tank rest. The disks are empty.{NASTY}" in told


@pytest.mark.parametrize("key", KEYS)
def test_that_every_export_is_written_in_any_language(key: str) -> None:
    design = small_design()
    with told_in(Nasty()):
        try:
            told = export_text(key, design, context_of(design))
        except Refusal as error:
            told = " ".join(error.reasons)
    assert "touch PWNED" in told
    if key in ("ansible", "disko", "fio", "advice"):
        assert not [line for line in told.splitlines() if line.lstrip().startswith("touch")]


def test_that_each_language_has_its_own_fixed_part_with_its_own_sum() -> None:
    english = fixed_part("create"), fixed_part_sum("create")
    with told_in(Few({"Interrupted.": "Abgebrochen."})):
        assert "say Abgebrochen.\n" in fixed_part("create")
        assert fixed_part_sum("create") != english[1]
    assert (fixed_part("create"), fixed_part_sum("create")) == english


def test_that_values_and_forms_stand_where_the_translation_has_them() -> None:
    source = (
        'f() { # NAME: what it says\n  # all of\n  # it\n  say $"The log $log of $1 is full: $log"\n'
        '  say "$(counted "$n" $"Refused: 1 problem." $"Refused: $n problems.")"\n}\n'
    )
    words = {
        "The log {log} of {value_1} is full: {log}": "Von {value_1}: „{log}“ ist voll",
        "Refused: 1 problem.": "Abgelehnt: 1 Hindernis.",
        "Refused: {n} problems.": "Abgelehnt: {n} Hindernisse.",
        "all of it": "alles",
        "NAME: what it says": "NAME: was es\nsagt",
    }
    with told_in(Few(words)):
        told = shell_in_language(source)
    assert told.splitlines() == [
        "f() { # NAME: was es sagt",
        "  # alles",
        "  say 'Von '\"$1\"" + quote(": „") + '"$log"' + quote("“ ist voll"),
        "  say \"$(counted \"$n\" 'Abgelehnt: 1 Hindernis.' 'Abgelehnt: '\"$n\"' Hindernisse.')\"",
        "}",
    ]


def test_that_a_translation_cannot_name_a_value_that_is_not_there() -> None:
    with told_in(Few({"the log {log}": "das Log {disk}"})), pytest.raises(KeyError):
        shell_in_language('say $"the log $log"\n')


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ('say "the disk $disk is full"', ["not marked"]),
        ('say $"the disk $(name $"of it") is full"', ["a text within a text"]),
        ("printf 'the disk %s is full\\n' x", ["not marked"]),
        ('say $"the disk $disk is full"; [ "$a" = "destroy $pool with its data" ] && run "$a/$b"', []),
    ],
)
def test_that_a_text_of_a_shell_file_which_is_not_marked_is_found(source: str, what: list[str]) -> None:
    assert [fault.what for fault in unmarked_in_shell(f"{source}\n", "x.sh")] == what
