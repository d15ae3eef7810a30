"""What the models take and what they refuse: the last value on either side of each bound."""

from collections.abc import Callable
from math import inf

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.units import KIB
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.cost import Cost, pool_cost
from poolwright.predict.drives import typed_rate
from poolwright.predict.measured_runs import Metric, make_run, parse_number, read_runs
from poolwright.predict.rebuild import RebuildConditions
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.predict.synclog_model import BEFORE, Setup, simulate


def cost(**said: float) -> Cost:
    return pool_cost((), usable_bytes=1, assumed=Assumptions(**said))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "others", "name", "taken", "refused"),
    [
        (RebuildConditions, {}, "fill_percent", (0, 100), (-0.1, 100.1)),
        (RebuildConditions, {}, "load_percent", (0, 95), (-0.1, 95.1)),
        (RiskConditions, {"drive": typed_rate(1)}, "rebuild_hours", (0.01, 1e9, None), (0, -1, inf)),
        (RiskConditions, {"drive": typed_rate(1)}, "replace_hours", (0, 1e9, None), (-0.1, inf)),
        (RiskConditions, {"drive": typed_rate(1)}, "spare_hours", (0, 1.0), (-0.1,)),
        (RiskConditions, {"drive": typed_rate(1)}, "spares", (0, 5, None), (-1,)),
        (RiskConditions, {"drive": typed_rate(1)}, "correlation", (1, 9.0), (0.99, inf)),
        (RiskConditions, {"drive": typed_rate(1)}, "read_errors_per_bit", (0, 0.99, None), (-1e-20, 1)),
        (cost, {}, "years", (0.1,), (0, -1)),
        (cost, {}, "cooling_factor", (1, 2), (0.99,)),
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
        assert simulate(Setup(volumes=1), BEFORE, requests=requests).requests >= requests
    else:
        with pytest.raises(UserError):
            simulate(Setup(), BEFORE, requests=requests)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0.001", 0.001), ("999999999999999", 999999999999999.0), ("1e15", None), ("0", None), ("-1", None), ("inf", None),
     ("nan", None), ("x", None), ("", None)],
)  # fmt: skip
def test_that_a_number_of_a_run_is_above_nought_and_below_a_thousand_trillion(text: str, number: float | None) -> None:
    if number is None:
        with pytest.raises(UserError):
            parse_number(text)
    else:
        assert parse_number(text) == number


def test_that_a_run_is_read_with_its_unit_and_its_records() -> None:
    plain = make_run("2*mirror:2x1TB", " seq_read ", "100MB/s", where="x")
    assert (len(plain.layout), plain.metric, plain.value, plain.record_bytes) == (2, Metric.SEQ_READ, 1e8, 128 * KIB)
    small = make_run("mirror:2x1TB", "rand_write_iops", "250", record="16K", where="x")
    many = make_run("mirror:2x1TB", "sync_write_iops", "250", record="128K", clients="32", request="4K", where="x")
    assert (many.clients, many.request_bytes, small.clients, small.request_bytes) == (32, 4096, None, None)
    for count in ("0", "-1", "3.5", "x", "9" * 30, "100001"):
        with pytest.raises(UserError, match="out of range"):
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
