"""Which changes are tried in a module, and which are not because nobody could notice them."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from tests.mutation.changes import changes
from tests.mutation.reach import ROOT, Reach, chosen
from tests.mutation.run import Outcome, samples_of, summary

import poolwright.capacity.pool


def made(source: str) -> list[str]:
    """Return the modules that the changes of one make of it, each change in a tree of its own."""
    count = len(changes(ast.parse(source)))
    texts = []
    for number in range(count):
        tree = ast.parse(source)
        changes(tree)[number].apply()
        texts.append(ast.unparse(tree))
    return texts


_CHANGED = (
    ("a < b", ["a <= b", "a >= b"]), ("a.low < b", ["a.low >= b"]), ("a > b / c", ["a <= b / c", "a > b * c"]),
    ("a == b is c", ["a != b is c", "a == b is not c"]), ("a + b", ["a - b"]), ("a += b", ["a -= b"]),
    ("a // b", ["a * b"]), ("a and b", ["a or b"]), ("x = 7", ["x = 8"]), ("x = 0.5", ["x = 1.5"]),
    ("x = True", ["x = False"]), ("x = not a", ["x = a"]),
    ("x = 1 if a else b", ["x = 2 if a else b", "x = 1 if not a else b"]),
    ("[a for a in b if a]", ["[a for a in b if not a]"]), ("min(a)", ["max(a)"]), ("all(a)", ["any(a)"]),
    ("f(a, key=b)", ["f(a)"]), ("def f():\n    return False", ["def f():\n    return True"]),
    ("def f():\n    return True", ["def f():\n    return False", "def f():\n    return None"]),
    ("def f(a=1):\n    return a", ["def f(a=2):\n    return a", "def f(a=1):\n    return None"]),
)  # fmt: skip


@pytest.mark.parametrize(("source", "others"), _CHANGED)
def test_that_a_piece_of_code_is_changed_in_every_way_there_is(source: str, others: list[str]) -> None:
    assert sorted(made(source)) == sorted(others)


@pytest.mark.parametrize(
    "source",
    [
        '"""Docstring of 3 words."""',
        "x: Literal[3]",
        "Size = int | None",
        "@cache(size=3)\ndef f() -> Literal[3]:\n    pass",
        "def __repr__(self):\n    return 3 + 4",
        "class A:\n    __slots__ = (3,)",
        "if TYPE_CHECKING:\n    x = 3",
        "assert a > 3",
        "raise Refusal(f'{a + 1}', code=3)",
        "f'{a + 1}'",
        "'a' + b",
        "zip(a, b, strict=True)",
        "from a import b",
        "def f():\n    if number % 50 == 0:\n        yield",
    ],
)
def test_that_what_nobody_can_notice_is_left_out(source: str) -> None:
    assert made(source) == []


def test_that_gathering_changes_leaves_the_tree_as_it_was() -> None:
    source = Path(poolwright.capacity.pool.__file__).read_text(encoding="utf-8")
    tree = ast.parse(source)
    found = changes(tree)
    assert ast.dump(tree) == ast.dump(ast.parse(source))
    assert len(found) > 10
    assert {change.function for change in found} > {""}
    assert len(set(made(source))) == len(found)


def test_that_a_change_knows_its_outermost_function() -> None:
    source = "class A:\n    x = 1\n    def f(self):\n        def g():\n            return 2\n        return g\n"
    assert sorted((c.line, c.function) for c in changes(ast.parse(source))) == [
        (2, ""), (5, "A.f"), (5, "A.f"), (6, "A.f"),
    ]  # fmt: skip


@pytest.mark.slow
def test_that_a_sample_is_the_same_for_the_same_seed() -> None:
    first, again, other = ([str(s) for s in samples_of("capacity", "", 20, seed)] for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 20
    assert all("capacity/explained.py" in str(s) for s in samples_of("capacity", "explained", 20, 1))


def test_that_the_likeliest_tests_run_first_and_no_longer_than_asked() -> None:
    def reach(test: str, seconds: float, *reached: str) -> Reach:
        return Reach(test=test, seconds=seconds, reached=frozenset(reached))

    reaches = [
        reach("tests/cli/test_x.py::far", 0.1, "rules/load.py:read"),
        reach("tests/rules/test_judge.py::slow", 3.0, "rules/load.py:read"),
        reach("tests/rules/test_judge.py::quick", 1.0, "rules/load.py:read"),
        reach("tests/rules/test_load.py::own", 2.0, "rules/load.py:read"),
        reach("tests/rules/test_load.py::beside", 0.5, "rules/load.py:other"),
        reach("tests/rules/test_none.py::none", 0.1, "rules/model.py:f"),
    ]
    names = ["load.py::own", "judge.py::quick", "judge.py::slow", "x.py::far", "load.py::beside"]
    assert [t.rpartition("test_")[2] for t in chosen(reaches, "rules/load.py", "read", 60)] == names
    assert [t.rpartition("test_")[2] for t in chosen(reaches, "rules/load.py", "read", 3.5)] == names[:2]
    assert chosen(reaches, "rules/load.py", "read", 0) == ["tests/rules/test_load.py::own"]
    # What no test reaches, such as a constant, is known to those that reach its file.
    assert len(chosen(reaches, "rules/load.py", "", 60)) == 5
    assert chosen(reaches, "rules/texts.py", "f", 60) == []
    # Reached by importing a test file: all its tests may notice.
    made = [
        *reaches,
        reach("tests/emit/test_drawn.py::", 9.0, "rules/load.py:read"),
        reach("tests/emit/test_drawn.py::a", 1.0),
    ]
    assert chosen(made, "rules/load.py", "read", 60)[-2:] == [
        "tests/rules/test_load.py::beside",
        "tests/emit/test_drawn.py::a",
    ]
    reaches.append(reach("tests/rules/test_load.py::", 9.0, "rules/texts.py:<module>"))
    assert [t.rpartition("test_")[2] for t in chosen(reaches, "rules/texts.py", "", 60)] == [
        "load.py::beside",
        "load.py::own",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("changed", "status"), [("result", 1), ("nothing", 0)])
def test_that_a_change_is_seen_by_the_tests_of_its_function_and_by_no_file(changed: str, status: int) -> None:
    file = Path(poolwright.capacity.pool.__file__)
    before = file.read_bytes()
    code = f"""
from tests.mutation.run import Sample, _try
from tests.mutation.changes import Change
import ast
tree = ast.parse(open({str(file)!r}, encoding="utf-8").read())
def drop_results():
    for node in ast.walk(tree):
        if isinstance(node, ast.Return):
            node.value = ast.Constant(None)
make = drop_results if {changed!r} == "result" else lambda: None
change = Change(line=1, function="", before="", after="", apply=make)
_try(Sample(file="capacity/pool.py", change=change, tree=tree), ["tests/capacity/test_worked_examples.py"], 60)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False)
    assert done.returncode == status
    assert file.read_bytes() == before


@pytest.mark.parametrize(("alive", "good"), [(0, True), (3, True), (4, False)])
def test_that_more_than_15_of_100_alive_in_a_room_are_too_many(alive: int, good: bool) -> None:
    samples = samples_of("capacity", "", 20, 1)
    done = [Outcome(sample=sample, tests=3, lived=number < alive) for number, sample in enumerate(samples)]
    assert summary(done, ["capacity"]) == ([f"capacity: {alive} of 20 lived, {5 * alive} %"], good)
    assert summary(done, ["rules"]) == (["rules: 0 of 0 lived, 0 %"], False), "nothing was tried"
