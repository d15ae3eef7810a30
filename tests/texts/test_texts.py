"""Texts in the chosen language, the tool that finds them, and the check that none is forgotten."""

import ast
import gc
import gettext
import io
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from tests.cases import cases, table
from tests.texts.brackets import in_brackets
from tests.texts.check import check, compared, faults_of_marks, unmarked
from tests.texts.extract import ROOT, of_program
from tests.texts.extract import texts as extracted

from poolwright import texts
from poolwright.cli.main import run
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.emit.report import Report, html_text
from poolwright.machine.examples import load_example
from poolwright.rule_library import load_rules
from poolwright.table_library import load_shipped_tables
from poolwright.texts import N_, _, ngettext


@pytest.fixture
def german() -> Iterator[None]:
    """Tell a few texts in German, from a file as the tools of translators write it."""
    catalog = Catalog(locale="de")
    catalog.add("{disks} of {pool}", "{disks} aus {pool}")
    catalog.add(("{count} disk", "{count} disks"), ("{count} Platte", "{count} Platten"))
    catalog.add("spare", "Reserve")
    file = io.BytesIO()
    write_mo(file, catalog)
    file.seek(0)
    texts.use(gettext.GNUTranslations(file))
    yield
    texts.use(None)


def test_that_texts_are_told_as_they_stand_without_a_language() -> None:
    assert _("{disks} of {pool}", disks=3, pool="tank") == "3 of tank"
    assert _("an example is { a = 1 }") == "an example is { a = 1 }"
    assert [ngettext("{count} disk", "{count} disks", n) for n in (0, 1, 1200)] == ["0 disks", "1 disk", "1,200 disks"]


def test_that_a_rounded_size_is_told_as_such_and_known_as_such_in_every_language() -> None:
    with in_brackets():
        rounded = Origin(kind=OriginKind.READ, source="lsblk").as_rounded()
        assert (rounded.source, rounded.rounded) == ("lsblk (rounded)", True)
        assert str(rounded) == "⟦⟧⟦lsblk⟧⟦ (rounded)⟧"
    assert str(rounded.as_rounded()) == "lsblk (rounded)"


def test_that_texts_are_told_in_the_chosen_language(german: None) -> None:
    assert _("{disks} of {pool}", disks=3, pool="tank") == "3 aus tank"
    assert [ngettext("{count} disk", "{count} disks", n) for n in (1, 2)] == ["1 Platte", "2 Platten"]
    assert _(N_("spare")) == "Reserve"
    assert _("a text that nobody translated") == "a text that nobody translated"


def faults(source: str) -> list[str]:
    tree = ast.parse(source)
    found = [*faults_of_marks(tree, "x.py"), *unmarked(tree, source.splitlines(), "x.py"), *compared({"x.py": tree})]
    return [fault.what for fault in found]


@pytest.mark.parametrize(("source", "what"), cases(__file__, "faulty"))
def test_that_a_text_which_no_translator_would_find_is_told(source: str, what: str) -> None:
    assert faults(source) == ([what] if what else [])


@pytest.mark.parametrize("source", table(__file__, "sound"))
def test_that_what_is_marked_or_for_machines_is_let_pass(source: str) -> None:
    assert faults(source) == []


@pytest.mark.slow  # `make check` looks first
def test_that_every_text_of_the_rooms_that_are_held_is_marked() -> None:
    assert check() == []


@pytest.fixture(scope="module")
def found() -> Catalog:
    """Return every text of the program and of the rules, looked for once."""
    return extracted()


@pytest.mark.slow
def test_that_every_text_is_in_the_file_for_translators(found: Catalog) -> None:
    assert len(found) > 3000
    plural = found.get("{count} rule has “{word}”.")
    assert plural is not None
    assert plural.id == ("{count} rule has “{word}”.", "{count} rules have “{word}”.")
    assert "python-brace-format" in plural.flags
    file = io.BytesIO()
    write_po(file, found)
    file.seek(0)
    assert {message.id for message in read_po(file)} == {message.id for message in found}


def test_that_a_text_in_the_arguments_of_another_is_found() -> None:
    source = 'def f(a):\n    return _("{a} of {b}", a=a, b=_("it")), f"{_(\'so\')}"'
    assert [text for __, text in of_program(source)] == ["{a} of {b}", "it", "so"]


@pytest.mark.slow
def test_that_what_a_person_reads_of_a_rule_is_in_the_file(found: Catalog) -> None:
    book = load_rules(with_own=False)
    assert all(rule.title in found for rule in book.rules)


_BY_HAND = re.compile(r'\b_\(\s*"[^"]*\b1 [a-z]+[^"]*"\s*\)\s+if [^\n]* == 1\b|"\{count\} (?:more|unused)"')


def test_that_one_and_several_are_told_by_the_form_that_groups_their_digits() -> None:
    # `ngettext` says 1 disk and 2,000 disks; an "== 1" by hand says 2000 disks, and no language has its forms.
    # Years are told as they are typed, with a fraction.
    program = Path(texts.__file__).parent
    found = {
        str(path.relative_to(program)): match[0]
        for path in program.rglob("*.py")
        for match in _BY_HAND.finditer(path.read_text(encoding="utf-8"))
        if "1 year" not in match[0]
    }
    assert found == {}


def test_that_html_names_the_language_that_it_is_told_in() -> None:
    report = Report(title="A report", subtitle="", blocks=(), foot="")
    assert '<html lang="en">' in html_text(report)
    with in_brackets():
        assert '<html lang="⟦en⟧">' in html_text(report)


def test_that_a_text_told_before_is_known_again_in_english_and_in_the_language_now() -> None:
    told_in_english = texts._("the size is in doubt")
    with in_brackets():
        assert texts.says(told_in_english, "the size is in doubt")
        assert texts.says(texts._("the size is in doubt"), "another", "the size is in doubt")
        assert not texts.says("another", "the size is in doubt")


def told_in(cache: object) -> bool:
    """Tell whether what a cache of functools holds, at any depth, has a text in brackets."""
    seen, waiting = set[int](), [held for held in gc.get_referents(cache) if not callable(held)]
    while waiting:
        held = waiting.pop()
        if isinstance(held, str) and "⟦" in held:
            return True
        inner = isinstance(held, tuple | list | dict | frozenset | set) or type(held).__module__.startswith(
            "poolwright"
        )
        if inner and id(held) not in seen and not isinstance(held, type):
            seen.add(id(held))
            waiting += gc.get_referents(held)
    return False


@pytest.mark.slow
def test_that_what_remembers_told_texts_forgets_them_with_the_language() -> None:
    with in_brackets():
        for command in ("recommend --disks '6 x 8TB' --goal safety", "buy --money '900 USD' --bays 3"):
            with redirect_stdout(io.StringIO()):
                assert run(shlex.split(command)) == 0
        caches = {
            id(value): value
            for name, module in tuple(sys.modules.items())
            if name.startswith("poolwright.")
            for value in vars(module).values()
            if hasattr(value, "cache_info")
        }
        holding = [cache for cache in caches.values() if told_in(cache)]
    assert len(holding) > 5
    assert [f"{cache.__module__}.{cache.__name__}" for cache in holding if cache.cache_info().currsize] == []


@pytest.mark.slow
def test_that_what_a_person_reads_of_tables_and_example_machines_is_in_the_file() -> None:
    found, tables = extracted(), load_shipped_tables().tables
    assert all(table.title in found and table.short in found for table in tables)
    assert all(column.means in found for table in tables for column in table.columns)
    machine = load_example("thesis", (ROOT / "resources" / "machines" / "thesis.toml").read_text(encoding="utf-8"))
    noted = (*machine.notes, *(note for disk in machine.disks for note in disk.notes))
    assert all(note.text in found for note in noted)
