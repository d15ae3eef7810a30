"""What `poolwright risk` answers, as a JSON object: the terms of the risk, what it assumes, and the simulation."""

from math import expm1

from poolwright.cli.predictions import estimate_document
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.reliability import Risk, VdevRisk
from poolwright.predict.risk_conditions import DEFAULT_SPARE_HOURS, FULL_READS_PER_YEAR, RiskConditions
from poolwright.texts import tell


def risk_terms(risk: Risk) -> list[dict[str, object]]:
    """Return what each kind of vdev contributes, largest first."""
    terms = []
    whole = sum(vdev.log_kept * count for vdev, count in risk.vdevs)
    for vdev, count in sorted(risk.vdevs, key=lambda part: part[0].log_kept * part[1]):
        terms.append(
            {
                "name": label(vdev),
                "vdevs": count,
                "disks": vdev.hazard.disks,
                "failures_survived": vdev.hazard.tolerated,
                "yearly_loss_probability": -expm1(vdev.log_kept * count),
                "yearly_loss_with_other_causes_probability": -expm1(vdev.log_kept_of_all * count),
                "share": vdev.log_kept * count / whole if whole else None,
                "mttdl_hours": vdev.mttdl_hours,
                "afr_percent": {
                    "low": vdev.drive.low,
                    "typical": vdev.drive.typical,
                    "high": vdev.drive.high,
                    "origin": str(vdev.drive.origin),
                },
                "rebuild_hours": None if vdev.rebuild is None else estimate_document(vdev.rebuild),
                "repair_hours": None if vdev.repair is None else estimate_document(vdev.repair),
                "spare_free_probability": vdev.spare_free,
                "unreadable_block_probability": vdev.hazard.unreadable if vdev.hazard.tolerated else None,
            }
        )
    return terms


def label(vdev: VdevRisk) -> str:
    spec = vdev.spec
    front = "" if spec.vdev_class is VdevClass.DATA else f"{spec.vdev_class.value} "
    if spec.kind is VdevKind.STRIPE:
        return front + tell("single disk")
    return front + tell("{word} of {width}", word=spec.word, width=spec.width)


def assumptions_of(conditions: RiskConditions, risk: Risk) -> list[tuple[str, object, str]]:
    """Return the name of each assumption, its value and what it means."""
    found: list[tuple[str, object, str]] = [
        (
            "correlation",
            conditions.correlation,
            tell("failure rate of a vdev’s other disks while one has failed; 1: independent"),
        ),
        ("hot_spares", risk.spares, tell("shared by the pool; free again when the failed disk has been replaced")),
        ("replace_hours", conditions.wait_hours, tell("until a failed disk is replaced where no spare is free")),
        (
            "spare_hours",
            conditions.spare_wait_hours,
            tell("until a spare takes over (assumed {hours:g})", hours=DEFAULT_SPARE_HOURS),
        ),
        (
            "fill_percent",
            conditions.rebuild.fill_percent,
            tell("how full the pool is: a rebuild copies what is in use"),
        ),
        (
            "load_percent",
            conditions.rebuild.load_percent,
            tell("share of the disks’ time that users take from a rebuild"),
        ),
        ("full_reads_per_year", FULL_READS_PER_YEAR, tell("of a vdev without redundancy: a scrub each month")),
        ("waiting_times", tell("exponential"), tell("failures and rebuilds; one rebuild at a time in a vdev")),
    ]
    errors: dict[VdevClass, float] = {}  # where the media of the vdevs differ, the most
    for vdev, _ in risk.vdevs:
        own = vdev.conditions.errors_per_bit(vdev.spec)
        errors[vdev.spec.vdev_class] = max(own, errors.get(vdev.spec.vdev_class, 0.0))
    for vdev_class, per_bit in errors.items():
        front = "" if vdev_class is VdevClass.DATA else f"{vdev_class.value}_"
        why = tell("the data sheets’ upper bound unless it was given")
        found.append((f"{front}read_errors_per_bit", per_bit, why))
    return found


def simulation_document(risk: Risk, *, pool_years: int, seed: int) -> dict[str, object]:
    """Play so many years of failing disks and return what was lost, beside what the chain says of them."""
    from poolwright.predict.montecarlo import Share, simulate

    played = simulate(risk.hazards, pool_years=pool_years, seed=seed)

    def share(found: Share, expected: float) -> dict[str, object]:
        low, high = found.interval()
        return {
            "pools": found.hits,
            "low": low,
            "typical": found.probability,
            "high": high,
            "chain": expected,
            "chain_within_interval": low <= expected <= high,
        }

    return {
        "pool_years": played.pool_years,
        "seed": played.seed,
        "confidence_percent": 95,
        "lost": share(played.lost, risk.disk_probability),
        "damaged": share(played.damaged, risk.disk_damage.typical),
    }
