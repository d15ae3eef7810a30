"""What the models take and what they refuse: the last value on either side of each bound."""

from collections.abc import Callable
from datetime import date
from functools import partial
from math import inf, nan

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.steps import at_once
from poolwright.domain.units import KIB
from poolwright.predict.cost import Band, CostDefaults
from poolwright.predict.drives import CAUSE_TABLE, NAMES, read_causes, typed_rate
from poolwright.predict.rebuild import RebuildConditions
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.predict.runs import Metric, make_run, parse_number, read_runs
from poolwright.predict.space import Growth, forecast
from poolwright.predict.synclog_model import BEFORE, PAPER_DISK, Device, Setup, simulate
from poolwright.predict.usage import StoredContent

STORED = partial(StoredContent, name="data")
AT_ALL = {"logical_bytes": 10, "block_bytes": 4096}
TWICE, UNCOMPRESSED = AT_ALL | {"compress_ratio": 2.0}, AT_ALL | {"compress_ratio": None}
FILLED = {"used_bytes": 20, "available_bytes": 100, "growth": Growth(percent=1), "today": date(2026, 11, 20)}
DEVICE = {"write_seconds": 1e-3, "bytes_per_second": 1e8, "spread": 0.5, "origin": PAPER_DISK.origin}
BAND = {"low": 1.0, "typical": 2.0, "high": 3.0}


@pytest.mark.parametrize(
    ("make", "others", "name", "taken", "refused"),
    [
        (RebuildConditions, {}, "fill_percent", (0, 100), (-0.1, 100.1)),
        (RebuildConditions, {}, "load_percent", (0, 95), (-0.1, 95.1)),
        (RebuildConditions, {}, "read_bytes_per_second", (0.1,), (0.0, -1.0)),
        (RebuildConditions, {}, "write_bytes_per_second", (0.1,), (0.0, -1.0)),
        (RebuildConditions, {}, "record_bytes", (1,), (0, -1)),
        (RiskConditions, {"drive": typed_rate(1)}, "rebuild_hours", (0.01, 1e9, None), (0, -1, inf)),
        (RiskConditions, {"drive": typed_rate(1)}, "replace_hours", (0, 1e9, None), (-0.1, inf)),
        (RiskConditions, {"drive": typed_rate(1)}, "spare_hours", (0, 1.0), (-0.1,)),
        (RiskConditions, {"drive": typed_rate(1)}, "spares", (0, 5, None), (-1,)),
        (RiskConditions, {"drive": typed_rate(1)}, "correlation", (1, 9.0), (0.99, inf)),
        (RiskConditions, {"drive": typed_rate(1)}, "read_errors_per_bit", (0, 0.99, None), (-1e-20, 1)),
        (STORED, AT_ALL, "block_bytes", (512, 1024, 1 << 24), (0, 256, 513, 1000, 3072)),
        (STORED, AT_ALL, "logical_bytes", (0,), (-1,)),
        (STORED, AT_ALL, "file_bytes", (1, None), (0, -1)),
        (STORED, AT_ALL, "copies", (1, 2, 3), (0, 4)),
        (STORED, AT_ALL, "compress_ratio", (1, 1.01, None), (0.99,)),
        (STORED, TWICE, "ratio_band", ((1, 2), (2, 2), (1.5, 9)), ((0.9, 2), (2.1, 3), (1, 1.9))),
        (STORED, UNCOMPRESSED, "ratio_band", ((1, 1), (1, 2)), ((0.5, 1), (1.1, 2))),
        (Growth, {}, "percent", (0, 50), (-0.1, None)),
        (Growth, {}, "bytes_per_year", (0, 50), (-0.1, None)),
        (Growth, {"percent": 1}, "bytes_per_year", (None,), (0, 1)),
        (forecast, FILLED, "available_bytes", (1, 100), (0, -1)),
        (forecast, FILLED, "used_bytes", (0, 1000), (-1,)),
        (forecast, FILLED, "used_band", ((20, 20), (0, 90)), ((21, 30), (0, 19))),
        (forecast, FILLED, "fixed_bytes", (0, 20), (-1, 21)),
        (Band, BAND, "low", (0, 2), (-0.1, 2.1)),
        (Band, BAND, "typical", (1, 3), (0.9, 3.1)),
        (CostDefaults, {}, "years", (0.1,), (0, -1)),
        (CostDefaults, {}, "cooling_factor", (1, 2), (0.99,)),
        (Device, DEVICE, "write_seconds", (0,), (-1e-9,)),
        (Device, DEVICE, "bytes_per_second", (0.1,), (0, -1)),
        (Device, DEVICE, "spread", (0, 1), (-0.01, 1.01)),
        (Setup, {}, "volumes", (1, 64), (0, 65)),
        (Setup, {}, "disks", (1, 64), (0, 65)),
        (Setup, {}, "requests_per_sync", (1, 1000), (0, 1001)),
        (Setup, {}, "depth", (1, 1000), (0, 1001)),
        (Setup, {}, "block_bytes", (512, 64 * KIB), (511, 64 * KIB + 1)),
        (Setup, {}, "host_seconds", (1e-9,), (0, -1)),
    ],
)  # fmt: skip
def test_that_each_bound_is_where_it_is_said_to_be(
    make: Callable[..., object],
    others: dict[str, object],
    name: str,
    taken: tuple[object, ...],
    refused: tuple[object, ...],
) -> None:
    for value in taken:
        assert make(**others | {name: value}) is not None
    for value in refused:
        with pytest.raises(UserError):
            make(**others | {name: value})


@pytest.mark.parametrize(("requests", "fine"), [(0, False), (1, True), (1_000_001, False)])
def test_that_a_simulation_has_a_request_at_least(requests: int, fine: bool) -> None:
    if fine:
        assert at_once(simulate(Setup(volumes=1), BEFORE, requests=requests)).requests >= requests
    else:
        with pytest.raises(UserError):
            at_once(simulate(Setup(), BEFORE, requests=requests))


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.001", 0.001), ("999999999999999", 999999999999999.0), ("1e15", None), ("0", None), ("-1", None), ("inf", None),
     ("nan", None), ("x", None), ("", None)],
)  # fmt: skip
def test_that_a_number_of_a_run_is_above_nought_and_below_a_thousand_trillion(text: str, number: float | None) -> None:
    if number is None:
        with pytest.raises(UserError):
            parse_number(text, what="value")
    else:
        assert parse_number(text, what="value") == number


def test_that_a_run_is_read_with_its_unit_and_its_records() -> None:
    plain = make_run("2*mirror:2x1TB", " seq_read ", "100MB/s", where="x")
    assert (len(plain.layout), plain.metric, plain.value, plain.record_bytes) == (2, Metric.SEQ_READ, 1e8, 128 * KIB)
    small = make_run("mirror:2x1TB", "rand_write_iops", "250", record="16K", where="x")
    many = make_run("mirror:2x1TB", "sync_write_iops", "250", record="128K", clients="32", request="4K", where="x")
    assert (many.clients, many.request_bytes, small.clients, small.request_bytes) == (32, 4096, None, None)
    for count in ("0", "-1", "3.5", "x", "9" * 30, "100001"):
        with pytest.raises(UserError, match="clients cannot be"):
            make_run("mirror:2x1TB", "rand_write_iops", "250", clients=count, where="x")
    assert (small.metric, small.value, small.record_bytes) == (Metric.RAND_WRITE, 250, 16 * KIB)
    (told,) = read_runs("other,value,metric,vdevs,recordsize\nx,7,sync_write_iops,mirror:2x1TB, 1M \n")
    assert (told.value, told.record_bytes) == (7, 1024 * KIB)
    for wrong in (
        ("mirror:2x1TB", "speed", "1"),
        ("log/stripe:1x1TB", "seq_read", "1MB/s"),
        ("x", "seq_read", "1MB/s"),
    ):
        with pytest.raises(UserError) as error:
            make_run(*wrong, where="here")
        assert error.value.where == "here"


def causes(**changes: str) -> str:
    """Return a table of causes, a row of which reads otherwise."""
    lines = ["cause,low,typical,high,unit,basis,means,document,place,note"]
    for name in NAMES:
        numbers = changes.get(name, "1,1,1,times" if name in ("correlation", "burst_hours") else "1,2,3,percent")
        lines.append(f"{name},{numbers},measured,words,book,page 1,")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("name", "numbers", "fine"),
    [
        ("operator", "1,2,3,percent", True), ("operator", "3,2,1,percent", True), ("operator", "2,2,1,percent", True),
        ("operator", "1,1,2,percent", True), ("operator", "1,2,2,percent", True), ("operator", "2,1,1,percent", True),
        ("operator", "1,3,2,percent", False), ("operator", "2,1,3,percent", False),
        ("operator", "-1,2,3,percent", False), ("operator", "0,2,100,percent", True),
        ("operator", "0,2,100.1,percent", False), ("operator", "x,2,3,percent", False),
        ("operator", "1,2,inf,percent", False), ("operator", f"{nan},2,3,percent", False),
        ("correlation", "1,2,3,times", True), ("correlation", "0.9,2,3,times", False),
        ("burst_hours", "0,1,2,h", False), ("burst_hours", "0.1,1,2,h", True),
    ],
)  # fmt: skip
def test_that_a_cause_lies_between_its_ends_and_makes_nothing_safer(name: str, numbers: str, fine: bool) -> None:
    text = causes(**{name: numbers})
    if not fine:
        with pytest.raises(UserError):
            read_causes(text)
        return
    found = getattr(read_causes(text), name)
    low, typical, high, unit = numbers.split(",")
    whole = 100 if unit == "percent" else 1
    assert (found.low, found.typical, found.high) == (float(low) / whole, float(typical) / whole, float(high) / whole)
    assert (found.source, found.means, found.basis, found.unit) == ("book, page 1", "words", "measured", unit)


def test_that_every_cause_is_told_once_with_its_line() -> None:
    whole = causes()
    with pytest.raises(UserError) as twice:
        read_causes(whole + whole.splitlines()[1] + "\n")
    assert twice.value.where == f"{CAUSE_TABLE}:{len(NAMES) + 2}"
    with pytest.raises(UserError, match=NAMES[-1]):
        read_causes("\n".join(whole.splitlines()[:-1]))
    with pytest.raises(UserError):
        read_causes(whole.replace("operator,", "weather,"))
