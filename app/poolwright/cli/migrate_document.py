"""The JSON document of `poolwright migrate`."""

from poolwright.changes.migration.values import MigrationAnswer, MigrationPlan, MigrationStep
from poolwright.changes.migration.words import step_title, survival_words
from poolwright.cli.predictions import estimate_document
from poolwright.domain.estimate import Estimate
from poolwright.emit.migration.guard_words import guard_words
from poolwright.emit.migration.lines import MoveLine, MoveLineKind
from poolwright.emit.migration.steps import lines_of
from poolwright.emit.migration.told import kept_words

MIGRATION_SCHEMA = 1


def migration_document(migration: MigrationAnswer) -> dict[str, object]:
    """Return the plan and the others as one JSON object."""
    return {"schema": MIGRATION_SCHEMA, **_plan(migration.plan), "others": [_plan(plan) for plan in migration.others]}


def _plan(plan: MigrationPlan) -> dict[str, object]:
    return {
        "old": plan.old.name,
        "layout": [str(spec) for spec in plan.target.layout()],
        "in_place": plan.in_place,
        "new_name": None if plan.in_place else plan.new_name,
        "parked_name": None if plan.in_place else plan.parked_name,
        "least_failures_survived": plan.least,
        "steps_without_redundancy": [n for n, step in enumerate(plan.steps, 1) if step in plan.bare],
        "no_way_back_from_step": None if plan.final_step is None else plan.final_step + 1,
        "stored_bytes": plan.old.used_bytes,
        "needed_bytes": plan.needed_bytes,
        "first_available_bytes": plan.first_bytes,
        "final_available_bytes": plan.final_bytes,
        "final_size_bytes": plan.final_size_bytes,
        "hours": _estimate(plan.hours),
        "stopped_hours": _estimate(plan.down_hours),
        "warnings": list(plan.warnings),
        "what_stays": list(kept_words(plan)),
        "steps": [
            _step(plan, step, lines) for step, lines in zip(plan.steps, lines_of(plan, preview=True), strict=True)
        ],
    }


def _step(plan: MigrationPlan, step: MigrationStep, lines: tuple[MoveLine, ...]) -> dict[str, object]:
    return {
        "move": step.move.value,
        "title": step_title(plan, step),
        "failures_survived": step.survives,
        "survival": survival_words(step),
        "old_copy_survives": step.old,
        "new_copy_survives": step.new,
        "whole_copies": step.copies,
        "disks": [plan.disk(key).label for key in step.disk_keys],
        "bytes_moved": step.bytes_moved,
        "hours": _estimate(step.hours),
        "why_no_hours": step.why_no_time or None,
        "stopped": step.down,
        "no_way_back": step.final,
        "lines": [_line(line) for line in lines],
    }


def _line(line: MoveLine) -> dict[str, object]:
    if line.kind is MoveLineKind.GUARD:
        return {"kind": "check", "check": list(line.words), "text": guard_words(line)}
    if line.kind is MoveLineKind.ASK:
        return {"kind": "type", "text": line.words[0]}
    return {"kind": "command", "text": line.text}


def _estimate(estimate: Estimate | None) -> dict[str, object] | None:
    return None if estimate is None else estimate_document(estimate)
