"""Where `poolwright bench` puts a run, and meanwhile what is finished: the file that was named, else the library."""

import argparse
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from uuid import uuid4

from poolwright.bench.judging.expected import Foretold
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import RunVerdict
from poolwright.bench.record import Ended, RunRecord
from poolwright.cli.streams import say
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.texts import tell

_MEANWHILE_SECONDS = 60.0
_MOST_SHARE = 0.02  # of the time, that keeping may take while a run lasts


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """Where a run was put: the file, or the key in the library; both None where it was not kept."""

    file: str | None = None
    key: str | None = None


class Keeping:
    """Keeps one run: now and then what is finished, in the place where in the end the whole run is put.

    A machine that goes down in the middle of hours, or a program that is killed, so loses a few repeats at most.
    """

    def __init__(self, args: argparse.Namespace, design: Design | None, foretold: dict[str, Foretold]) -> None:
        self._args = args
        self._design = design
        self._foretold = foretold
        self._key = str(uuid4())
        self._own_file = False
        self._next = time.monotonic() + _MEANWHILE_SECONDS

    def meanwhile(self, record: RunRecord) -> None:
        """Keep what is finished, unless that was done just now; what fails here is told when the whole run is kept."""
        began = time.monotonic()
        if began < self._next or not any(test.repeats for test in record.tests):
            return
        why = tell("It was cut off: what ran it was ended from outside.")
        so_far = replace(record, ended=Ended.CANCELLED, why=" ".join(part for part in (record.why, why) if part))
        with suppress(PoolwrightError):
            self._put(so_far, judge(so_far, self._foretold))
        took = time.monotonic() - began
        self._next = began + took + max(_MEANWHILE_SECONDS, took / _MOST_SHARE)

    def whole(self, record: RunRecord, verdict: RunVerdict) -> KeptRun:
        """Keep a run that has ended; raises as `write_output` where a file was named."""
        try:
            kept = self._put(record, verdict)
        except PoolwrightError as error:  # what was measured is told all the same
            if self._args.output is not None:
                raise
            say(tell("poolwright: the run could not be kept in the library: {why}", why=error.text))
            return KeptRun()
        if kept.key is not None:
            say(tell("Kept in the library as {key}.", key=kept.key))
        return kept

    def _put(self, record: RunRecord, verdict: RunVerdict) -> KeptRun:
        if self._args.output is not None:
            from poolwright.bench.run_file import run_archive
            from poolwright.cli.output_file import write_output

            write_output(self._args.output, run_archive(record), force=self._args.force or self._own_file)
            self._own_file = True
            return KeptRun(file=str(self._args.output))
        if self._args.no_keep:
            return KeptRun()
        from poolwright import paths
        from poolwright.bench.run_library import keep_stored, stored_run

        run = replace(stored_run(record, verdict, self._design), key=self._key)
        return KeptRun(key=keep_stored(run, record, paths.library_file()).key)
