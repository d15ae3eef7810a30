"""Loading: every error of every file at once, with file and line."""

import re

import pytest
from tests.cases import table
from tests.rules.machines import load_rule_book

from poolwright import paths
from poolwright.domain.finding import Outcome
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.rulebook import PropertyRule, Rule, RuleBook, explain_rule
from poolwright.rules.texts import RuleErrors

LIMITS: str = table(__file__, "limits")
RULE: str = table(__file__, "rule")
PROPERTY: str = table(__file__, "property")


def _load(text: str, limits: str = LIMITS, **more: object) -> RuleBook:
    return load_rule_book({"test.toml": text}, limits=limits, **more)


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
    ("old", "new", "words"),
    [
        ("vdev.width = 8", "vdev.width = 12", "example 2: says holds, but gives violated"),
        (", vdev.width = 8", "", "example 2: “vdev.width” is missing"),
        ('sources  = [{ document = "a book" }]\n', "", "“sources” is missing"),
    ],
)
def test_that_what_is_wrong_with_a_whole_rule_is_told_at_its_first_line(old: str, new: str, words: str) -> None:
    assert _problems(RULE.replace(old, new)) == [f"test.toml:4: test.wide: {words}"]


def test_that_rules_in_one_list_are_told_at_their_lines() -> None:
    assert "test.toml:3: b: “basis” is missing" in _problems('rule = [\n{ id = "a" },\n{ id = "b" }]')


@pytest.mark.parametrize(
    ("field", "like"),
    [
        ('goals = "safety"', '["..."]'),
        ("goals = [3]", '["..."]'),
        ('needs = ["vdev.width", 3]', '["..."]'),
        ("unknown = 3", '"..."'),
    ],
)
def test_that_what_a_field_must_look_like_is_told_at_its_line(field: str, like: str) -> None:
    told = _problems(RULE.replace('"measured"', f'"measured"\n{field}'))
    assert told == [f"test.toml:10: test.wide: “{field.partition(' ')[0]}” must look like {like}"]


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
    with pytest.raises(RuleErrors, match=r"b\.toml:5: test\.wide: “test.wide” is taken already, in a\.toml:4"):
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
    limit = book.limits["width.most"]
    assert (limit.value, limit.users_own) == (10, True)
    with pytest.raises(RuleErrors, match="there is no limit"):
        load_rule_book({}, limits=LIMITS, own_limits=changed.replace("width.most", "width.least"))
    with pytest.raises(RuleErrors, match="taken already"):
        load_rule_book({}, limits=LIMITS, own_limits=changed + changed.partition("\n")[2])


def test_that_a_text_nested_too_deep_is_no_toml() -> None:
    assert "test.toml:1: no valid TOML: maximum recursion" in _problems("a = " + "[" * 5000 + "]" * 5000)[0]


def test_that_a_limit_that_is_no_finite_number_is_refused() -> None:
    for value in ("nan", "-3", "1e300", "9" * 400):
        assert "“value” must look like 8" in _problems(RULE, limits=LIMITS.replace("value = 8", f"value = {value}"))[0]


def test_that_a_limit_given_twice_is_refused() -> None:
    assert any("taken already" in p for p in _problems(RULE, LIMITS + LIMITS.split("\n", 1)[1]))


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
    assert any("“target” must look like" in p for p in _problems(PROPERTY.replace("dataset.atime", target)))


def test_that_facts_may_be_named_in_quotes_too() -> None:
    quoted = RULE.replace("vdev.kind = ", '"vdev.kind" = ').replace("vdev.width = ", '"vdev.width" = ')
    assert _load(quoted).rules[0].examples == _load(RULE).rules[0].examples


def test_that_a_limit_may_cite_only_tables_that_exist() -> None:
    cited = LIMITS + 'sources = [{ table = "rates.csv" }]\n'
    assert "limits.toml:8: there is no table “rates.csv” in rules/tables" in _problems(RULE, cited)
    limit = _load(RULE, cited, tables=["rates.csv"]).limits["width.most"]
    assert limit is not None
    assert [source.ref for source in limit.sources] == ["rates.csv"]


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_that_a_site_may_change_every_shipped_limit(factor: float) -> None:
    folder = paths.rules_folder()
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.toml")}
    limits, tables = files.pop("limits.toml"), [path.name for path in (folder / "tables").glob("*.csv")]
    changed = re.sub(r"(?m)^(value\s*=\s*)([0-9.e]+)", lambda m: f"{m[1]}{float(m[2]) * factor:g}", limits)
    book = load_rule_book(files, limits=limits, tables=tables, own_limits=changed)
    assert all(limit.users_own for limit in book.limits.values())


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
