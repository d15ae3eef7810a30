"""Sampled mutation testing of the core rooms: `make mutants`, `make mutants ARGS="--room machine --samples 60"`.

Each sample changes one thing in one module, in a process of its own: an import hook compiles the changed tree, no file
is touched. The tests that reach the changed function run until the first fails: the quickest for some seconds, and for
what lives the others too. What lives then is listed; more than 15 % of it in any room is a failure.
"""

import argparse
import ast
import importlib
import importlib.machinery
import importlib.util
import os
import random
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import CodeType, ModuleType

import pytest
from tests.mutation.changes import Change, changes
from tests.mutation.reach import IMPORT, PACKAGE, ROOT, Reach, Recorder, chosen, keep, kept

ROOMS = ("domain", "capacity", "machine", "rules", "design", "changes", "predict", "emit")
TEST_ROOMS = (*ROOMS, "bench", "cli", "machines", "recorded", "store", "texts", "ui")
MOST_ALIVE = 0.15
# Loaded once, before the processes part; nothing of the product.
HEAVY = ("numpy", "PySide6.QtTest", "PySide6.QtWidgets")
QUICK = ["-q", "-n", "0", "-p", "no:randomly", "-x", "--tb=no", "--hypothesis-seed=0"]
QUICK += ["-m", "not bench and not display and not zfs"]
MEMORY_BYTES = 6 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    file: str
    change: Change
    tree: ast.Module

    @property
    def room(self) -> str:
        return self.file.partition("/")[0]

    def __str__(self) -> str:
        place = f"app/poolwright/{self.file}:{self.change.line}"
        return f"{place} {self.change.function}\n    - {_short(self.change.before)}\n    + {_short(self.change.after)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a sample: ``lived`` if every chosen test passed, and how many were chosen."""

    sample: Sample
    tests: int
    lived: bool


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        return compile(ast.fix_missing_locations(self._tree), self.path, "exec", dont_inherit=True)


class Hook:
    def __init__(self, sample: Sample) -> None:
        inner = sample.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self._name = f"poolwright.{inner}"
        self._loader = _Loader(self._name, str(PACKAGE / sample.file), sample.tree)

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._loader.path, loader=self._loader)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) < 160 else f"{line[:157]}..."


def _silence() -> None:
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(quiet, number)


def _record(test_file: str) -> None:
    _silence()
    recorder = Recorder()
    recorder.begin()
    pytest.main([test_file, *[option for option in QUICK if option != "-x"]], plugins=[recorder])
    recorder.end(IMPORT)
    keep(test_file, recorder.reaches())
    os._exit(0)


def _try(sample: Sample, tests: list[str], cpu_seconds: int) -> None:
    """Make the change and run the tests; the exit status is that of pytest. What never ends is stopped: noticed."""
    if not tests:
        os._exit(0)
    _silence()
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sample.change.apply()
    sys.meta_path.insert(0, Hook(sample))
    os._exit(int(pytest.main([*tests, *QUICK])))


def _side_by_side(jobs: Iterator[tuple[BaseProcess, float]], at_once: int) -> Iterator[BaseProcess]:
    """Start processes, so many at a time, and yield each when it has ended, latest after its seconds."""
    running: dict[BaseProcess, float] = {}
    while True:
        for process, seconds in islice(jobs, at_once - len(running)):
            process.start()
            running[process] = time.monotonic() + seconds
        if not running:
            return
        wait([process.sentinel for process in running], timeout=1)
        for process in list(running):
            if process.is_alive() and time.monotonic() > running[process]:
                process.kill()
            if not process.is_alive():
                process.join()
                del running[process]
                yield process


def reaches_of(test_files: list[str], at_once: int) -> list[Reach]:
    fork = get_context("fork")
    new = [file for file in test_files if kept(file) is None]
    if new:
        print(f"recording which functions {len(new)} test files reach", flush=True)
    jobs: Iterator[tuple[BaseProcess, float]] = ((fork.Process(target=_record, args=(file,)), 900.0) for file in new)
    for _ in _side_by_side(jobs, at_once):
        pass
    for file in test_files:
        if kept(file) is None:
            print(f"{file} did not end and is left out", flush=True)
    return [reach for file in test_files for reach in kept(file) or []]


def samples_of(room: str, part: str, count: int, seed: int) -> list[Sample]:
    """Draw changes of a room from all that are possible, the same for the same seed and sources."""
    files = sorted(path for path in (PACKAGE / room).rglob("*.py") if part in str(path))
    trees = {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in files}
    everything = [
        Sample(file=file, change=change, tree=tree) for file, tree in trees.items() for change in changes(tree)
    ]
    return random.Random(f"{seed} {room}").sample(everything, min(count, len(everything)))


def outcomes(
    samples: list[Sample], reaches: list[Reach], args: argparse.Namespace, most_seconds: float
) -> Iterator[Outcome]:
    fork = get_context("fork")
    end = time.monotonic() + args.minutes * 60
    tried: dict[str, tuple[Sample, int]] = {}
    seconds = {reach.test: reach.seconds for reach in reaches}

    def jobs() -> Iterator[tuple[BaseProcess, float]]:
        for number, sample in enumerate(samples):
            if time.monotonic() > end:
                return
            tests = chosen(reaches, sample.file, sample.change.function, most_seconds)
            tried[str(number)] = (sample, len(tests))
            limit = int(20 + 4 * sum(seconds[test] for test in tests))
            yield fork.Process(target=_try, args=(sample, tests, limit), name=str(number)), 5.0 * limit

    for process in _side_by_side(jobs(), args.at_once):
        sample, tests = tried[process.name]
        yield Outcome(
            sample=sample, tests=tests, lived=process.exitcode in (0, int(pytest.ExitCode.NO_TESTS_COLLECTED))
        )


def summary(done: list[Outcome], rooms: Sequence[str]) -> tuple[list[str], bool]:
    lines, good = [], True
    for room in rooms:
        of_room = [outcome for outcome in done if outcome.sample.room == room]
        alive = sum(outcome.lived for outcome in of_room)
        good = good and bool(of_room) and alive <= MOST_ALIVE * len(of_room)
        lines.append(f"{room}: {alive} of {len(of_room)} lived, {100 * alive / max(1, len(of_room)):.0f} %")
    return lines, good


def main() -> int:
    parser = argparse.ArgumentParser(description="Change the core by chance and see whether tests notice.")
    parser.add_argument("--room", action="append", choices=ROOMS, help="only this one; may be given again")
    parser.add_argument("--part", default="", help="only files whose path contains this")
    parser.add_argument("--samples", type=int, default=40, help="changes drawn from each room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=12, help="after which no further change is tried")
    parser.add_argument("--seconds", type=float, default=20, help="of tests for each change, at most")
    parser.add_argument("--last-seconds", type=float, default=200, help="of tests for what lives after those")
    parser.add_argument("--at-once", type=int, default=2, help="processes")
    args = parser.parse_args()
    os.chdir(ROOT)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(ROOT / ".cache" / "mutants" / "hypothesis")
    for name in HEAVY:
        importlib.import_module(name)
    rooms = args.room or ROOMS
    test_files = [
        p.relative_to(ROOT).as_posix() for r in TEST_ROOMS for p in sorted((ROOT / "tests" / r).rglob("test_*.py"))
    ]
    reaches = reaches_of(test_files, args.at_once)
    drawn = [samples_of(room, args.part, args.samples, args.seed) for room in rooms]
    # One of each room in turn: where the minutes end early, all rooms are equally far.
    in_turn = [sample for sample in chain.from_iterable(zip_longest(*drawn)) if sample is not None]
    first = list(outcomes(in_turn, reaches, args, args.seconds))
    done = {id(outcome.sample): outcome for outcome in first}
    print(f"{sum(outcome.lived for outcome in first)} of {len(first)} lived, and are tried once more", flush=True)
    lived = [outcome.sample for outcome in first if outcome.lived]
    for outcome in outcomes(lived, reaches, args, args.last_seconds):
        done[id(outcome.sample)] = outcome
        if outcome.lived:
            print(f"{outcome.sample}\n    {outcome.tests} tests passed", flush=True)
    lines, good = summary(list(done.values()), rooms)
    print("\n".join(lines), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
