"""The measured runs that predictions are adapted to: tables of runs, and runs of the benchmark, kept whole."""

from functools import lru_cache
from pathlib import Path

from poolwright.cli.input_file import read_text
from poolwright.domain.errors import UserError
from poolwright.predict.runs import Calibration, Run, read_runs
from poolwright.texts import tell

_LARGEST_RUNS_BYTES = 4 << 20
_ARCHIVE = b"PK\x03\x04"


@lru_cache(maxsize=16)
def calibration_of(names: tuple[str, ...]) -> Calibration:
    """Return the runs of all files; a batch that names them a thousand times reads them once. Raises UserError."""
    return Calibration(runs=tuple(run for name in names for run in _runs(name)))


def _runs(name: str) -> tuple[Run, ...]:
    if _is_archive(name):
        return _measured(name)
    text = read_text(name, tell("file of runs"), todo=tell("Save it as CSV in UTF-8."), most_bytes=_LARGEST_RUNS_BYTES)
    return read_runs(text, where=name)


def _is_archive(name: str) -> bool:
    try:
        with Path(name).open("rb") as file:
            return file.read(len(_ARCHIVE)) == _ARCHIVE
    except OSError:
        return False


def _measured(name: str) -> tuple[Run, ...]:
    """Return what a run of the benchmark tells of its pool; raises UserError where it tells nothing."""
    from poolwright.bench.judging.calibrating import runs_of
    from poolwright.bench.judging.expected import expected, pool_of
    from poolwright.bench.judging.verdict import judge
    from poolwright.cli.bench_compare import read_run_file
    from poolwright.store.design_file import from_json

    record = read_run_file(name)
    if record.design is None:
        raise UserError(
            tell("This run does not say which design its pool was built by"),
            where=name,
            todo=tell("Measure with --design FILE."),
        )
    design = from_json(record.design, where=name)
    verdict = judge(record, expected(record.profile, design, None, record.place))
    found = runs_of(record, verdict, pool_of(design, record.place).layout())
    if not found:
        why = dict.fromkeys(reason for test in verdict.tests for reason in (*test.marks, *test.reasons))
        raise UserError(
            tell("No test of this run may narrow predictions: {why}", why=" ".join(why)),
            where=name,
            todo=tell("Measure again, undisturbed, past the cache, and long enough to be steady."),
        )
    return found
