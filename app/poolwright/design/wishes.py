"""What a budget means for the ticked disks before any layout is looked at, and which wishes cannot be met at all.

Only upper bounds that hold for every layout are used: a wish refused here is impossible, one that passes may still be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.design.constraints import affordable_disks
from poolwright.design.enumerate import MOST_STRIPE
from poolwright.design.groups import safe_ashift
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.host import Host
from poolwright.domain.money import MixedCurrenciesError, Money, rate_between
from poolwright.domain.units import PLAN_FILL_PERCENT, binary, decimal
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.causes import ASSUMED_FLOOR
from poolwright.predict.drives import read_drive_book
from poolwright.predict.number_words import odds_text
from poolwright.predict.outlook import outlook_for
from poolwright.texts import listed, marked, tell, tell_counted


@dataclass(frozen=True, slots=True, kw_only=True)
class WishLine:
    """One line of the answer; ``possible`` is False for a wish no layout can meet, None when nobody can tell."""

    text: str
    possible: bool | None = True


def most_usable_bytes(sizes: Sequence[int], *, disks: int, spares: int, survive: int) -> int:
    """Return a bound on the usable bytes of any pool of ``disks`` of these disks.

    The largest disks are taken and the smallest of them kept as spares; a pool that survives any ``survive`` failures
    survives that of the largest ones, so that all its data fit on the others.
    """
    taken = sorted(sizes, reverse=True)[: max(0, disks)]
    active = taken[: max(0, len(taken) - spares)]
    return sum(active[survive:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fastest:
    """The sequential rates, bytes/s, that no layout of the disks is expected to pass; the network's (None: unknown)."""

    read: float
    write: float
    network: float | None = None


_FAST_FIRST = (Media.NVME, Media.SSD, Media.HDD, None)


def fastest(disks: Sequence[Disk], budget: Budget, workload: Workload, host: Host) -> Fastest | None:
    """Return what stripes of all disks that can be used are expected to give: redundancy only takes from it.

    All count as disks of the fastest media among them. None where there is no disk of known size to use.
    """
    sizes = [disk.size_bytes for disk in disks if disk.size_bytes is not None]
    count = usable_disks(budget, len(sizes)) - (budget.spares or 0)
    if count < 1 or not sizes:
        return None
    ordered = sorted(disks, key=lambda disk: _FAST_FIRST.index(disk.media))
    outlook = outlook_for(ordered, workload=workload, host=host, drives=read_drive_book({}), ashift=safe_ashift(disks))
    split = -(-count // MOST_STRIPE) if workload.goal is Goal.SPEED else 1
    speeds = []
    for pools in {1, split}:
        stripe = VdevSpec(kind=VdevKind.STRIPE, sizes=(max(sizes),) * -(-count // pools))
        speeds.append((pools, outlook.itself((stripe,))))
    return Fastest(
        read=max(pools * speed.seq_read.typical for pools, speed in speeds),
        write=max(pools * speed.seq_write.typical for pools, speed in speeds),
        network=workload.network_bytes_per_second or host.network_bytes_per_second,
    )


def usable_disks(budget: Budget, ticked: int) -> int:
    """Return how many of the ticked disks bays and money admit; money without a price limits nothing."""
    return _usable_count(budget, ticked, [])


def judge_wishes(budget: Budget, sizes: Sequence[int], bound: Fastest | None = None) -> tuple[WishLine, ...]:
    """Return what the budget means for ticked disks of these sizes in bytes, impossible wishes first.

    ``bound`` is how fast they can be at most; None where nobody worked it out.
    """
    if not sizes:
        return (
            WishLine(text=tell("No disks are ticked yet, so nothing can be said about these wishes."), possible=None),
        )
    lines: list[WishLine] = []
    disks = _usable_count(budget, len(sizes), lines)
    spares, survive = budget.spares or 0, budget.survive or 0
    left = disks - spares
    if disks and left < survive + 1:
        lines.append(_impossible(_too_few(disks, spares, survive)))
    if budget.price_per_disk is not None and disks:
        lines.append(WishLine(text=_cost_words(budget, budget.price_per_disk, disks)))
    lines += _of_space(budget.least_usable_bytes, sizes, disks, spares, survive)
    lines += _of_risk(budget.most_yearly_loss)
    lines += _of_speed(budget, bound) if bound is not None else []
    return tuple(sorted(lines, key=lambda line: line.possible is not False))


def _too_few(disks: int, spares: int, survive: int) -> str:
    """Return that spares and redundancy leave no disk for data."""
    left = disks - spares
    if left < 1:
        of = tell_counted("{count} disk", "{count} disks", disks)
        return tell_counted(
            "{count} spare leaves none of {disks} for data.",
            "{count} spares leave none of {disks} for data.",
            spares,
            disks=of,
        )
    needs = tell_counted(
        "To survive {count} failure, a pool needs at least {least} disks",
        "To survive {count} failures, a pool needs at least {least} disks",
        survive,
        least=survive + 1,
    )
    have = tell_counted("{needs}; there is {count}", "{needs}; there are {count}", left, needs=needs)
    if not spares:
        return f"{have}."
    return tell_counted(
        "{have}; {count} of {disks} is a spare.",
        "{have}; {count} of {disks} are spares.",
        spares,
        have=have,
        disks=disks,
    )


def _cost_words(budget: Budget, each: Money, disks: int) -> str:
    """Return what so many disks cost, in the budget's currency too where they have another and somebody gave a rate."""
    cost = each * disks
    rate = rate_between(cost.currency, budget.reckoned_in, budget.rates)
    told = (
        str(cost) if rate is None else tell("{cost}, {sum} at {rate}", cost=cost, sum=budget.sum_of((cost,)), rate=rate)
    )
    return tell_counted(
        "{count} disk at {each} each cost {told}.",
        "{count} disks at {each} each cost {told}.",
        disks,
        each=each,
        told=told,
    )


def _of_space(wanted: int | None, sizes: Sequence[int], disks: int, spares: int, survive: int) -> list[WishLine]:
    bound = most_usable_bytes(sizes, disks=disks, spares=spares, survive=survive)
    if bound <= 0:
        return []
    if wanted is not None and wanted > bound:
        return [_impossible(_too_much(wanted, bound, disks, spares, survive))]
    told = WishLine(text=_bound(bound, disks, spares, survive))
    return [told] if wanted is None else [WishLine(text=_plan(wanted)), told]


def _of_risk(wanted: float | None) -> list[WishLine]:
    """Return that a risk is wished for which no layout has: what threatens the whole machine is left to every one."""
    if wanted is None or wanted >= ASSUMED_FLOOR:
        return []
    told = tell(
        "No layout is lost with less than {floor} a year: controller, software and wrong commands threaten every one. "
        "Against them only a backup helps.",
        floor=odds_text(ASSUMED_FLOOR),
    )
    return [_impossible(told)]


def _of_speed(budget: Budget, bound: Fastest) -> list[WishLine]:
    """Return what the wished rates mean: beyond all disks together, or beyond the network."""
    lines = []
    for beyond_disks, beyond_network, wanted, most in (
        (
            marked(
                "Reading at {wanted}/s is more than there is: stripes of all these disks are expected to give {most}/s."
            ),
            marked("Reading at {wanted}/s is kept to by the pool itself; the network passes {network}/s."),
            budget.least_read_bytes_per_second,
            bound.read,
        ),
        (
            marked(
                "Writing at {wanted}/s is more than there is: stripes of all these disks are expected to give {most}/s."
            ),
            marked("Writing at {wanted}/s is kept to by the pool itself; the network passes {network}/s."),
            budget.least_write_bytes_per_second,
            bound.write,
        ),
    ):
        if wanted is None:
            continue
        if wanted > most:
            lines.append(_impossible(tell(beyond_disks, wanted=decimal(wanted), most=decimal(int(most)))))
        elif bound.network is not None and wanted > bound.network:
            network = decimal(int(bound.network))
            lines.append(WishLine(text=tell(beyond_network, wanted=decimal(wanted), network=network)))
    return lines


def _usable_count(budget: Budget, ticked: int, lines: list[WishLine]) -> int:
    try:
        disks, why = affordable_disks(budget, ticked)
    except MixedCurrenciesError as error:
        lines.append(
            WishLine(text=tell("Whether the money is enough cannot be told. {text}", text=error.text), possible=None)
        )
        return min(ticked, budget.bays) if budget.bays is not None else ticked
    except UserError:
        lines.append(
            WishLine(
                text=tell("Whether the money is enough cannot be told without the price of a disk."), possible=None
            )
        )
        return min(ticked, budget.bays) if budget.bays is not None else ticked
    if disks == 0:
        lines.append(_impossible(tell("No disk can be used: {why}.", why=why)))
    elif why is not None:
        lines.append(
            WishLine(
                text=tell(
                    "At most {disks} of the {ticked} ticked disks can be used: {why}.",
                    disks=disks,
                    ticked=ticked,
                    why=why,
                )
            )
        )
    return disks


def _too_much(wanted: int, bound: int, disks: int, spares: int, survive: int) -> str:
    room = f"{binary(bound)} ({decimal(bound)})"
    held = tell_counted(
        "{count} disk can hold at most {room}", "{count} disks can hold at most {room}", disks, room=room
    )
    away = _given_up(spares, survive)
    return tell(
        "{wanted} usable is more than there is: {given}.",
        wanted=binary(wanted),
        given=tell("after {away}, {held}", away=away, held=held) if away else held,
    )


def _bound(bound: int, disks: int, spares: int, survive: int) -> str:
    held = tell_counted(
        "{count} disk can hold at most {room}, whatever the layout",
        "{count} disks can hold at most {room}, whatever the layout",
        disks,
        room=f"{binary(bound)} ({decimal(bound)})",
    )
    away = _given_up(spares, survive)
    given = tell("After {away}, {held}", away=away, held=held) if away else held
    return tell("{given}. The exact figures are on the Recommendation page.", given=given)


def _given_up(spares: int, survive: int) -> str:
    """Return what goes to spares and redundancy; empty where nothing does."""
    parts = [tell_counted("{count} spare", "{count} spares", spares)] if spares else []
    if survive:
        parts.append(tell_counted("{count} disk of redundancy", "{count} disks of redundancy", survive))
    return listed(parts)


def _plan(wanted: int) -> str:
    room = wanted * PLAN_FILL_PERCENT // 100
    return tell(
        "{wanted} usable has room for {room} of data: a pool becomes slow above "
        "{plan_fill_percent} % full, so ask for a quarter more than your data need.",
        wanted=binary(wanted),
        room=binary(room),
        plan_fill_percent=PLAN_FILL_PERCENT,
    )


def _impossible(text: str) -> WishLine:
    return WishLine(text=text, possible=False)
