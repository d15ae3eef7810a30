"""Loading: every error of every file at once, with file and line."""

import re

import pytest

from poolwright import paths
from poolwright.domain.finding import Outcome
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.load import load_rule_book
from poolwright.rules.model import PropertyRule, Rule, RuleBook, explain_rule
from poolwright.rules.texts import RuleErrors

LIMITS = """schema = 1
[[limit]]
key = "width.most"
value = 8
unit = "disks"
basis = "convention"
why = "because"
"""
RULE = """schema = 1
topic = "test"

[[rule]]
id       = "test.wide"
title    = "Too wide"
scope    = "data_vdev"
severity = "warn"
basis    = "measured"
when     = 'vdev.kind == "raidz"'
holds    = 'vdev.width <= limit.width.most'
text     = "{vdev.label} has {vdev.width} disks, more than {limit.width.most}."
why      = "It is slow."
advice   = "Split it."
weight   = { speed = 2.0 }
sources  = [{ document = "a book" }]
examples = [
  { violated = { vdev.kind = "raidz", vdev.width = 9 } },
  { holds = { vdev.kind = "raidz", vdev.width = 8 } },
]
"""
PROPERTY = """schema = 1
[[property]]
id     = "test.atime"
title  = "No access times"
target = "dataset.atime"
basis  = "documented"
value  = '"off"'
text   = "no writes for reads"
sources = [{ man = "zfsprops(7)" }]
examples = [{ holds = {}, value = "off" }]
"""


def _load(text: str, limits: str = LIMITS, **more: object) -> RuleBook:
    return load_rule_book({"test.toml": text}, limits=limits, **more)  # type: ignore[arg-type]


def _problems(text: str, limits: str = LIMITS, **more: object) -> list[str]:
    with pytest.raises(RuleErrors) as caught:
        _load(text, limits, **more)
    return [str(problem) for problem in caught.value.problems]


def _line_of(text: str, start: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), start=1) if line.strip().startswith(start))


def test_that_a_sound_rule_is_loaded_with_all_it_says() -> None:
    rule = _load(RULE).rules[0]
    assert (rule.id, rule.reads, rule.limits, rule.shows) == (
        "test.wide",
        ("vdev.kind", "vdev.width"),
        ("width.most",),
        ("vdev.label",),
    )
    assert (rule.weight, rule.line, rule.file) == ((("speed", 2.0),), 4, "test.toml")
    assert [example.outcome for example in rule.examples] == [Outcome.VIOLATED, Outcome.HOLDS]


@pytest.mark.parametrize(
    ("old", "new", "words", "at"),
    [
        ("vdev.width <=", "vdev.width ** 2 <=", "“vdev.width ** 2” is refused", "holds"),
        ('vdev.kind == "raidz"', 'vdev.kind =~ "raidz"', "is not understood", "when"),
        ("limit.width.most", "max(3)", "“max(3)” is refused", "holds"),
        ("limit.width.most'", "limit.width.least'", "there is no limit “width.least”", "holds"),
        ("vdev.width <=", "vdev.widht <=", "did you mean “vdev.width”?", "holds"),
        ("vdev.width <=", "vdev.io_stored_percent <=", "is not listed in `needs`", "holds"),
        ("{vdev.width} disks", "{vdev.breadth} disks", "“{vdev.breadth}” is not a fact", "text"),
        ("{vdev.label} has", "{vdev.label:size} has", "is no number", "text"),
        ("{vdev.width} disks", "{vdev.width:furlongs} disks", "is not a format", "text"),
        ("{vdev.width} disks", "{vdev.width:disk|}", "is not a format", "text"),
        ("{vdev.width} disks", "{vdev.width:disk|disks|more}", "is not a format", "text"),
        ("{vdev.label} has", "{vdev.label:one|more} has", "is no number", "text"),
        ("{limit.width.most}", "{limit.width.least}", "there is no limit", "text"),
        ('severity = "warn"', 'severity = "bad"', "“bad” is not a severity", "severity"),
        ('basis    = "measured"', 'basis    = "felt"', "“felt” is not a basis", "basis"),
        ('scope    = "data_vdev"', 'scope    = "shelf"', "“shelf” is not a scope", "scope"),
        ('why      = "It is slow."', 'because  = "It is slow."', "“because” is not a key here", "because"),
        ("weight   = { speed = 2.0 }", "weight   = { joy = 2.0 }", "“joy” is not a term", "weight"),
        ("weight   = { speed = 2.0 }", "weight   = { speed = -1 }", "above 0", "weight"),
        ("weight   = { speed = 2.0 }", "weight   = { speed = nan }", "above 0", "weight"),
        ("weight   = { speed = 2.0 }", "weight   = { speed = inf }", "above 0", "weight"),
        ('document = "a book"', 'rumour = "a book"', "“rumour” is not a key here", "sources"),
        ('document = "a book"', 'note = "a book"', "exactly one of table, document", "sources"),
        ('document = "a book"', 'man = "m", document = "d"', "exactly one of table, document", "sources"),
        ('document = "a book"', 'table = "a book"', "there is no table “a book”", "sources"),
        ('[{ document = "a book" }]', '["a book"]', "must be a list of tables", "sources"),
        ("{ holds =", "{ violated =", "another outcome than violated is missing", "[[rule]]"),
        ("{ violated =", "{ holds =", "the outcome violated is missing", "[[rule]]"),
        ("{ violated =", "{ broken =", "“broken” is not a key here", "{ broken"),
        ('{ vdev.kind = "raidz", vdev.width = 8 }', "8", "facts are missing", "{ holds"),
        ("vdev.width = 9 }", 'vdev.width = 9 }, value = "9"', "has no value", "{ violated"),
        ("vdev.width = 9", 'vdev.width = "9"', "a value of the wrong type", "{ violated"),
        ("vdev.width = 8", 'vdev.width = "8"', "a value of the wrong type", "{ holds"),
        ("vdev.width = 9", "vdev.breadth = 9", "“vdev.breadth”, which is not a fact", "{ violated"),
        ("vdev.width = 9", "vdev.width.all = 9", "a value of the wrong type", "{ violated"),
        ('id       = "test.wide"', 'id       = "Wide!"', "an id has", "id"),
        ("advice   =", 'needs = ["vdev.media"]\nadvice   =', "which no expression uses", "needs"),
        ("advice   =", 'needs = ["vdev.width"]\nadvice   =', "which is always known", "needs"),
        ("advice   =", 'since = "soon"\nadvice   =', "is not an OpenZFS version", "since"),
        ("advice   =", 'since = "2.3"\nuntil = "2.2"\nadvice   =', "later than", "until"),
        ("advice   =", 'goals = ["fun"]\nadvice   =', "“fun” is not a goal", "goals"),
    ],
)
def test_that_a_fault_is_told_with_its_line(old: str, new: str, words: str, at: str) -> None:
    text = RULE.replace(old, new, 1)
    assert text != RULE
    problems = _problems(text)
    assert any(words in problem and problem.startswith(f"test.toml:{_line_of(text, at)}: ") for problem in problems)


def test_that_an_example_that_comes_out_otherwise_is_told() -> None:
    text = RULE.replace("vdev.width = 8", "vdev.width = 12")
    assert _problems(text) == ["test.toml:4: test.wide: example 2 says holds, but the outcome is violated"]


def test_that_an_example_without_a_fact_that_is_always_known_is_told() -> None:
    text = RULE.replace(", vdev.width = 8", "")
    assert _problems(text) == ["test.toml:4: test.wide: example 2 does not give “vdev.width”, which is always known"]


def test_that_a_rule_without_source_is_refused() -> None:
    text = RULE.replace('sources  = [{ document = "a book" }]\n', "")
    assert _problems(text) == ["test.toml:4: test.wide: a source is missing"]


def test_that_all_errors_of_all_files_come_at_once() -> None:
    broken = RULE.replace('"warn"', '"bad"').replace('"measured"', '"felt"')
    with pytest.raises(RuleErrors) as caught:
        load_rule_book(
            {"a.toml": broken, "b.toml": "schema = 1\n[[rule", "c.toml": "schema = 2\n"},
            limits=LIMITS.replace("value = 8", 'value = "8"'),
        )
    places = [(problem.file, problem.line) for problem in caught.value.problems]
    assert {file for file, _ in places} == {"a.toml", "b.toml", "c.toml", "limits.toml"}
    assert ("a.toml", 8) in places
    assert ("a.toml", 9) in places
    assert ("b.toml", 2) in places
    assert ("limits.toml", 4) in places
    assert caught.value.exit_status == 2
    assert "a.toml:8: " in caught.value.text


def test_that_the_same_id_in_two_files_is_refused() -> None:
    with pytest.raises(RuleErrors, match=r"b\.toml:5: test\.wide: the id is taken already by a\.toml:4"):
        load_rule_book({"a.toml": RULE, "b.toml": RULE}, limits=LIMITS)


def test_that_lines_are_right_behind_a_text_that_looks_like_a_rule() -> None:
    text = RULE.replace('"It is slow."', '"""\n[[rule]]\nid = 3\n"""').replace('"warn"', '"bad"')
    text += RULE.split("\n", 3)[3].replace("test.wide", "test.two").replace('"measured"', '"felt"')
    lines = [problem.split(":")[1] for problem in _problems(text)]
    assert lines == [str(_line_of(text, "severity")), str(text.splitlines().index('basis    = "felt"') + 1)]


def test_that_a_users_own_rule_is_checked_alike_and_marked() -> None:
    own = RULE.replace("test.wide", "own.wide")
    book = load_rule_book({"test.toml": RULE}, limits=LIMITS, own_files={"mine.toml": own})
    assert [(rule.id, rule.users_own) for rule in book.rules] == [("test.wide", False), ("own.wide", True)]
    with pytest.raises(RuleErrors, match=r"mine\.toml"):
        load_rule_book({"test.toml": RULE}, limits=LIMITS, own_files={"mine.toml": own.replace("<=", "**")})


def test_that_a_user_may_change_a_limit_and_only_a_known_one() -> None:
    changed = LIMITS.replace("value = 8", "value = 10")
    book = load_rule_book({"test.toml": RULE}, limits=LIMITS, own_limits=changed, run_examples=False)
    limit = book.limit("width.most")
    assert limit is not None
    assert (limit.value, limit.users_own) == (10, True)
    with pytest.raises(RuleErrors, match="that could be changed"):
        load_rule_book({}, limits=LIMITS, own_limits=changed.replace("width.most", "width.least"))
    with pytest.raises(RuleErrors, match="given twice"):
        load_rule_book({}, limits=LIMITS, own_limits=changed + changed.partition("\n")[2])


def test_that_a_text_nested_too_deep_is_no_toml() -> None:
    assert _problems("a = " + "[" * 5000 + "]" * 5000) == ["test.toml:1: no valid TOML: it is nested too deep"]


def test_that_a_limit_that_is_no_finite_number_is_refused() -> None:
    for value in ("nan", "-3", "1e300", "9" * 400):
        assert "must be a number" in _problems(RULE, limits=LIMITS.replace("value = 8", f"value = {value}"))[0]


def test_that_a_limit_given_twice_is_refused() -> None:
    assert any("given twice" in p for p in _problems(RULE, LIMITS + LIMITS.split("\n", 1)[1]))


def test_that_a_version_without_patch_means_the_first_release() -> None:
    text = RULE.replace("advice   =", 'since = "2.2"\nuntil = "2.4"\nadvice   =')
    rule = _load(text).rules[0]
    assert (rule.since, rule.until) == (ZfsVersion(2, 2, 0), ZfsVersion(2, 4, 0))
    assert rule.applies_to(Goal.SAFETY, ZfsVersion(2, 3, 9))
    assert not rule.applies_to(Goal.SAFETY, ZfsVersion(2, 4, 0))
    assert not rule.applies_to(Goal.SAFETY, ZfsVersion(2, 1, 16))


def test_that_an_example_may_name_a_version() -> None:
    text = RULE.replace("advice   =", 'until = "2.2"\nadvice   =').replace(
        '{ holds = { vdev.kind = "raidz", vdev.width = 8 } }',
        '{ not-applicable = { version = "2.2", vdev.kind = "raidz", vdev.width = 9 } }',
    )
    assert len(_load(text).rules) == 1


@pytest.mark.parametrize("target", ["atime", "vdev.atime", "dataset.", "dataset.a b"])
def test_that_a_target_must_be_a_property_of_pool_or_dataset(target: str) -> None:
    assert any("is no target" in p for p in _problems(PROPERTY.replace("dataset.atime", target)))


def test_that_facts_may_be_named_in_quotes_too() -> None:
    quoted = RULE.replace("vdev.kind = ", '"vdev.kind" = ').replace("vdev.width = ", '"vdev.width" = ')
    assert _load(quoted).rules[0].examples == _load(RULE).rules[0].examples


def test_that_a_limit_may_cite_only_tables_that_exist() -> None:
    cited = LIMITS + 'sources = [{ table = "rates.csv" }]\n'
    assert "limits.toml:8: there is no table “rates.csv” in rules/tables" in _problems(RULE, cited)
    limit = _load(RULE, cited, tables=["rates.csv"]).limit("width.most")
    assert limit is not None
    assert [source.ref for source in limit.sources] == ["rates.csv"]


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_that_a_site_may_change_every_shipped_limit(factor: float) -> None:
    folder = paths.rules_folder()
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.toml")}
    limits, tables = files.pop("limits.toml"), [path.name for path in (folder / "tables").glob("*.csv")]
    changed = re.sub(r"(?m)^(value\s*=\s*)([0-9.e]+)", lambda m: f"{m[1]}{float(m[2]) * factor:g}", limits)
    book = load_rule_book(files, limits=limits, tables=tables, own_limits=changed)
    assert all(limit.users_own for limit in book.limits)


def test_that_examples_are_tried_with_the_limits_of_whoever_wrote_them() -> None:
    changed = LIMITS.replace("value = 8", "value = 4")
    load_rule_book({"test.toml": RULE}, limits=LIMITS, own_limits=changed)
    with pytest.raises(RuleErrors, match="example"):  # a shipped fault is found all the same
        load_rule_book({"test.toml": RULE}, limits=changed, own_limits=LIMITS)
    own = {"mine.toml": RULE.replace("test.wide", "own.wide")}
    with pytest.raises(RuleErrors, match="example"):
        load_rule_book({"test.toml": RULE}, limits=LIMITS, own_limits=changed, own_files=own)


def test_that_every_rule_and_property_can_be_explained(shipped: RuleBook) -> None:
    everything: tuple[Rule | PropertyRule, ...] = (*shipped.rules, *shipped.properties)
    for rule in everything:
        text = explain_rule(rule, shipped)
        assert rule.title in text
        assert "Source: " in text
