"""What a judge remembers from one layout to the next: the answer may be old, never a number in its words."""

from itertools import permutations

import pytest
from tests.cases import table
from tests.rules.machines import SIX_TB, disks, load_rule_book, premises

from poolwright.domain.finding import Finding
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec
from poolwright.rules.judge import Judge
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.rulebook import RuleBook

HEAD = 'schema = 1\ntopic = "test"\n'
RULE: str = table(__file__, "rule")
# Which of its facts decide a rule, and which are only in its words.
RULES = {
    "words-of-the-pool": ("pool", "pool.spares > 0", "{pool.data_disks} disks, {pool.usable_bytes:size}"),
    "width-in-words": ("pool", "pool.parity_data == False", "{pool.data_disks} disks"),
    "words-of-the-vdev": ("data_vdev", 'vdev.kind != "raidz"', "{vdev.total_bytes:size} in all"),
    "no-words": ("data_vdev", 'vdev.kind != "raidz"', "A raidz."),
    "sizes": ("data_vdev", "vdev.least_bytes > 2000000000000", "{vdev.label} is small"),
    "waste": ("data_vdev", "vdev.wasted_bytes == 0", "{vdev.label} wastes {vdev.wasted_bytes:size}"),
    "number": ("data_vdev", "vdev.total_bytes < 100000000000000", "{vdev.label}: many"),
    "pool-and-vdev": ("data_vdev", "pool.spares > 0 or vdev.width < 6", "{vdev.label} without a spare"),
}


@pytest.fixture(scope="module")
def book() -> RuleBook:
    """A rule for each way in which an answer can depend on less than its words."""
    rules = (RULE.format(name=n, scope=s, holds=h, text=t) for n, (s, h, t) in RULES.items())
    return load_rule_book({"test.toml": HEAD + "".join(rules)}, limits="schema = 1\n", run_examples=False)


def judge_of(book: RuleBook) -> Judge:
    return Judge(book, premises(disks(44)), ashift=12)


def raidz(width: int, count: int, *sizes: int) -> Layout:
    return (
        VdevSpec(kind=VdevKind.RAIDZ, sizes=(sizes or (SIX_TB,)) * (width // len(sizes or (1,))), parity=2),
    ) * count


LAYOUTS = (
    raidz(6, 2),
    raidz(6, 3),
    raidz(8, 2, 10**12),
    raidz(8, 2, 10**12, SIX_TB),
    (*raidz(6, 2), *raidz(6, 2, 4 * 10**12)),
)


def told(judge: Judge, number: int) -> tuple[Finding, ...]:
    return judge.layout(LAYOUTS[number], LayoutNumbers(usable_bytes=(number + 1) << 40))


def test_that_a_judge_tells_of_every_layout_what_a_new_one_tells_whatever_it_judged_before(book: RuleBook) -> None:
    fresh = [told(judge_of(book), number) for number in range(len(LAYOUTS))]
    for order in permutations(range(len(LAYOUTS)), 2):
        judge = judge_of(book)
        for number in order:
            assert told(judge, number) == fresh[number]


def test_that_every_vdev_has_its_own_findings_with_its_own_numbers(book: RuleBook) -> None:
    found = told(judge_of(book), 4)
    by_rule = {name: [(f.subject, f.text) for f in found if f.rule_id == f"test.{name}"] for name in RULES}
    small, large = (next(s for s, t in by_rule["words-of-the-vdev"] if t.startswith(size)) for size in ("4", "6"))
    assert by_rule["no-words"] == [(large, "A raidz."), (small, "A raidz.")]
    assert by_rule["pool-and-vdev"] == [(s, f"{s} without a spare") for s in (large, small)]
    assert by_rule["words-of-the-pool"] == [("pool", "24 disks, 5.00 TiB")]
    assert by_rule["number"] == by_rule["sizes"] == by_rule["waste"] == []
