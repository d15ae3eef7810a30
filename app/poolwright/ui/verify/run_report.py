"""The report on a run as a file: PDF, HTML or Markdown, written by a job of the window."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from poolwright.bench.judging.against_tables import against_tables
from poolwright.bench.report import run_report
from poolwright.domain.command import Reading
from poolwright.domain.errors import PoolwrightError
from poolwright.table_library import load_shipped_tables
from poolwright.texts import tell
from poolwright.ui.compare.comparing import report_content
from poolwright.ui.parts.printing import PrintJob
from poolwright.ui.parts.save_file import save_dialog
from poolwright.ui.state.session import Session
from poolwright.ui.verify.measuring import Measuring

JOB_TARGET = "run report"  # for machines
_ENDINGS = ("pdf", "html", "md")


def report_dialog(parent: QWidget, stem: str) -> QFileDialog:
    """Return a dialog that asks for the file; its ending says in which form the report is written."""
    dialog = save_dialog(parent, tell("Save the report"), f"{stem}.pdf", "PDF", "pdf")
    dialog.setNameFilters([f"{ending.upper()} (*.{ending})" for ending in _ENDINGS])
    return dialog


def save_run_report(
    session: Session, measuring: Measuring, path: Path, failed: Callable[[PoolwrightError], None]
) -> None:
    """Write the report on the run that is shown and say so. ``failed`` is a bound slot for what went wrong."""
    if measuring.record is not None and measuring.verdict is not None:
        job = _RunReportJob(session, measuring, path)
        job.failed.connect(failed)
        session.jobs.add(job)


class _RunReportJob(PrintJob):
    """Puts the report together, has it drawn where it is a PDF, writes it and says so."""

    def __init__(self, session: Session, measuring: Measuring, path: Path) -> None:
        super().__init__(tell("Writing the report"), JOB_TARGET, path, _report(path, measuring), session)
        self._session = session
        self.written.connect(self._on_written)

    def _on_written(self, _key: str, path: str) -> None:
        self._session.say(tell("The report is saved to {path}.", path=path))


def _report(path: Path, measuring: Measuring) -> Reading[bytes]:
    record, verdict, foretold = measuring.record, measuring.verdict, measuring.foretold
    yield ()
    assert record is not None
    assert verdict is not None
    beside = against_tables(record, verdict, load_shipped_tables())
    return (yield from report_content(path.suffix, run_report(record, verdict, foretold, beside)))
