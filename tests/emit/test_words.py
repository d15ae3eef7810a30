"""Small parts that exports share: names, comments, spellings, jobs of fio, places of members, versions of words."""

from datetime import date

import pytest
from tests.emit.pretend import STAMP, disk, small_design, vdev

from poolwright.design.evaluate import evaluate
from poolwright.domain.design import Setting
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.units import GIB, KIB, MIB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.emit.ansible import JinjaText, Value, yaml_lines
from poolwright.emit.exports import EXPORTS, export_format
from poolwright.emit.fio import clients_of, fio_job_file, workload_jobs, written_data
from poolwright.emit.names import check_setting, comment, comment_line, commented, device_path, device_problem, quote
from poolwright.emit.report import markdown_text
from poolwright.emit.report_design import DesignSubject, design_report
from poolwright.emit.script import exact, exact_settings, has_partitions, refuse, spellings
from poolwright.emit.sheet import places
from poolwright.table_library import load_drive_book


@pytest.mark.parametrize(
    ("name", "fine"),
    [("a", True), ("org.x:note", True), ("1", True), ("a-b_c.d@e", True), ("A", False), ("-a", False), ("", False),
     ("a=b", False), ("a b", False)],
)  # fmt: skip
def test_that_only_what_may_be_a_property_is_written(name: str, fine: bool) -> None:
    if fine:
        check_setting(name, "x", where="tank")
    else:
        with pytest.raises(UserError) as error:
            check_setting(name, "x", where="tank")
        assert error.value.where == "tank"


@pytest.mark.parametrize("value", ["a\nb", "\x00", "\x1f", "\x7f", "\ud800"])
def test_that_no_control_character_is_written_as_a_value(value: str) -> None:
    with pytest.raises(UserError):
        check_setting("comment", value, where="tank")
    with pytest.raises(UserError):
        quote(value)
    check_setting("comment", "plain \x20~ é", where="tank")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("tank", "tank"), ("a b", "'a b'"), ("", "''"), ("for", "'for'"), ("fort", "fort"),
        ("a@b%c_d+e=f:g,h./i-j", "a@b%c_d+e=f:g,h./i-j"),
        ("$(x)", "'$(x)'"), ("it's", "'it'\"'\"'s'"), ("é", "'é'"), ("‘a", "$'\\342\\200\\230a'"),
        ("a\u202eb", "$'a\\342\\200\\256b'"),
        ("\u202e'\\", "$'\\342\\200\\256\\'\\\\'"),
    ],
)  # fmt: skip
def test_that_a_word_of_a_shell_is_what_it_looks_like(text: str, word: str) -> None:
    assert quote(text) == word


def test_that_a_comment_is_one_line_of_a_given_length() -> None:
    assert comment("x" * 200) == "x" * 200
    assert comment("x" * 201) == "x" * 199 + "…"
    assert comment("abc", longest=3) == "abc"
    assert comment("abcd", longest=3) == "ab…"
    assert comment_line("x" * 2000) == "# " + "x" * 2000
    assert comment_line("x" * 2001).endswith("x…")
    assert comment_line("a\nb", mark="; ").count("\n") == 0
    lines = commented("word " * 60)
    assert [len(line) for line in lines] == [106, 106, 91]
    assert all(line.startswith("# word") for line in lines)
    assert commented("a  b\n c", mark="; ") == ["; a b c"]
    assert commented("long-" * 30) == ["# " + "long-" * 30]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, ""),
        ({"by_id": ("ata-" + "x" * 251,)}, ""),
        ({"by_id": ("ata-" + "x" * 252,)}, "no usable name under"),
        ({"by_id": ("ata-a b",)}, "no usable name"),
        ({"by_id": ("-a",)}, "no usable name"),
        ({"by_id": ()}, "no usable name"),
        ({"planned": True}, "is planned"),
        ({"planned": True, "by_id": ()}, "is planned"),
        ({"by_id": ("wwn-0x5000c500a1b2c3d4", "ata-ST6000NM0034_ZAD00000")}, ""),
        *(({"by_id": (f"{kind}-x",)}, "mapped device") for kind in ("dm-uuid", "dm-name", "md-uuid", "lvm-pv-uuid")),
    ],
)
def test_that_a_disk_is_named_only_by_a_safe_name(changes: dict[str, object], problem: str) -> None:
    one = disk(0, **changes)  # type: ignore[arg-type]
    told = device_problem(one)
    assert (problem in told) if told is not None else not problem
    if not problem:
        assert device_path(one) == f"/dev/disk/by-id/{one.by_id_name}"
    else:
        with pytest.raises(Refusal):
            device_path(one)


@pytest.mark.parametrize(
    ("value", "size"),
    [("16K", 16 << 10), ("1M", 1 << 20), ("3g", 3 << 30), ("2T", 2 << 40), ("1P", 1 << 50), ("1E", 1 << 60),
     ("8KiB", 8 << 10),
     ("8KB", 8 << 10)],
)  # fmt: skip
def test_that_sizes_are_exact(value: str, size: int) -> None:
    assert exact(value) == str(size)
    assert spellings("quota", value) == (value, str(size))


@pytest.mark.parametrize(
    ("name", "value", "others"),
    [
        ("compression", "16k-x", ()), ("quota", "none", ("0",)), ("compression", "none", ()), ("recordsize", "128", ()),
        ("feature@async_destroy", "enabled", ("active",)), ("feature@async_destroy", "disabled", ()),
        ("x", "enabled", ()),
        ("xattr", "on", ("sa", "dir")), ("encryption", "on", ("aes-256-gcm", "aes-256-ccm")), ("comment", "", ("-",)),
    ],
)  # fmt: skip
def test_that_other_forms_of_a_value_are_known(name: str, value: str, others: tuple[str, ...]) -> None:
    assert spellings(name, value) == (value, *others)
    assert exact(value) == value


def test_that_pieces_of_declarative_forms_say_what_they_should() -> None:
    settings = (Setting(name="recordsize", value="1M"), Setting(name="atime", value="off"))
    assert exact_settings(settings) == {"recordsize": "1048576", "atime": "off"}
    plain = small_design()
    refuse(plain, "a form", [], todo="x")
    with pytest.raises(Refusal) as error:
        refuse(plain, "a form", ["one", "two"], todo="do this")
    assert (error.value.reasons, error.value.todo) == (("one", "two"), "do this")
    assert not has_partitions(plain)


def test_that_members_are_numbered_as_zpool_status_does() -> None:
    design = small_design(
        disks=tuple(disk(n) for n in range(12)),
        vdevs=(
            vdev(VdevKind.STRIPE, (11,), vdev_class=VdevClass.CACHE),
            vdev(VdevKind.STRIPE, (0, 1)),
            vdev(VdevKind.MIRROR, (2, 3)),
            vdev(VdevKind.RAIDZ, (4, 5, 6), parity=1),
            vdev(VdevKind.MIRROR, (7, 8), vdev_class=VdevClass.LOG),
            vdev(VdevKind.STRIPE, (9,), vdev_class=VdevClass.SPARE),
        ),
    )
    found = [(place.member.disk_key, place.label) for place in places(design)]
    assert found == [
        ("k0", "disk"), ("k1", "disk"), ("k2", "mirror-2"), ("k3", "mirror-2"), ("k4", "raidz1-3"), ("k5", "raidz1-3"),
        ("k6", "raidz1-3"), ("k7", "mirror-4"), ("k8", "mirror-4"), ("k9", "—"), ("k11", "—"),
    ]  # fmt: skip
    evaluation = evaluate(design, drives=load_drive_book(), today=date(2026, 1, 1))
    text = markdown_text(design_report(DesignSubject(evaluation=evaluation)))
    assert [name for name in ("mirror-2", "raidz1-3", "log mirror-4") if name not in text] == []


@pytest.mark.parametrize(
    ("goal", "clients", "played", "size"),
    [
        (Goal.SAFETY, None, 4, 128), (Goal.CONCURRENT, None, 32, 16), (Goal.SPEED, None, 4, 128),
        (Goal.SPACE, None, 4, 128),
        (Goal.SAFETY, 1, 1, 128), (Goal.SAFETY, 64, 64, 128), (Goal.SAFETY, 65, 64, 128),
    ],
)  # fmt: skip
def test_that_jobs_play_as_many_clients_as_are_told(goal: Goal, clients: int | None, played: int, size: int) -> None:
    workload = Workload(goal=goal, clients=clients)
    assert clients_of(workload) == played
    jobs = workload_jobs(workload)
    assert [(job.name, job.rw, job.block_bytes, job.jobs, job.extra) for job in jobs] == [
        ("sequential-write", "write", MIB, played, ()),
        ("sequential-read", "read", MIB, played, ()),
        ("random-read", "randread", size * KIB, played, ()),
        ("random-write", "randwrite", size * KIB, played, ()),
    ]
    assert jobs[0].options == (("rw", "write"), ("bs", str(MIB)), ("numjobs", str(played)))


@pytest.mark.parametrize(
    ("said", "further"),
    [
        ({}, []), ({"read_percent": 0}, []), ({"read_percent": 100}, []), ({"sync_write_percent": 0}, []),
        ({"read_percent": 1}, [("as-described", "randrw", (("rwmixread", "1"), ("percentage_random", "100")))]),
        (
            {"read_percent": 99, "sequential_percent": 30, "sync_write_percent": 1},
            [
                ("as-described", "randrw", (("rwmixread", "99"), ("percentage_random", "70"))),
                ("synchronous-write", "randwrite", (("fsync", "1"), ("end_fsync", "1"))),
            ],
        ),
    ],
)  # fmt: skip
def test_that_what_a_workload_says_of_itself_becomes_a_job(
    said: dict[str, int], further: list[tuple[str, str, tuple[tuple[str, str], ...]]]
) -> None:
    workload = Workload(goal=Goal.SAFETY, io_size_bytes=8 * KIB, clients=2, **said)  # type: ignore[arg-type]
    jobs = workload_jobs(workload)[4:]
    assert [(job.name, job.rw, job.extra) for job in jobs] == further
    assert {(job.block_bytes, job.jobs) for job in jobs} <= {(8 * KIB, 2)}
    assert workload_jobs(workload)[2].block_bytes == 8 * KIB


def test_that_what_is_written_can_be_compressed_as_asked() -> None:
    assert dict(written_data()) == {
        "refill_buffers": "1", "buffer_compress_percentage": "0", "dedupe_percentage": "0",
    }  # fmt: skip
    assert dict(written_data(40))["buffer_compress_percentage"] == "40"


@pytest.mark.parametrize(
    ("ram", "clients", "size"),
    [(None, 4, "100G"), (8, 4, "8G"), (9, 4, "9G"), (7, 3, "10G"), (1, 64, "1G"), (64, 1, "256G")],
)
def test_that_each_client_has_its_share_of_four_times_the_ram(ram: int | None, clients: int, size: str) -> None:
    budget = Budget(ram_bytes=None if ram is None else ram * GIB)
    design = small_design(workload=Workload(goal=Goal.SAFETY, clients=clients), budget=budget)
    text = fio_job_file(design, STAMP)
    assert f"SIZE={size}\n" in text
    assert ("It is not known here." in text) == (ram is None)
    assert "\nramp_time=15\nruntime=120\n" in text


def test_that_a_file_is_named_after_its_pool_without_odd_characters() -> None:
    for form in EXPORTS:
        assert export_format(form.key) is form
    script, sheet = export_format("sh"), export_format("sheet")
    assert script.name_for(small_design()) == "create-tank.sh"
    assert sheet.name_for(small_design(pool_name=".a/b c")) == "_a_b_c-recovery.md"
    assert sheet.name_for(small_design(pool_name="")) == "pool-recovery.md"
    assert [form.key for form in EXPORTS if form.program] == ["sh", "plain", "undo", "rehearsal", "burn-in", "backup"]
    assert [form.key for form in EXPORTS if form.paged] == ["sheet-html"]
    assert {form.key: form.fixed_part for form in EXPORTS if form.fixed_part} == {
        "sh": "create",
        "undo": "undo",
        "rehearsal": "rehearsal",
        "burn-in": "burn-in",
        "backup": "backup",
    }


def test_that_yaml_leaves_nothing_to_guess() -> None:
    value: dict[str, Value] = {
        "a": 1, "b": True, "no": False, "text": "x: y", "jinja": JinjaText("{{ x }}"), "braces": "{{ x }}",
        "list": ["a", {"k": 1, "l": [2]}, {}, []], "empty": {}, "1st": "x", "a.b": "c", "d-e": "f",
    }  # fmt: skip
    assert yaml_lines(value) == [
        "a: 1", "b: true", "no: false", 'text: "x: y"', 'jinja: "{{ x }}"', 'braces: !unsafe "{{ x }}"', "list:",
        '  - "a"', "  - k: 1", "    l:", "      - 2", "  - {}", "  - []", "empty: {}", '"1st": "x"', 'a.b: "c"',
        '"d-e": "f"',
    ]  # fmt: skip
