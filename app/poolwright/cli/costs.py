"""What a candidate costs, as a JSON object and as a line; what depends on an unknown price stays unknown."""

from functools import lru_cache
from pathlib import Path

from poolwright.cli.input_file import read_text
from poolwright.cli.numbers import money_document
from poolwright.cli.predictions import estimate_document
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate
from poolwright.design.request import Request
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.steps import Estimate
from poolwright.predict.cost import DEFAULTS, Cost, DiskGroupCost, pool_cost
from poolwright.predict.disk_conditions import cost_groups
from poolwright.predict.runs import Calibration, Run, read_runs
from poolwright.texts import tell

_UNNAMED = Identity(key="", name="")


def cost_of_candidate(candidate: Candidate, request: Request) -> Cost:
    """Return what the disks with a place in any of its pools cost, power and replacements over the default years."""
    budget = request.budget
    groups = cost_groups(
        _disks(candidate, request), request.drives, price_per_disk=budget.price_per_disk, price_on=budget.price_on
    )
    return pool_cost(groups, usable_bytes=candidate.usable_bytes, currency=budget.reckoned_in)


def _disks(candidate: Candidate, request: Request) -> tuple[Disk, ...]:
    made = design_of(candidate, request, _UNNAMED)
    return tuple(made.disk(key) for key in sorted(made.used_keys()))


def cost_document(cost: Cost) -> dict[str, object]:
    """Return a cost as a JSON object, null where a price is unknown.

    What is paid for disks is exact, an object of amount (text) and currency. What is predicted over the years has a
    band of numbers; ``power_currency`` and ``currency`` say in what they are.
    """

    def told(estimate: Estimate | None) -> dict[str, object] | None:
        return None if estimate is None else estimate_document(estimate)

    return {
        "purchase": money_document(cost.purchase),
        "per_usable_tb": money_document(cost.per_usable_tb),
        "currency": None if cost.purchase is None else cost.purchase.currency,
        "prices": [_price_document(group) for group in cost.groups],
        "problem": cost.problem or None,
        "price_origin": None if cost.purchase_origin is None else str(cost.purchase_origin),
        "years": cost.years,
        "defaults_of": DEFAULTS.date,
        "energy_kwh": told(cost.energy_kwh),
        "power": told(cost.power),
        "power_currency": cost.power_currency,
        "replacement_disks": told(cost.replacements),
        "replacements": told(cost.replacement),
        "total": told(cost.total),
    }


def cost_line(cost: Cost) -> str:
    energy = f"{cost.energy_kwh.typical:,.0f} kWh"
    power = energy if cost.power is None else f"{_about(cost.power, cost.power_currency)} ({energy})"
    running = tell("power for {years} {power}", years=_years(cost.years), power=power)
    failed = tell("{count:.1f} disks to replace", count=cost.replacements.typical)
    if cost.purchase is None:
        why = cost.problem.removesuffix(".") if cost.problem else tell("price of a disk unknown")
        return tell("{why} (--price tells it); {running}, {failed}", why=why, running=running, failed=failed)
    bought = tell("{price} to buy", price=cost.purchase)
    if cost.per_usable_tb is not None:
        bought = tell("{bought} ({price} for a usable TB)", bought=bought, price=cost.per_usable_tb)
    if cost.replacement is not None:
        failed = tell("{failed} for {price}", failed=failed, price=_about(cost.replacement, cost.purchase.currency))
    told = [f"{bought}, {running}, {failed}"]
    told += [str(cost.purchase_origin)] if cost.purchase_origin is not None else []
    told += [cost.problem.removesuffix(".")] if cost.problem else []
    return "; ".join(told)


def _years(years: float) -> str:
    return tell("1 year") if years == 1 else tell("{years:g} years", years=years)


def _about(estimate: Estimate, currency: str | None) -> str:
    """Return a predicted amount, rounded as it is shown: the one place where money is a float."""
    return f"{estimate.typical:,.0f} {currency or ''}".rstrip()


def _price_document(group: DiskGroupCost) -> dict[str, object]:
    origin = group.price_origin
    return {
        "count": group.count,
        "model": group.model,
        "size_bytes": group.size_bytes,
        "price": money_document(group.price),
        "priced_on": None if origin is None else origin.when,
        "from": None if origin is None else origin.source,
        "at_hand": group.at_hand,
    }


# The measured runs that predictions are adapted to: tables of runs, and runs of the benchmark, kept whole.

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
    from poolwright.bench.judging.expected import expected, pool_of, runs_of
    from poolwright.bench.judging.verdict import judge
    from poolwright.cli.bench_read import read_run_file
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
