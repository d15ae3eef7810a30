"""The script of a move, run by bash with tools that only remember: it takes what it may, and refuses the rest."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.cases import table
from tests.changes.migration.machines import machine, migration, script_of
from tests.emit.functions import asked, check_shell
from tests.emit.moved import GOLDEN, golden_moves
from tests.emit.pretend import STAMP, Machine

from poolwright.changes.migration.values import MigrationPlan, Move
from poolwright.emit.migration_script import migration_parts, migration_script
from poolwright.emit.report import ALL, in_sight, terminal_lines

_STATUS: str = table(__file__, "status")
_ZPOOL: str = table(__file__, "zpool")
_ZFS: str = table(__file__, "zfs")
_ALWAYS = '#!/bin/bash\n[ "${0##*/}" != id ] || echo 0\n'


@pytest.fixture(scope="module")
def plan() -> MigrationPlan:
    return migration(machine([("mirror", 2)], 2), "raidz2:4x4TB").plan


def test_that_moves_are_told_and_written_as_they_were_read() -> None:
    told = golden_moves()
    assert {path.name for path in GOLDEN.iterdir()} == set(told)
    for name, text in told.items():
        assert text == (GOLDEN / name).read_text(encoding="utf-8"), name


class Bench:
    """A folder with the script, tools that remember, and what they answer."""

    def __init__(self, folder: Path, plan: MigrationPlan) -> None:
        self.folder, self.plan = folder, plan
        tools = folder / "bin"
        tools.mkdir()
        made = {"zpool": _ZPOOL, "zfs": _ZFS} | dict.fromkeys(("id", "lsblk", "blkid", "blockdev", "wipefs"), _ALWAYS)
        for name, text in made.items():
            (tools / name).write_text(text, encoding="utf-8")
            (tools / name).chmod(0o755)
        self.script = folder / "migrate.sh"
        self.script.write_text(migration_script(plan, STAMP), encoding="utf-8")
        self.says("status", _STATUS.format(pool="tank-new", errors=0))
        self.says("pools", "tank-old\ntank-new\n")
        self.says("written", "0\n")
        for pool in ("old", "new"):
            self.says(pool, f"tank-{pool}@migration-1\t11\ntank-{pool}@migration-2\t22\n")

    def says(self, what: str, text: str) -> None:
        (self.folder / what).write_text(text, encoding="utf-8")

    def step(self, move: Move, typed: str = "") -> tuple[int, str]:
        number = next(n for n, step in enumerate(self.plan.steps, 1) if step.move is move)
        (self.folder / "run.log").unlink(missing_ok=True)
        done = subprocess.run(
            ["bash", self.script, "--step", str(number)],
            input=typed,
            env={
                "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
                "STATE": str(self.folder),
                "POOLWRIGHT_LOG": str(self.folder / "run.log"),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    @property
    def calls(self) -> list[str]:
        return (self.folder / "log").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def bench(tmp_path: Path, plan: MigrationPlan) -> Bench:
    return Bench(tmp_path, plan)


@pytest.mark.slow
def test_that_bash_and_shellcheck_accept_the_script(bench: Bench) -> None:
    check_shell(bench.script)
    listed = subprocess.run(["bash", bench.script], capture_output=True, text=True, check=True).stdout
    assert listed.count("may fail") == len(bench.plan.steps)


def test_that_the_old_pool_is_destroyed_when_both_are_the_same_and_it_was_typed(bench: Bench) -> None:
    status, text = bench.step(Move.DESTROY, "destroy tank-old\n")
    assert status == 0, text
    assert bench.calls[-1] == "zpool destroy tank-old"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "told", "why"),
    [
        ("new", "tank-new@migration-1\t11\n", "lacks the snapshot @migration-2"),
        ("new", "tank-new@migration-1\t11\ntank-new@migration-2\t99\n", "lacks the snapshot @migration-2"),
        ("old", "", "has no snapshots"),
        ("written", "4096\n", "was written to since its last snapshot"),
        ("written", "", "its datasets cannot be read"),
        ("status", _STATUS.format(pool="tank-new", errors=7), "counts errors"),
        ("status", _STATUS.format(pool="tank-new", errors=0).replace("OFFLINE", "ONLINE"), "lacks 0 members"),
        ("status", "scan: resilver in progress\n" + _STATUS.format(pool="tank-new", errors=0), "something runs on it"),
        ("status", _STATUS.format(pool="tank-new", errors=0).replace("No known", "3"), "has damaged data"),
    ],
)
def test_that_nothing_is_destroyed_where_the_copies_are_not_sure(bench: Bench, what: str, told: str, why: str) -> None:
    bench.says(what, told)
    status, text = bench.step(Move.DESTROY, "destroy tank-old\n")
    assert status == 1
    assert why in text
    assert "Nothing was changed." in text
    assert not any("destroy" in call for call in bench.calls)


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["", "yes\n", "destroy tank\n"])
def test_that_nothing_is_destroyed_unless_its_name_is_typed(bench: Bench, typed: str) -> None:
    status, text = bench.step(Move.DESTROY, typed)
    assert status == 1
    assert "The words do not match." in text
    assert not any("destroy" in call for call in bench.calls)


@pytest.mark.slow
def test_that_a_name_that_is_taken_stops_the_renaming(bench: Bench) -> None:
    assert bench.step(Move.RENAME)[0] == 0
    bench.says("pools", "tank-new\ntank\n")
    status, text = bench.step(Move.RENAME)
    assert status == 1
    assert "Was this step taken already?" in text


@pytest.mark.slow
def test_that_a_changed_or_unknown_line_is_refused(bench: Bench) -> None:
    text = bench.script.read_text(encoding="utf-8")
    bench.script.write_text(
        text.replace("write zpool scrub tank\n", "write zpool scrub tank\n  write rm /etc/passwd\n")
    )
    status, told = bench.step(Move.LOOK)
    assert status == 3
    assert "which no such script runs" in told
    bench.script.write_text(text.replace("guard_same() {", "guard_same() { return 0; }\nignored() {"))
    status, told = bench.step(Move.DESTROY, "destroy tank-old\n")
    assert status == 3
    assert "was changed since it was written" in told


@pytest.mark.parametrize(
    ("what", "status", "gone"),
    [
        ("placeholders", "", True),
        ("placeholders", "\t    FOLDER/placeholder-0-2  OFFLINE  0 0 0\n", False),
        ("something else", "", False),
        ("a link", "", False),
    ],
)
def test_that_only_placeholders_that_a_failed_run_left_and_no_pool_uses_are_removed(
    bench: Bench, what: str, status: str, gone: bool
) -> None:
    folder = bench.folder / "poolwright-tank-new"
    folder.mkdir(mode=0o700)
    (folder / "placeholder-0-2").write_text("", encoding="utf-8")
    if what == "something else":
        (folder / "letters").write_text("", encoding="utf-8")
    elif what == "a link":
        (folder / "placeholder-0-3").symlink_to("/etc/passwd")
    bench.says("status", status.replace("FOLDER", str(folder)) or "no pools available\n")
    head, main, end = bench.script.read_text(encoding="utf-8").rpartition('\nmain "$@"\n')
    assert main
    alone = bench.folder / "alone.sh"
    alone.write_text(f'{head}\nrun() {{ "$@"; }}\nclear_left_over {folder}\n{end}', encoding="utf-8")
    path = f"{bench.folder / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", alone], env={"PATH": path, "STATE": str(bench.folder)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert folder.exists() is not gone
    assert gone or (folder / "placeholder-0-2").exists()


EXCHANGED: str = table(__file__, "exchanged")


@pytest.fixture
def exchange(tmp_path: Path) -> Bench:
    plan = migration(machine([("mirror", 2)], 2, free_size=8_001_563_222_016), "mirror:2x8TB").plan
    return Bench(tmp_path, plan)


def test_that_the_script_of_an_exchange_of_disks_can_be_read_whole(exchange: Bench) -> None:
    done = subprocess.run(["bash", exchange.script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "take the place of" in done.stdout


def test_that_no_other_property_is_set_by_the_script_of_a_move(exchange: Bench) -> None:
    text = exchange.script.read_text(encoding="utf-8")
    exchange.script.write_text(text.replace("autoexpand=on", "readonly=on", 1), encoding="utf-8")
    status, said = exchange.step(Move.REPLACE)
    assert status != 0
    assert "zpool set" not in " ".join(exchange.calls if (exchange.folder / "log").exists() else []), said


def test_that_a_disk_is_not_exchanged_while_something_runs_on_the_pool(exchange: Bench) -> None:
    exchange.says("status", EXCHANGED.replace("config:", "  scan: resilver in progress since now\nconfig:"))
    status, said = exchange.step(Move.REPLACE)
    assert status != 0
    assert "something runs on it" in said
    assert not any(" replace " in call for call in exchange.calls)


@pytest.mark.parametrize(("version", "waits"), [("0.8.6", "while zpool status"), ("2.1.11", "zpool wait -t ")])
def test_that_what_is_typed_by_hand_waits_as_the_openzfs_of_the_machine_can(version: str, waits: str) -> None:
    parts = migration_parts(migration(machine([("mirror", 2)], 2, version=version), "raidz2:4x4TB"))
    told = "\n".join(terminal_lines(in_sight(parts, frozenset({ALL}))))
    assert f"$ {waits}" in told
    assert ("zpool wait" in told) == (version != "0.8.6")


@pytest.fixture
def freed(tmp_path: Path, plan: MigrationPlan) -> Machine:
    """A machine with the disks of the plan; the first of them, sda, has left the old pool."""
    made = Machine(tmp_path / "machine")
    for number, step in enumerate(dict.fromkeys(key for each in plan.steps for key in each.disk_keys)):
        made.plug(f"sd{chr(97 + number)}", plan.disk(step))
    made.tell("sda", "blkid", "PTTYPE=gpt")
    made.partition("sda", "sda1")
    (made.root / "dev/sda1").touch()
    made.tell("sda1", "blkid", "TYPE=zfs_member\nLABEL=tank")
    return made


def test_that_a_freed_disk_on_which_anything_else_was_put_is_not_taken(freed: Machine, plan: MigrationPlan) -> None:
    script = freed.here(migration_script(plan, STAMP))
    guard = f"guard_freed '{freed.root}/dev/by-id/{freed.disks['sda']}' tank tank-old"
    trials = {
        "the rest of the old pool": f"{guard}; problems",
        "of the parked pool": f"tell sda1 blkid TYPE=zfs_member LABEL=tank-old; {guard}; problems",
        "cleared": f"rm $root/facts/sda1/blkid; {guard}; problems",
        "formatted whole": f"tell sda blkid TYPE=ext4 LABEL=photos; {guard}; problems",
        "formatted whole, table left": f"tell sda blkid TYPE=ext4 PTTYPE=gpt; {guard}; problems",
        "encrypted": f"tell sda blkid TYPE=crypto_LUKS; {guard}; problems",
        "of md": f"tell sda blkid TYPE=linux_raid_member; {guard}; problems",
        "of LVM": f"tell sda blkid TYPE=LVM2_member; {guard}; problems",
        "another pool": f"tell sda blkid TYPE=zfs_member LABEL=other; {guard}; problems",
        "a partition": f"tell sda1 blkid TYPE=xfs; {guard}; problems",
        "several": f"tell sda wipefs 0x438,a2c8,,ext4; {guard}; problems",
        "perhaps several": f"wipefs() {{ [ ${{!#}} != {freed.root}/dev/sda1 ]; }}; {guard}; problems",
    }
    told = asked(freed, script, trials)
    free = ("the rest of the old pool", "of the parked pool", "cleared")
    assert {name: lines[-2] for name, lines in told.items()} == {name: "0" if name in free else "1" for name in told}
    assert "photos" in "".join(told["formatted whole"])


def test_that_a_disk_is_not_taken_under_a_name_that_two_disks_have(freed: Machine, plan: MigrationPlan) -> None:
    name = freed.disks["sda"]
    look = f"guard_known '{freed.root}/dev/by-id/{name}'; problems"
    twice = f"find_serials() {{ told_serials=([sda]=Z [sdx]=Z); }}; tell sdx links disk/by-id/{name}; {look}"
    told = asked(freed, freed.here(migration_script(plan, STAMP)), {"one": look, "two": twice})
    assert [lines[-2] for lines in told.values()] == ["0", "1"]
    assert "/dev/sdx goes by this name too" in "".join(told["two"])


def test_that_what_is_written_to_a_disk_at_a_question_is_asked_for_too(freed: Machine, plan: MigrationPlan) -> None:
    known = "line_kind=(ask) line_first=(0) line_count=(1) words=(yes); confirm() { echo $1; }"
    found = "must_type=('overwrite a'); look_again() { must_type=('overwrite a' 'overwrite b'); }"
    script = freed.here(migration_script(plan, STAMP))
    told = asked(freed, script, {"meanwhile": f"{known}; {found}; take_line 0; echo ${{must_type[*]-none}}"})
    assert told["meanwhile"] == ["overwrite a", "yes", "overwrite b", "none", "status 0"]


OF_BOTH = {"zpool add tank x", "zpool remove tank x", "zpool export tank"}
OF_MOVE = {"zpool add -f tank x", "zpool destroy old", "rm /x/poolwright-1/placeholder-0", "rmdir /x/poolwright-1"}
OF_CHANGE = {"zfs set atime=off tank", "zpool online -e tank x", "zpool set autotrim=on tank"}
OF_NONE = {"rm /etc/passwd /x/poolwright-1/placeholder-0", "rmdir /etc /x/poolwright-1", "sh -c 'zpool add tank x'"}


@pytest.mark.parametrize(("kind", "own"), [("yes", OF_MOVE), ("no", OF_CHANGE)])
def test_that_a_script_runs_no_other_commands_than_its_kind_has(plan: MigrationPlan, kind: str, own: set[str]) -> None:
    script = migration_script(plan, STAMP)
    guard = f"one_by_one={kind}\n" + script[script.index("is_written() {") : script.index("is_needed() {")]
    tried = (f"is_written {one} && echo {shlex.quote(one)}" for one in OF_BOTH | OF_MOVE | OF_CHANGE | OF_NONE)
    done = subprocess.run(
        ["bash", "-u"], input="\n".join([guard, *tried]), stdout=subprocess.PIPE, text=True, check=False
    )
    assert set(done.stdout.splitlines()) == OF_BOTH | own


def test_that_every_step_that_takes_a_disk_in_asks_before_its_first_command(plan: MigrationPlan) -> None:
    for lines in script_of(plan):
        kinds = [line.partition(" ")[0] for line in lines]
        if any(line.startswith(("guard freed", "guard empty ")) for line in lines):
            assert "ask" in kinds[: kinds.index("write")]


def test_that_datasets_with_blanks_in_their_names_are_compared_whole(bench: Bench) -> None:
    for pool in ("old", "new"):
        bench.says(pool, f"tank-{pool}/my files@migration-1\t11\ntank-{pool}/my files@migration-2\t22\n")
    status, text = bench.step(Move.DESTROY, "destroy tank-old\n")
    assert status == 0, text
    bench.says("new", "tank-new/my films@migration-1\t11\ntank-new/my files@migration-2\t22\n")
    status, text = bench.step(Move.DESTROY, "destroy tank-old\n")
    assert "lacks the snapshot /my files@migration-1" in text
    assert status == 1


def test_that_a_copy_that_is_taken_again_goes_on_with_its_own_snapshots(freed: Machine, plan: MigrationPlan) -> None:
    script = freed.here(migration_script(plan, STAMP))
    trials = {
        "all there": "zfs() { [[ $* != *filesystem* ]] || printf 'tank\\ntank/my files\\n'; }; "
        "is_taken_already zfs snapshot -r tank@migration-2",
        "one lacks it": "zfs() { case $* in *filesystem*) printf 't\\nt/b\\n' ;; *b@*) return 1 ;; esac; }\n"
        "is_taken_already zfs snapshot -r tank@migration-2",
        "another command": "is_taken_already zfs destroy -r tank@migration-2",
        "a list that breaks off": "zfs() { printf '%s@a\\t1\\n' ${!#}; [ ${!#} = new ]; }; lacking old new",
    }
    told = asked(freed, script, trials)
    assert [lines[-1] for lines in told.values()] == ["status 0", "status 1", "status 1", "status 0"]
    assert told["a list that breaks off"][0] == "@?"


def test_that_names_are_rehearsed_before_the_first_step(freed: Machine, plan: MigrationPlan) -> None:
    assert script_of(plan)[0][0].startswith("guard names ")
    script = freed.here(migration_script(plan, STAMP))
    none, look = "zpool() { return 1; }", "guard_names tank tank-new tank-old; problems"
    trials = {
        "usual": f"zfs() {{ printf 'tank\\ntank/my files\\ntank/my files@daily\\n'; }}; {none}; {look}",
        "too long": f"zfs() {{ printf 'tank/%0240d\\n' 1; }}; {none}; {look}",
        "too long a snapshot": f"zfs() {{ printf 'tank/%0150d@%0100d\\n' 1 1; }}; {none}; {look}",
        "snapshot there": f"zfs() {{ printf 'tank@migration-2\\n'; }}; {none}; {look}",
        "pool there": f'zfs() {{ echo tank; }}; zpool() {{ [ "${{!#}}" = tank-old ]; }}; {look}',
    }
    told = asked(freed, script, trials)
    assert [lines[-2] for lines in told.values()] == ["0", "1", "1", "1", "1"]
