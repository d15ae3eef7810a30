"""What is printed reaches whoever asked, or the failure to do so is told: the real process with odd streams."""

import json
import os
import signal
import subprocess
import sys
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import poolwright, printed
from tests.store.samples import full_design, stored_run

from poolwright import __file__ as package_file
from poolwright.bench.own_profiles import keep_text, text_of
from poolwright.cli import recommend as recommend_command
from poolwright.cli.main import run
from poolwright.design.candidate import Recommendation
from poolwright.design.recommend import recommend
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.search import Progress, Search
from poolwright.store.capture_files import open_pasted
from poolwright.store.database import Database
from poolwright.store.design_file import from_json, rules_in, to_json
from poolwright.store.library import Catalogues, Comparisons, Designs, Part, Runs

MIRROR = ("capacity", "--vdev", "mirror:2x6TB")
PROGRAM = (sys.executable, "-m", "poolwright")


def shell(line: str, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program by a shell ``line`` in which "$@" stands for it with ``args``."""
    command = ["sh", "-c", line, "sh", *PROGRAM, *args]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, env={**os.environ, **environment}
    )


@pytest.mark.parametrize(
    "args",
    [MIRROR, (*MIRROR, "--json"), ("rules", "--json"), ("collector",), ("--help",), ("--version",)],
    ids=" ".join,
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the kernel offers no /dev/full")
def test_that_a_full_disk_is_told_with_status_3(args: tuple[str, ...]) -> None:
    done = shell('"$@" > /dev/full', *args)
    assert done.returncode == 3
    assert "cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_that_a_closed_standard_output_is_told_with_status_3() -> None:
    done = shell('"$@" >&-', *MIRROR)
    assert (done.returncode, done.stdout) == (3, "")
    assert "Standard output is closed" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("stderr", ["2>&-", "2>/dev/full"])
def test_that_the_status_stands_where_nobody_hears_the_reason(stderr: str) -> None:
    assert shell(f'"$@" {stderr}', "capacity", "--vdev", "foo").returncode == 2


def test_that_a_closed_standard_input_counts_as_empty() -> None:
    done = shell('"$@" <&-', "capacity", "--batch", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no request" in done.stderr


@pytest.mark.slow
def test_that_a_reader_who_leaves_early_is_no_failure() -> None:
    done = shell('"$@" | head -n 1', "rules", "--json")
    assert (done.stdout, done.stderr) == ("{\n", "")


@pytest.mark.parametrize(
    "args",
    [
        ("nonsense", "--json"),
        ("capacity", "--colour", "--json"),
        ("capacity", "--ashift", "x", "--json"),
        ("recommend", "--json"),
        ("recommend", "--example", "thesis", "--goal", "fun", "--json"),
        ("capacity", "--json", "--vdev", "mirror:2x1MB"),
    ],
    ids=" ".join,
)
def test_that_every_refusal_is_one_json_document_where_json_is_asked(args: tuple[str, ...]) -> None:
    done = poolwright(*args)
    assert done.returncode in (1, 2)
    answer = json.loads(done.stdout)
    assert answer["error"] in done.stderr


def test_that_an_option_must_be_written_out() -> None:
    assert poolwright("capacity", "--vde", "mirror:2x6TB").returncode == 2


def test_that_json_is_utf_8_whatever_the_locale() -> None:
    done = shell('"$@"', "capacity", "--vdev", "foo", "--json", PYTHONIOENCODING="ascii")
    assert "“foo”" in json.loads(done.stdout)["error"]
    assert "Traceback" not in done.stderr


def test_that_arguments_that_are_no_text_are_told_as_json() -> None:
    command: list[str | bytes] = [*PROGRAM, "capacity", "--json", "--vdev", b"\xff\xfe:8x6TB"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "is not understood" in json.loads(done.stdout)["error"]


@pytest.mark.slow
def test_that_an_interrupt_ends_the_program_without_a_traceback() -> None:
    with subprocess.Popen(
        [*PROGRAM, "capacity", "--batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write('{"vdev": ["mirror:2x6TB"]}\n')
        process.stdin.flush()
        assert process.stdout.readline().startswith("{")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == ""


def test_that_an_interrupted_search_says_what_it_has_not_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(request: Request, make_judge: JudgeMaker, progress: Progress) -> Recommendation:
        def look(search: Search) -> None:
            progress(search)
            if search.examined == 100:
                raise KeyboardInterrupt

        return recommend(request, make_judge, look)

    monkeypatch.setattr(recommend_command, "recommend", interrupted)
    parser = ArgumentParser()
    recommend_command.configure(parser)
    with pytest.raises(KeyboardInterrupt):
        recommend_command.run(parser.parse_args(["--disks", "12 x 6TB", "--goal", "safety"]))
    said = capsys.readouterr().err
    assert said.startswith("Stopped after ")
    assert "Not tried: " in said
    assert "draid3" in said


# Half a surrogate pair, as in names that are not UTF-8: replaced and told where it is read, never saved.


HALF = "\udcff"
LSBLK = {
    "blockdevices": [
        {
            "name": f"sd{letter}", "path": f"/dev/sd{letter}", "type": "disk", "size": 4000787030016, "rota": True,
            "model": "WDC \ud800WD40", "serial": f"WD-\ud800{letter}", "log-sec": 512, "phy-sec": 4096,
        }
        for letter in "abcd"
    ]
}  # fmt: skip


def saved(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    assert to_json(from_json(text), rules_in(text)) == text
    return text


def test_that_a_half_character_in_what_lsblk_prints_is_replaced_and_told(tmp_path: Path) -> None:
    capture, design = tmp_path / "lsblk.json", tmp_path / "d.json"
    capture.write_text(json.dumps(LSBLK), encoding="ascii")
    assert "is not text" in printed("inventory", "--from", str(capture))
    assert run(["recommend", "--from", str(capture), "--save-design", str(design)]) == 0
    assert "WD-\ufffda" in saved(design)


def test_that_a_half_character_that_is_typed_is_replaced_and_told(tmp_path: Path) -> None:
    design = tmp_path / "d.json"
    words = ["recommend", "--disks", f"4 x 6TB model=X{HALF}", "--title", f"Office{HALF}", "--save-design", str(design)]
    assert "What is no text was read as “\ufffd”" in printed(*words)
    assert "Office\ufffd" in saved(design)
    assert run(["report", str(design)]) == 0


def test_that_a_file_whose_name_is_not_utf_8_can_be_read_and_its_design_opened(tmp_path: Path) -> None:
    capture, design = Path(os.fsdecode(os.fsencode(tmp_path) + b"/nas\xff.json")), tmp_path / "d.json"
    capture.write_text(json.dumps(LSBLK).replace("\\ud800", ""), encoding="ascii")
    assert run(["recommend", "--from", str(capture), "--save-design", str(design)]) == 0
    assert "nas\ufffd" in saved(design)


def test_that_half_a_character_that_is_pasted_is_replaced_where_it_is_read() -> None:
    pasted = open_pasted(f"NAME SIZE TYPE MODEL SERIAL\nsda 4T disk WD{HALF} SN{HALF}1\n")
    assert [(disk.model, disk.serial) for disk in pasted.disks] == [("WD\ufffd", "SN\ufffd1")]


def test_that_a_job_with_half_a_character_is_kept_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    keep_text(f"[a]\n# {HALF}\nrw=read\nsize=1M\nruntime=5\n", "mine")
    assert "# \ufffd\n" in text_of("mine")


def test_that_the_library_keeps_no_half_character(tmp_path: Path) -> None:
    design = full_design("d1", name=f"Half {HALF}")
    with Database.open(tmp_path / "library.sqlite") as database:
        Designs(database).save(design)
        (entry,) = Designs(database).list()
        assert entry.name == "Half \ufffd"
        assert Designs(database).open(entry.key).name == entry.name
        Designs(database).save(full_design("d2", name="Two"))
        Designs(database).rename("d2", f"Two {HALF}")
        Comparisons(database).save(f"both{HALF}", [Part(design_key=entry.key), Part(design_key="d2")])
        Runs(database).keep(replace(stored_run("r1"), name=f"Run {HALF}"), b"PK")
        assert "\ufffd" in Runs(database).entries()[0].name
        assert Catalogues(database).load() is None


# A user without a home folder and without an entry in passwd: commands answer, the window says what to set.


NOBODY = "54321"
APP = Path(package_file).parents[1]


def as_nobody(*words: str, variables: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    # Reading stays allowed, for the Python of a checkout may lie where only its owner looks.
    caps = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *caps]
    told = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(APP), "PYTHONDONTWRITEBYTECODE": "1", **(variables or {})}
    argv = [*command, sys.executable, "-m", "poolwright", *words]
    return subprocess.run(argv, env=told, cwd="/", capture_output=True, text=True, check=False, timeout=120)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")


@pytest.mark.slow
@needs_root
def test_that_commands_answer_a_user_without_a_home() -> None:
    done = as_nobody("recommend", "--disks", "4 x 6TB", "--goal", "safety")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("raidz2 of 4: ")


@needs_root
def test_that_the_window_says_what_to_set() -> None:
    done = as_nobody(variables={"QT_QPA_PLATFORM": "offscreen"})
    assert done.returncode == 3
    assert done.stderr.startswith("poolwright: This user has no home folder")
    assert "Set HOME" in done.stderr
    assert "Traceback" not in done.stderr
