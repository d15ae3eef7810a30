"""The report on the current design: what the window knows of it, put together for Markdown, HTML or PDF."""

from collections.abc import Callable, Generator
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from poolwright.design.evaluate import evaluate_in_steps, unassigned_of
from poolwright.domain.command import Reading
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.steps import at_each, at_once
from poolwright.emit.report_design import DesignSubject, design_report_in_steps
from poolwright.judging import advice_for
from poolwright.texts import tell
from poolwright.ui.compare.files import made_words, report_content
from poolwright.ui.parts.save_file import PrintJob
from poolwright.ui.state.session import Session

_T = TypeVar("_T")


def report_subject(session: Session) -> DesignSubject:
    """Return what a report on the current design is made of; raises UserError where there is none."""
    return at_once(_subject(session, _design_of(session)))


def _design_of(session: Session) -> Design:
    if session.design is None:
        raise UserError(tell("There is no design to report on"), todo=tell("Choose a layout first."))
    return session.design


def _subject(session: Session, design: Design) -> Generator[None, None, DesignSubject]:
    rules = session.rules
    found = yield from evaluate_in_steps(
        design,
        drives=session.expectations.book(),
        today=datetime.now().astimezone().date(),
        rules=rules,
        assumed=session.expectations.assumed,
        unassigned_disks=unassigned_of(design, list(session.ticked)),
    )
    yield
    return DesignSubject(evaluation=found, advice=() if rules is None else advice_for(rules, design), made=made_words())


def save_design_report(session: Session, path: Path, failed: Callable[[PoolwrightError], None]) -> None:
    """Write the report on the current design as PDF, HTML or Markdown, by the ending of ``path``, and say so.

    A job of the window writes it. ``failed`` is a bound slot: it takes UserError where there is no design,
    EnvironmentFailure where the file cannot be written.
    """
    try:
        job = _ReportJob(session, path, _design_of(session))
    except PoolwrightError as error:
        failed(error)
        return
    job.failed.connect(failed)
    session.jobs.add(job)


class _ReportJob(PrintJob):
    """Puts the report together, has it drawn where it is a PDF, writes it and says so."""

    def __init__(self, session: Session, path: Path, design: Design) -> None:
        title = tell("Writing the report")
        super().__init__(title, "report", path, _report(path, session, design), session)
        self._session = session
        self.written.connect(self._on_written)

    def _on_written(self, _key: str, path: str) -> None:
        told = tell("The report is saved to {path}.")
        self._session.say(told.format(path=path))


def _report(path: Path, session: Session, design: Design) -> Reading[bytes]:
    subject = yield from _in_turns(_subject(session, design))
    report = yield from _in_turns(design_report_in_steps(subject))
    return (yield from report_content(path.suffix, report))


def _in_turns(steps: Generator[None, None, _T]) -> Reading[_T]:
    """Return what ``steps`` returns; what waits in the window has its turn after each."""
    return at_each(steps, lambda _: ())
