"""The pages of the guide on how a number is made name the numbers that the models have."""

from collections.abc import Iterator

import pytest

from poolwright.design import rank
from poolwright.design.floors import WIDEST
from poolwright.design.roles import cache, log, verdicts
from poolwright.domain.disk import Media
from poolwright.domain.units import MIB
from poolwright.guide import guide_pages
from poolwright.predict import cost, media, rebuild, throughput, usage
from poolwright.predict.drives import ASSUMED_FLOOR
from poolwright.predict.risk_conditions import DEFAULT_REPLACE_HOURS
from poolwright.predict.throughput import FITTED
from poolwright.table_library import load_shipped_tables


def of_speed() -> Iterator[str]:
    read, write = throughput.HOST_READ_FACTOR / MIB**0.5, throughput.HOST_WRITE_FACTOR / MIB**0.5
    yield f"`1 / (1 + {FITTED.read_column_cost:g} (data - 1))`"
    yield f"mirror adds {FITTED.mirror_read_gain:g}."
    yield f"`parity^{FITTED.parity_exponent:g}`"
    yield f"`w^{throughput.MIRROR_LIMIT_EXPONENT:g}`"
    yield f"e = {throughput.MEET_EXPONENT:g} for writes and {throughput.READ_MEET_EXPONENT:g} for reads"
    yield f"{read:g} (read) or {write:g} (write)"
    yield f"at least {throughput.HOST_READ_FLOOR / MIB:,.0f} or {throughput.HOST_WRITE_FLOOR / MIB:,.0f} MiB/s"
    yield "{:g} (read) / {:g} (write) MB/s".format(*(rate / 1e6 for rate in media.SIZED_RATES))
    yield "(size / 8 TB)^{:g} / ^{:g}".format(*media.SIZE_POWERS)
    yield f"({100 * media.NETWORK_EFFICIENCY:g} % of nominal)"
    yield f"`(queue / {throughput.QUEUE_DEPTH:g})^{throughput.QUEUE_POWER:g}`"
    yield f"{100 * throughput.RANDOM_WRITE_SHARE:g} % of the sequential rate"
    yield f"from {throughput.AGED_AT_PERCENT:g} % full on, beginning at {throughput.AGED_FROM_PERCENT:g} %"
    yield f"{throughput.ROWS} rates of two machines"
    for way, errors in (("read", throughput.READ_MISSED_PERCENT), ("write", throughput.WRITE_MISSED_PERCENT)):
        for case, (middle, worst) in zip(("machine never measured", "one run on the machine"), errors, strict=True):
            yield f"| {way}, {case} | {middle:g} % | {worst:g} % |"


def of_rebuild() -> Iterator[str]:
    yield f"{1e6 * rebuild.FIND_SECONDS[Media.HDD]:.0f} µs before OpenZFS 0.8"
    yield f"and {rebuild.SORTED_FIND_SHARE:g} of that since"
    yield f"{rebuild.SORTED_LOW_FACTOR:g} to {rebuild.HIGH_FACTOR:g} times the result"
    yield f"both at {rebuild.SEQUENTIAL_SHARE:.2f} of the disks' rates"
    yield f"{rebuild.SMR_FACTOR:g} times as long behind parity, {rebuild.SMR_MIRROR_FACTOR:g} times in a mirror"


def of_risk() -> Iterator[str]:
    causes = {row.text("cause"): row.number_of("typical") for row in load_shipped_tables().named("loss_causes").rows}
    yield f"1 in {1 / ASSUMED_FLOOR:,.0f} a year"
    yield f"waits {DEFAULT_REPLACE_HOURS:g} hours for a replacement"
    yield f"{causes['wrong_disk']:g} % of the repairs pull the wrong disk"
    yield f"{causes['burst_share']:g} % of the failures are the first of several"
    yield f"takes each other disk with {causes['burst_reach']:g} %"
    for cause in ("controller", "software", "operator"):
        yield f"{float(causes[cause] or 0) / 100:.0e}".replace("e-0", "e-")


def of_cost() -> Iterator[str]:
    for kind, watts in zip(("hard disk", "SSD", "NVMe"), cost.ASSUMED_WATTS.values(), strict=True):
        yield f"{kind} {watts[0]:g} to {watts[2]:g} W"
    yield f"at {cost.KWH_PRICE[0]:.2f} to {cost.KWH_PRICE[2]:.2f}"
    yield f"over {'five' if cost.YEARS == 5 else cost.YEARS} years"


def of_ranking() -> Iterator[str]:
    words = rank.TITLES | {"risk": "yearly risk", "capacity": "capacity", "rebuild": "rebuild"}
    kinds = [
        *((f"`{goal}`", parts) for goal, parts in rank.WEIGHTS.items()),
        ("`concurrent`, all sequential", rank.STREAMS),
    ]
    for kind, parts in kinds:
        told = sorted(parts.items(), key=lambda part: -part[1][0])
        yield f"| {kind} | {'; '.join(f'{words[name].lower()} {most:g}, {step:g}' for name, (most, step) in told)} |"
    yield "raidz1 of at most {} disks, raidz2 of {}, raidz3 of {}".format(*WIDEST.values())
    yield f"each further pool takes {rank.POINTS_PER_FURTHER_POOL:g}"


def of_flash() -> Iterator[str]:
    yield f"Headers take {cache.HEADER_BYTES} bytes a block, at most {cache.MOST_HEADER_PERCENT} % of the RAM"
    yield f"sigma {verdicts.SIGMA:g}"
    yield f"a gain of {log.WORTH:g}, of {log.WORTH_BEFORE_FLASH:g} before a pool of flash"
    yield f"{100 * usage.SPECIAL_DATA_SHARE:g} % of the flash"


def of_sync() -> Iterator[str]:
    yield f"{1e3 * throughput.LOG_RECORD_SECONDS:g} ms of OpenZFS"
    yield f"{1e6 * throughput.HOST_SYNC_SECONDS:g} µs"
    protected = {"NVMe": throughput.NVME_PROTECTED, "SSD": throughput.SSD_PROTECTED}
    flushes = {f"{kind} with power-loss protection": flush for kind, flush in protected.items()}
    for words, flush in {**flushes, "flash without it": throughput.UNPROTECTED}.items():
        yield f"| {words} | {1e3 * flush.typical:g} ms ({1e3 * flush.low:g} to {1e3 * flush.high:g}) |"
    yield f"one operation below {throughput.SMALL_SYNC_BYTES // 1024} KiB"


def of_space() -> Iterator[str]:
    low, high = usage.COMPRESSIBLE_BAND
    yield f"a ratio of {usage.COMPRESSIBLE_RATIO:g}, band {low:.1f} to {high:.1f}"


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("speed", of_speed()), ("rebuild-time", of_rebuild()), ("risk", of_risk()), ("cost", of_cost()),
        ("ranking", of_ranking()), ("flash", of_flash()), ("sync-writes", of_sync()), ("space", of_space()),
    ],
)  # fmt: skip
def test_that_the_guide_names_the_numbers_of_the_models(page: str, told: Iterator[str]) -> None:
    text = " ".join(guide_pages()[page].text.split())
    assert [words for words in told if words not in text] == []
