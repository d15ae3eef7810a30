"""The time line as a table: the new pool and every step, with what zpool list and zfs list print after it."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt

from poolwright.changes.growth.plan import GrowthPlan, Stage
from poolwright.domain.growth import GrowthStep
from poolwright.domain.units import PLAN_FILL_PERCENT, binary
from poolwright.texts import tell
from poolwright.ui.design.growth.words import day_text, percent_text, step_title, when_text
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import TableColumn
from poolwright.ui.parts.theme import Tone


@dataclass(frozen=True, slots=True)
class StageRow:
    """A row: the step (None: the new pool), its stage where it could be computed, and why not otherwise."""

    step: GrowthStep | None
    stage: Stage | None
    name: str
    problem: str = ""


def stage_rows(plan: GrowthPlan, steps: tuple[GrowthStep, ...]) -> tuple[StageRow, ...]:
    """Return a row for the new pool and one for each step, computed or not."""
    rows = [StageRow(None, plan.stages[0], "")]
    for number, step in enumerate(steps):
        stage = plan.stages[number + 1] if number + 1 < len(plan.stages) else None
        before = plan.stages[min(number, len(plan.stages) - 1)].grown.pool
        at = step.top if step.top is not None else next((n for n, t in enumerate(before.tops) if not t.removed), 0)
        name = before.name(at) if 0 <= at < len(before.tops) else ""
        problem = ""
        if stage is None:
            own = plan.problem is not None and plan.problem.number == number
            problem = (
                (plan.problem.text if plan.problem is not None else "") if own else tell("waits for the step above it")
            )
        rows.append(StageRow(step, stage, name, problem))
    return tuple(rows)


def stage_columns() -> tuple[TableColumn[StageRow], ...]:
    """Return the columns of a plan: when, what, and then what the tools print."""
    used = tell("What zfs list prints for the root dataset when the step has ended")
    return (
        _column(tell("When"), tell("When the step is begun"), _when, _begins, number=False),
        _column(tell("Step"), tell("What is done"), _title, number=False, block=True),
        _bytes_column(tell("SIZE"), tell("What zpool list prints when the step has ended, parity included"), _size),
        _bytes_column(tell("USED"), used, lambda stage: stage.used_bytes),
        _bytes_column(tell("AVAIL"), used, _available),
        _column(tell("Full"), tell("USED of USED + AVAIL"), _of_stage(lambda stage: percent_text(stage.fill_after))),
        _column(
            tell("Survives"),
            tell("Failures survived, whichever disks they are"),
            _of_stage(lambda stage: str(stage.failures_survived)),
        ),
        _column(
            tell("{level} % on", level=PLAN_FILL_PERCENT),
            tell("When this is no longer enough"),
            _of_stage(lambda stage: day_text(stage.full_on)),
        ),
        _column(
            tell("Price"),
            tell("Of the disks of this step"),
            _of_stage(lambda stage: "" if stage.price is None else str(stage.price)),
        ),
    )


def _column(
    title: str,
    meaning: str,
    text: Callable[[StageRow], str],
    exact: Callable[[StageRow], str] = lambda _row: "",
    *,
    number: bool = True,
    block: bool = False,
) -> TableColumn[StageRow]:
    """Return a column that says why a step is not possible, else ``exact``, where the pointer rests."""

    def look(row: StageRow, role: int) -> object:
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{title}: {text(row)}"
        blocked = role == Qt.ItemDataRole.DecorationRole and block and row.problem
        return icons.icon("block", Tone.BLOCK) if blocked else None

    def tip(row: StageRow) -> str:
        return row.problem or exact(row)

    return TableColumn(title=title, meaning=meaning, text=text, tip=tip, look=look, number=number)


def _bytes_column(title: str, meaning: str, size: Callable[[Stage], int | None]) -> TableColumn[StageRow]:
    """Return a column of sizes, with the exact bytes where the pointer rests."""

    def text(stage: Stage) -> str:
        known = size(stage)
        return "" if known is None else binary(known)

    def exact(stage: Stage) -> str:
        known = size(stage)
        return "" if known is None else tell("{size} bytes", size=f"{known:,}")

    return _column(title, meaning, _of_stage(text), _of_stage(exact))


def _of_stage(text: Callable[[Stage], str]) -> Callable[[StageRow], str]:
    """Return ``text`` for rows, empty where the stage could not be computed."""

    def of_row(row: StageRow) -> str:
        return "" if row.stage is None else text(row.stage)

    return of_row


def _size(stage: Stage) -> int:
    return stage.capacity.pool_size_bytes


def _available(stage: Stage) -> int:
    return stage.capacity.available_bytes if stage.avail_bytes is None else stage.avail_bytes


def _title(row: StageRow) -> str:
    return tell("New pool") if row.step is None else step_title(row.step, row.name)


def _when(row: StageRow) -> str:
    if row.step is None:
        return tell("now")
    if row.stage is None:
        return tell("not possible")
    return day_text(row.stage.begins) or when_text(row.step)


def _begins(row: StageRow) -> str:
    return "" if row.stage is None or row.step is None else when_text(row.step)
