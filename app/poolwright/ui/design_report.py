"""The report on the current design: what the window knows of it, put together for Markdown, HTML or PDF."""

from datetime import datetime
from pathlib import Path

from poolwright.advise.assign import is_made_from
from poolwright.advise.evaluate import evaluate, unassigned_of
from poolwright.domain.errors import UserError
from poolwright.emit.report_design import DesignSubject, design_report
from poolwright.ui.comparison_files import made_words, write_report
from poolwright.ui.session import Session


def report_subject(session: Session) -> DesignSubject:
    """Return what a report on the current design is made of; raises UserError where there is none.

    The score is broken down where the design is still the layout that was chosen from the ranking.
    """
    from poolwright.judging import advice_for  # noqa: PLC0415 - the rule engine takes half a second to import

    design = session.design
    if design is None:
        raise UserError("There is no design to report on", todo="Choose a layout first.")
    candidate = session.candidate
    chosen = candidate is not None and is_made_from(design, candidate)
    found = evaluate(
        design,
        drives=session.expectations.book(),
        today=datetime.now().astimezone().date(),
        rules=session.rules,
        assumed=session.expectations.assumed,
        unassigned_disks=unassigned_of(design, list(session.ticked)),
    )
    return DesignSubject(
        evaluation=found,
        advice=() if session.rules is None else advice_for(session.rules, design),
        terms=candidate.terms if candidate is not None and chosen else (),
        made=made_words(),
    )


def write_design_report(session: Session, path: Path) -> None:
    """Write the report on the current design as PDF, HTML or Markdown, by the ending of ``path``.

    Raises UserError where there is no design, EnvironmentFailure where the file cannot be written.
    """
    write_report(path, design_report(report_subject(session)))
