"""What other tools printed, recognised by its content: real files of each, and numbers that stand in them."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Direction, Observer, What
from poolwright.store.read_results import FORMATS, read_result

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
TOOLS = {
    "bonnie": BenchTool.BONNIE,
    "dd": BenchTool.DD,
    "sadf_json": BenchTool.SAR,
    "sar_text": BenchTool.SAR,
    "zpool_iostat": BenchTool.ZPOOL_IOSTAT,
}
# In these the tool only says why it measured nothing; sizes of requests are not read.
MESSAGES = ("err_ram", "missing", "iostat-r", "iostat-w")
FILES = [
    (folder, path) for folder in TOOLS if (CORPUS / folder).is_dir() for path in sorted((CORPUS / folder).iterdir())
]

OTHERS = [path for name in ("fio_json", "zpool_list", "zdb_S", "zdb_DD", "zdb") for path in (CORPUS / name).glob("*")]
needs_corpus = pytest.mark.skipif(not FILES, reason="the collection of real files is not here")


@needs_corpus
@pytest.mark.parametrize(("folder", "path"), FILES, ids=lambda value: getattr(value, "name", value))
def test_that_a_real_file_is_known_as_what_its_tool_printed(folder: str, path: Path) -> None:
    if any(word in path.name for word in MESSAGES):
        with pytest.raises(UserError):
            read_result(path.read_bytes(), path.name)
        return
    found = read_result(path.read_bytes(), path.name)
    assert {one.tool for one in found} == {TOOLS[folder]}
    assert all(one.measured or one.curves or one.facts for one in found)
    for one in found:
        for curve in one.curves:
            assert len(curve.ms) == len(curve.values)
            assert (curve.ms[1:] > curve.ms[:-1]).all()


@pytest.mark.slow
@needs_corpus
@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_that_a_file_that_is_cut_or_broken_is_read_or_refused_by_every_reader(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([*(path for _, path in FILES), *sorted(OTHERS)]))
    content = path.read_bytes()[:20_000]
    end = data.draw(st.integers(0, len(content)))
    at = data.draw(st.integers(0, max(0, end - 1)))
    broken = content[:at] + data.draw(st.binary(max_size=6)) + content[at:end]
    for each in FORMATS:
        each.looks_like(broken, "broken")
        with suppress(UserError):
            each.read(broken, where="broken")


def test_that_what_bonnie_was_too_fast_to_measure_is_unknown() -> None:
    line = b"1.97,1.97,host,1,1795133263,64M,,,,+++++,+++,+++++,+++,,,500000,9,+++++,+++,,,,,,,,,,,,,,,,,,,"
    (recorded,) = read_result(line + b"4070us,16000us,,46us,14508us,,,,,,\n", "bonnie")
    rates = {(one.pattern, one.direction): one.rate for one in recorded.measured}
    assert {one.jobs for one in recorded.measured} == {1}
    assert {rate for rate in rates.values() if rate is not None} == {500000 * 1024.0}
    (cut,) = read_result(line[:-10], "bonnie")
    assert [one.rate for one in cut.measured if one.rate] == [500000 * 1024.0]
    assert any("cut off" in note for note in cut.notes)


def test_that_the_wait_of_a_disk_in_zpool_iostat_is_read_in_nanoseconds() -> None:
    lines = (
        "tank\t1000\t9000\t10\t20\t1048576\t2097152\t5000000\t6000000\t4000000\t5000000\t-\t-\t-\t-\t-\t-\t-\n"
        "raidz1-0\t1000\t9000\t10\t20\t1048576\t2097152\t5000000\t6000000\t4000000\t5000000\t-\t-\t-\t-\t-\t-\t-\n"
        "sda\t-\t-\t10\t20\t1048576\t2097152\t7000000\t8000000\t4000000\t5000000\t-\t-\t-\t-\t-\t-\t-\n"
    )
    (recorded,) = read_result((lines * 3).encode(), "iostat")
    (wait,) = [
        curve
        for curve in recorded.curves
        if curve.source is Observer.DISK and curve.what is What.LATENCY and curve.detail == "total_wait"
        and curve.direction is Direction.READ
    ]  # fmt: skip
    assert (wait.name, set(wait.values.tolist())) == ("sda", {7000000.0})


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("ARC status:                      HEALTHY\n", "arc_summary is not read; cat /proc/spl/kstat/zfs/arcstats is"),
        ("avg-cpu:  %user   %nice\n          1.00    0.00\n", "iostat is not read; sar -u -d 1 is"),
        ("# hostname;interval;timestamp;CPU;%user\n", "sadf -d is not read; sadf -j is"),
        ("latency      read  write   read\n", "zpool iostat -w is not read; zpool iostat -l is"),
        ("req_size      ind    agg    ind    agg\n", "zpool iostat -r is not read; zpool iostat -l is"),
    ],
)
def test_that_what_is_not_read_says_what_is(text: str, what: str) -> None:
    with pytest.raises(UserError, match=what):
        read_result(text.encode(), "told.txt")
