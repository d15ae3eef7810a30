"""The design a command is asked about: a file, a name of the library, a pool that exists: each command takes each."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import own_process, poolwright, printed, refused

from poolwright.domain.design import Design
from poolwright.paths import library_file
from poolwright.store.database import Database
from poolwright.store.design_file import from_json
from poolwright.store.library import Designs

STATUS = """  pool: tank
 state: ONLINE
config:

\tNAME        STATE     READ WRITE CKSUM
\ttank        ONLINE       0     0     0
\t  raidz2-0  ONLINE       0     0     0
\t    ata-A   ONLINE       0     0     0
\t    ata-B   ONLINE       0     0     0
\t    ata-C   ONLINE       0     0     0
\t    ata-D   ONLINE       0     0     0

errors: No known data errors
NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT
tank  14.5T  8.26T  6.24T        -         -     0%    56%  1.00x    ONLINE  -
"""
COMMANDS = (
    ("capacity",), ("usage",), ("growth",), ("outage",), ("risk",), ("predict",), ("roles",), ("report",),
    ("bench", "--list", "--design"),
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a design in a file and in the library, and a capture of a machine with one pool."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    file = tmp_path / "d.json"
    made = poolwright("recommend", "--disks", "4 x 4TB", "--goal", "safety", "--save-design", str(file))
    assert made.returncode == 0, made.stderr
    save(replace(from_json(file.read_text()), name="of the office"))
    (tmp_path / "nas.txt").write_text(STATUS)
    return tmp_path


def save(design: Design) -> None:
    with Database.open(library_file()) as database:
        Designs(database).save(design)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_that_a_command_takes_a_file_a_saved_name_and_a_pool_that_exists(command: tuple[str, ...], home: Path) -> None:
    nas = ("--from", str(home / "nas.txt"), "--pool", "tank")
    call = own_process if command[0] == "report" else poolwright  # which writes bytes
    of_file = call(*command, str(home / "d.json"))
    of_name = call(*command, "of the office")
    of_pool = call(*(word for word in command if word != "--design"), *nas)
    assert [one.returncode for one in (of_file, of_name, of_pool)] == [0, 0, 0], (of_file, of_name, of_pool)
    assert of_file.stdout.count("\n") == of_name.stdout.count("\n") > 1
    assert "Traceback" not in of_pool.stderr


def test_that_designs_are_compared_with_a_pool_that_exists(home: Path) -> None:
    nas = ("--from", str(home / "nas.txt"), "--pool", "tank")
    answer = printed("compare", str(home / "d.json"), "of the office", *nas)
    assert "of the office" in answer
    assert "tank" in answer


def test_that_script_bind_migrate_and_live_take_a_saved_name(home: Path) -> None:
    nas = ("--from", str(home / "nas.txt"))
    typed = poolwright("script", "of the office", "--format", "sheet")
    assert typed.returncode == 0, typed.stderr
    rest = (("bind", "of the office"), ("migrate", "of the office", "--pool", "tank"),
            ("compare", "of the office", "--live"), ("audit", "--design", "of the office"))  # fmt: skip
    for words in rest:
        answer = poolwright(*words, *nas)
        assert answer.returncode in {0, 1}, (words, answer.stderr)
        assert "no such file" not in answer.stderr


def test_that_a_name_that_two_saved_designs_have_is_not_guessed(home: Path) -> None:
    save(replace(from_json((home / "d.json").read_text()), name="of the office", key="another"))
    assert "2 designs of this name" in refused("capacity", "of the office")


def test_that_a_name_that_is_neither_file_nor_saved_is_refused_and_makes_no_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    assert "no such file" in refused("outage", "nothing.json")
    assert not library_file().exists()


def test_that_a_run_is_not_judged_by_a_design_and_a_pool_at_once(home: Path) -> None:
    assert "name two pools" in refused(
        "bench", "--list", "--design", str(home / "d.json"), "--from", str(home / "nas.txt")
    )
