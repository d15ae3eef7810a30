"""Profiles of one's own: fio's job files, checked, kept, and run."""

from pathlib import Path

import pytest
from tests.bench.profiles.places import ON_ZFS, place
from tests.bench.running.places import needs_fio
from tests.bench.running.places import place as here

from poolwright.bench import own_profiles
from poolwright.bench.judging.verdicts import value_of
from poolwright.bench.own_profiles import line_of_section, make_own, option_problem, problems_in, read_own
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import effort_of
from poolwright.bench.record import Ended, job_text
from poolwright.bench.running.run import RunOrder, run_profile
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import What
from poolwright.domain.units import GIB, MIB
from poolwright.process.blocking import converse

LISTING_10 = Path(__file__).with_name("listing.fio").read_text(encoding="utf-8")
FIO = Path(__file__).with_name("spool.fio").read_text(encoding="utf-8")


def test_that_a_fio_job_file_becomes_a_test_at_each_stonewall() -> None:
    profile = make_own(read_own(FIO, where="spool.fio"), ON_ZFS)
    assert (profile.name, profile.own) == ("spool", True)
    first, second = profile.tests
    assert [job.name for job in first.jobs] == ["deliver", "fetch"]
    assert (first.ramp_seconds, first.sync, first.file_bytes, first.files) == (2, True, GIB, 12)
    assert first.seconds == pytest.approx(8 * GIB / 60e6)  # until the slower of both has read its files
    assert (second.seconds, second.files) == (None, 1)
    assert dict(first.options)["fallocate"] == "none"
    assert effort_of(profile, ON_ZFS).space_bytes == 12 * GIB


@pytest.mark.parametrize(("key", "value"), [("numjobs", "0"), ("numjobs", "-1"), ("numjobs", "inf"), ("numjobs", "x")])
def test_that_a_number_of_a_job_is_one_that_fio_can_run(key: str, value: str) -> None:
    with pytest.raises(UserError) as refused:
        make_own(read_own(f"[a]\nrw=read\nsize=1G\n{key}={value}\n", where="spool.fio"), ON_ZFS)
    assert refused.value.where == key


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("filename", "/dev/sda"), ("filename", "../x"), ("filename", "a:/etc/passwd"), ("opendir", "data"),
        ("exec_prerun", "reboot"), ("exec_postrun", "x"), ("ioengine", "external:/tmp/x.so"), ("ioengine", "net"),
        ("ioengine", "exec"), ("read_iolog", "x"), ("write_iolog", "x"), ("filename", "${HOME}"), ("include", "x"),
        ("write_bw_log", "x"), ("filename_format", "../$jobnum"), ("verify_state_save", "/x"), ("a b", "1"),
        ("fill_device", "1"),
    ],
)  # fmt: skip
def test_that_a_job_says_nothing_of_where_and_runs_nothing(key: str, value: str) -> None:
    assert option_problem(key, value) is not None
    with pytest.raises(UserError):
        read_own(f"[job]\nsize=1m\n{key}={value}\n", where="x.fio")


def test_that_a_job_without_a_size_is_told_when_it_is_made() -> None:
    with pytest.raises(UserError, match="does not say how large"):
        make_own(read_own("[x]\nrw=read\n", where="x.fio"), ON_ZFS)


def test_that_the_directory_of_a_pasted_job_is_replaced_and_told() -> None:
    own, problems = problems_in(LISTING_10, "listing")
    assert own is not None
    assert problems == ()
    (test,) = make_own(own, ON_ZFS).tests
    assert any("directory=/ZFS/ is replaced" in note for note in test.notes)
    assert "/ZFS/" not in job_text(test, 1)


def test_that_files_of_unlike_sections_are_counted_by_their_own_sizes() -> None:
    (test,) = make_own(read_own(LISTING_10, where="listing.fio"), ON_ZFS).tests
    assert 40 * MIB <= test.file_bytes * test.files < 40 * MIB + 16


@pytest.mark.parametrize(
    ("text", "written", "seconds"),
    [
        ("[a]\nrw=write\nsize=4M\nio_size=8M", 8, 2),
        ("[a]\nrw=write\nsize=4M\nloops=3", 12, 2),
        ("[a]\nreadwrite=write\nfilesize=4M\nnrfiles=4", 16, 2),
        ("[a]\nrw=read\nsize=8M\n[b]\nrw=write\nsize=8M\nstartdelay=60", 16, 60),
        ("[a]\nrw=read\nsize=8M\n[b]\nrw=write\nsize=8M\ntime_based\nruntime=30", 2000, 30),
        ("[a]\nrw=randwrite ; as databases do\nsize=8M # small\nio_size=1M\ntime_based\nruntime=30", 2000, 30),
    ],
)
def test_that_a_job_of_any_form_writes_no_more_and_takes_no_longer_than_is_told(
    text: str, written: int, seconds: float
) -> None:
    effort = effort_of(make_own(read_own(text, where="x.fio"), ON_ZFS, BenchWishes(repeats=1)), ON_ZFS)
    assert effort.written_bytes >= written * MIB
    assert effort.seconds >= seconds


def test_that_only_a_job_that_asks_for_o_direct_is_said_to_go_past_the_cache(tmp_path: Path) -> None:
    for asked, proof in (("direct=1", True), ("direct=0", False), ("", False)):
        (test,) = make_own(read_own(f"[a]\nrw=read\nsize=4M\n{asked}", where="x.fio"), here(tmp_path)).tests
        assert test.cache_proof == any("O_DIRECT, past" in note for note in test.notes) == proof


@pytest.mark.slow
@needs_fio
def test_that_sections_that_run_together_stay_rows_of_their_own(tmp_path: Path) -> None:
    profile = make_own(read_own(LISTING_10, where="listing.fio"), here(tmp_path), BenchWishes(repeats=1))
    order = RunOrder(profile=profile, place=here(tmp_path), job_of=job_text, idle_seconds=0.0)
    record = converse(run_profile(order))
    assert record.ended is Ended.WHOLE
    (repeat,) = record.tests[0].repeats
    assert repeat.application is not None
    rows = {one.name: one.bytes for one in repeat.application.measured}
    assert rows == {"benchmark1": 20 * MIB, "benchmark2": 10 * MIB, "benchmark3": 10 * MIB}
    # They moved 40 MiB in 2 s: that each moved its part within moments adds up to no rate, and not at the first one.
    value = value_of(record.tests[0].test, repeat)
    assert value is not None
    assert value < 22 * MIB
    (rate,) = (curve for curve in repeat.application.curves if curve.what is What.RATE)
    assert [2500 >= ms >= 2000 for ms in rate.ms[-1:]] == [True]


@pytest.mark.slow
@needs_fio
def test_that_a_profile_of_ones_own_runs(tmp_path: Path) -> None:
    tiny = place(free_bytes=64 * MIB, ram_bytes=64 * MIB)
    text = "[deliver]\nrw=randwrite\nbs=4096\nsize=8m\ntime_based\nruntime=1\n"
    profile = make_own(read_own(text, where="x.fio"), tiny, BenchWishes(seconds=0.3, repeats=1))
    assert "runtime=300ms" in job_text(profile.tests[0], 1)
    order = RunOrder(profile=profile, place=here(tmp_path), job_of=job_text, idle_seconds=0.0)
    assert converse(run_profile(order)).ended is Ended.WHOLE


def test_that_a_profile_is_kept_as_it_was_written_and_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert own_profiles.kept_profiles() == ()
    own = own_profiles.keep_text("; for the mail server\n" + FIO, "mail")
    assert own_profiles.text_of("mail") == "; for the mail server\n" + FIO
    with pytest.raises(UserError):
        own_profiles.keep(own)
    path = own_profiles.keep(own, over=True)
    assert path.is_relative_to(tmp_path)
    (path.parent / "broken.fio").write_text("[", encoding="utf-8")
    assert own_profiles.kept_profiles() == (own,)
    own_profiles.forget("mail")
    assert own_profiles.kept_profiles() == ()
    for name in ("my mail", "my-mail"):
        own_profiles.keep_text(FIO, name)
    assert [kept.name for kept in own_profiles.kept_profiles()] == ["my mail", "my-mail"]
    with pytest.raises(UserError):
        own_profiles.text_of("mail")


GOOD = "[global]\nsize=1g\n\n; a remark: filename=/x\n[records]\nrw=randwrite\nbs=16k\n"


@pytest.mark.parametrize(
    ("text", "lines", "said"),
    [
        (GOOD + "filename=/dev/sda\nioengine=rbd\n", [8, 9], "filename"),
        ("size=1g\n[a]\nrw=read\n", [1], ""),
        ("size=1m\n", [1], "no fio job file"),
        ("[a]\nrw=read\n[global]\nsize=1g\n", [3], "before the first job"),
        ("[global]\nsize=1g\n", [None], "no job in it"),
        ("[global]\nsize=1g\n[a/b]\nrw=read\n", [3], "“a/b” is not understood"),
    ],
)
def test_that_each_mistake_is_told_with_its_line(text: str, lines: list[int | None], said: str) -> None:
    own, problems = problems_in(text, "mail")
    assert own is None
    assert [problem.line for problem in problems] == lines
    assert all(problem.text for problem in problems)
    assert said in problems[0].text


def test_that_a_job_is_found_by_its_name() -> None:
    assert line_of_section(GOOD, "records") == 5
    assert line_of_section(GOOD, "other") is None
