"""Which functions each test reaches, and for how long it runs: measured once a test file, kept under .cache."""

import gc
import hashlib
import json
import time
from collections.abc import Generator, Iterable, Iterator
from cProfile import Profile
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "app" / "poolwright"
KEPT = ROOT / ".cache" / "mutants" / "reach"
LONG_SECONDS = 2.0  # a test function that takes longer is chosen parameter by parameter
# What reaches a function only when its file is imported is under this name.
IMPORT = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What one test reaches, as ``file:function``, and how long that takes; all parameters of a quick function are one.

    A ``test`` without a name behind its file is what importing that file reaches.
    """

    test: str
    seconds: float
    reached: frozenset[str]

    @property
    def test_file(self) -> str:
        return self.test.partition("::")[0]

    @property
    def is_import(self) -> bool:
        """Tell whether this is no test, but what a test file reaches when it is imported."""
        return not self.test.partition("::")[2]


class Recorder:
    """A plugin of pytest: profiles each test (which costs least of all that sees calls), leaves out what fails."""

    def __init__(self) -> None:
        self._codes: dict[str, set[CodeType]] = {}
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        self._profile = Profile(builtins=False)

    def begin(self) -> None:
        gc.disable()  # a collection amid a profiled generator is the end of Python 3.11
        self._profile = Profile(builtins=False)
        self._profile.enable()

    def end(self, test: str) -> None:
        self._profile.disable()
        called = {entry.code for entry in self._profile.getstats() if isinstance(entry.code, CodeType)}
        self._codes.setdefault(test, set()).update(called)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        test = item.nodeid
        self.end(IMPORT)
        begin = time.process_time()
        self.begin()
        try:
            return (yield)
        finally:
            self.end(test)
            self._seconds[test] = self._seconds.get(test, 0.0) + time.process_time() - begin
            self.begin()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.add(report.nodeid)

    def reaches(self) -> list[Reach]:
        of_functions: dict[str, list[str]] = {}
        for test in self._codes:
            if test not in self._failed:
                of_functions.setdefault(test.partition("[")[0], []).append(test)
        return [reach for function, tests in of_functions.items() for reach in self._reaches_of(function, tests)]

    def _reaches_of(self, function: str, tests: list[str]) -> Iterator[Reach]:
        seconds = {test: self._seconds.get(test, 0.0) for test in tests}
        slow = sum(seconds.values()) > LONG_SECONDS
        for name, own in {test: [test] for test in tests}.items() if slow else ((function, tests),):
            codes = set[CodeType]().union(*(self._codes[test] for test in own))
            yield Reach(test=name, seconds=sum(seconds[test] for test in own), reached=_named(codes))


def _named(codes: Iterable[CodeType]) -> frozenset[str]:
    start = f"{PACKAGE}/"
    return frozenset(
        f"{code.co_filename.removeprefix(start)}:{code.co_qualname.partition('.<locals>')[0]}"
        for code in codes
        if code.co_filename.startswith(start)
    )


def stamp(test_file: str) -> str:
    return hashlib.sha256((ROOT / test_file).read_bytes()).hexdigest()


def keep(test_file: str, reaches: list[Reach]) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    rows = [[reach.test, round(reach.seconds, 3), sorted(reach.reached)] for reach in reaches]
    _place(test_file).write_text(json.dumps({"stamp": stamp(test_file), "tests": rows}), encoding="utf-8")


def kept(test_file: str) -> list[Reach] | None:
    """Return what is kept of a test file; None if nothing is, or of another text of it."""
    try:
        recorded = json.loads(_place(test_file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if recorded["stamp"] != stamp(test_file):
        return None
    return [
        Reach(test=test or f"{test_file}::", seconds=seconds, reached=frozenset(reached))
        for test, seconds, reached in recorded["tests"]
    ]


def _place(test_file: str) -> Path:
    return KEPT / f"{test_file.replace('/', '-')}.json"


def chosen(reaches: list[Reach], file: str, function: str, seconds: float) -> list[str]:
    """Return the tests that should notice a change in a function, the likeliest first, for so many seconds in all.

    First those that reach the function, of the test file named like the source file, then of its room, then any; the
    quick ones first. Then the others of the same test files, for which a fixture, a cache or the import of the file may
    have reached it. Where none reaches the function, or it is no function, those of the test files that reach its file
    count.
    """
    reaching = [reach for reach in reaches if f"{file}:{function}" in reach.reached]
    direct = {reach.test for reach in reaching if not reach.is_import}
    if not direct:
        reaching = [reach for reach in reaches if any(name.startswith(f"{file}:") for name in reach.reached)]
    files = {reach.test_file for reach in reaching}
    room = f"tests/{file.partition('/')[0]}/"
    own = f"{room}test_{Path(file).stem}"

    def order(reach: Reach) -> tuple[bool, bool, bool, float]:
        name = reach.test_file
        return reach.test not in direct, not name.startswith(own), not name.startswith(room), reach.seconds

    tests: list[str] = []
    spent = 0.0
    for reach in sorted((r for r in reaches if not r.is_import and r.test_file in files), key=order):
        spent += reach.seconds
        if spent > seconds and tests:
            break
        tests.append(reach.test)
    return tests
