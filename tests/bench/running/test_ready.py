"""What would fail on its way is told before it begins; what a tool tells while it works is heard."""

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.profiles.places import ON_ZFS
from tests.bench.running.places import needs_fio
from tests.bench.running.places import place as place_there
from tests.emit.pretend import small_design

from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.verdicts import foretold_lines
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import effort_of, find_built_in, make_profile
from poolwright.bench.record import AnswerPlot, BenchTarget, Effort, Ended, Profile, job_text
from poolwright.bench.running.inspection import check_ready, check_room, look
from poolwright.bench.running.monitoring import NO_LIMITS, Listening, RepeatFigures
from poolwright.bench.running.run import RunOrder, run_profile
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, MIB
from poolwright.machine.fio.live import FioLine
from poolwright.process.blocking import converse

VOLUMES = tuple(f"/dev/zvol/tank/poolwright-paper-{number}" for number in (1, 2, 3))


def ready(name: str, where: BenchTarget) -> Profile:
    profile = make_profile(find_built_in(name), where)
    check_ready(profile, effort_of(profile, where), where)
    return profile


def test_that_a_missing_program_is_told_before_anything_runs() -> None:
    with pytest.raises(Refusal, match=r"bonnie\+\+ is not installed") as refused:
        ready("bonnie", replace(ON_ZFS, tools=("dd",)))
    assert "bonnie++" in (refused.value.todo or "")
    assert ready("bonnie", replace(ON_ZFS, tools=("dd", "bonnie++")))
    assert ready("bonnie", replace(ON_ZFS, tools=None))  # nobody looked
    assert ready("standard", replace(ON_ZFS, tools=()))


def test_that_volumes_which_are_not_there_are_told_with_the_script_that_makes_them() -> None:
    with pytest.raises(Refusal, match="poolwright-paper-3") as refused:
        ready("paper", replace(ON_ZFS, volumes=VOLUMES[:2]))
    assert "--paper-volumes tank" in (refused.value.todo or "")
    profile = ready("paper", replace(ON_ZFS, volumes=VOLUMES))
    # They take room, and lie there already when it begins.
    assert effort_of(profile, ON_ZFS).volume_bytes == 30 * GIB
    assert ready("paper", replace(ON_ZFS, volumes=VOLUMES, free_bytes=GIB))


def test_that_a_look_tells_which_tools_there_are(tmp_path: Path) -> None:
    there = converse(look(str(tmp_path)))
    assert "dd" in (there.tools or ())
    assert there.volumes == ()


@pytest.mark.parametrize(("writes", "written"), [(True, 400 * MIB), (False, 0)])
def test_that_what_dd_has_copied_so_far_is_heard(writes: bool, written: int) -> None:
    told: list[RepeatFigures] = []
    heard = Listening(
        NO_LIMITS, (0.0, 0), told.append, lambda _: None, {}, asked_bytes=GIB, writes=writes
    )  # fmt: skip
    heard.hear(0, b"dd if=/dev/zero of=data bs=1M count=1024\n104857600 bytes (105 MB, 100 MiB) copied, 1 s, 105 MB/s")
    heard.hear(0, f"\r{400 * MIB} bytes (419 MB, 400 MiB) copied, 4 s, 105 MB/s".encode())
    heard.end()
    assert told[-1].written_bytes == written
    assert told[-1].seconds_left is not None


def test_that_what_a_report_of_fio_says_was_written_holds_against_its_line_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("poolwright.bench.running.monitoring._TELL_SECONDS", 0.0)
    heard = Listening(NO_LIMITS, (0.0, 0), lambda _: None, lambda _: None, {0: FioLine()})
    jobs = [{"jobname": "write", "write": {"io_bytes": GIB}, "eta": 2147483647}]
    heard.hear(0, f"{json.dumps({'jobs': jobs}, indent=2)}\n".encode())  # it was over before the line told a rate
    heard.enough()
    heard.end()
    assert heard.figures.written_bytes == GIB


def test_that_less_is_asked_of_bonnie_where_less_may_be_written() -> None:
    profile = make_profile(find_built_in("bonnie"), ON_ZFS, wishes=BenchWishes(most_bytes=8 * GIB))
    effort = effort_of(profile, ON_ZFS)
    assert 4 * GIB < effort.written_bytes < 8 * GIB
    assert any("Not cache-proof" in note for note in profile.tests[0].notes)


@needs_fio
def test_that_a_disk_that_is_not_there_is_named(tmp_path: Path) -> None:
    profile = make_profile(find_built_in("siblings"), place_there(tmp_path), small_design())
    record = converse(
        run_profile(RunOrder(profile=profile, place=place_there(tmp_path), job_of=job_text, idle_seconds=0.0))
    )
    assert record.ended is Ended.FAILED
    assert record.why.startswith("There is no disk /dev/")
    expectation = expected(profile, small_design(), None, place_there(tmp_path))
    assert [*foretold_lines(profile.tests, expectation)] == [
        f"{len(profile.tests)} tests have no expected value. Disks are held against each other."
    ]
    assert list(tmp_path.iterdir()) == []


TIB = 1 << 40
FULL, FREE = "more than 80 % full", "are free"


def place(free: int, pool: int | None = 10 * TIB) -> BenchTarget:
    return BenchTarget(directory="/tank/x", filesystem="zfs", host="h", free_bytes=free, pool_bytes=pool)


# Of 10 TiB as zpool list counts a third is parity: 6.6 TiB of files fill it, and a fifth of that stays free.
RAIDZ = replace(place(66 * TIB // 10), fill_percent=0)


@pytest.mark.parametrize(
    ("space", "where", "fills", "said"),
    [
        (TIB, place(3 * TIB), False, ""), (TIB + 1, place(3 * TIB), False, FULL), (1, place(TIB), False, FULL),
        (52 * TIB // 10, RAIDZ, False, ""), (54 * TIB // 10, RAIDZ, False, FULL),
        (2 * TIB, place(3 * TIB), True, ""), (4 * TIB, place(3 * TIB), True, FREE),
        (TIB, place(TIB, None), False, ""), (TIB + 1, place(TIB, None), False, FREE),
    ],
)  # fmt: skip
def test_that_a_fifth_of_a_pool_stays_free_but_where_it_is_filled(
    space: int, where: BenchTarget, said: str, *, fills: bool
) -> None:
    effort = Effort(seconds=1, written_bytes=space, read_bytes=0, space_bytes=space)
    plot = AnswerPlot.AGAINST_FILL if fills else AnswerPlot.BARS
    with pytest.raises(Refusal, match=said) if said else nullcontext():
        check_room(Profile(name="p", title="p", question="?", tests=(), plot=plot), effort, where)
