"""Reading as administrator: the helper answers its list and nothing else, and refusals leave the reading as it was."""

import os
import random
import shutil
import stat
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.emit.functions import check_shell

from poolwright.domain.command import Batch, Command, Completed, Ending, Reading
from poolwright.process.administrator import HELPER, as_administrator, helper_problem, question_of
from poolwright.process.blocking import drive

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "packaging" / "polkit"
SOURCE = FOLDER / "poolwright-read-disks"
POLICY = FOLDER / "org.poolwright.read-disks.policy"
SCAN = Command(argv=("smartctl", "--scan", "--json"), needs_root=True, accepted=None)
DISK = Command(argv=("smartctl", "--json", "-x", "/dev/sda"), needs_root=True, accepted=None)
PLAIN = Command(argv=("uname", "-r"))
TOOLS = ("smartctl", "nvme", "zpool", "multipath", "zdb")


def asks(*batches: Batch) -> Reading[list[tuple[Completed, ...]]]:
    found: list[tuple[Completed, ...]] = []
    for batch in batches:
        answers = yield batch
        found.append(answers)
    return found


class Here:
    """Answers batches from a function of the command, and keeps what was asked."""

    def __init__(self, answers: dict[str, Completed]) -> None:
        self.answers, self.asked = answers, list[Command]()

    def __call__(self, batch: Batch) -> tuple[Completed, ...]:
        self.asked += batch
        return tuple(
            self.answers.get(c.program, Completed(command=c, ending=Ending.EXITED, status=0, stdout=c.text.encode()))
            for c in batch
        )


def said(status: int, out: bytes, err: bytes = b"") -> bytes:
    return b"@ %d %d %d\n%s%s" % (status, len(out), len(err), out, err)


def helped(stdout: bytes) -> Here:
    done = Completed(command=PLAIN, ending=Ending.EXITED, status=0, stdout=b"poolwright-read-disks 1\n" + stdout)
    return Here({"ask": done})


def test_that_one_call_answers_all_that_needs_root_and_the_rest_runs_as_ever() -> None:
    here = helped(said(0, b"one\n@ 0 1 1\n") + said(4, b"", b"two") + b"@ end\n")
    refusals: list[str] = []
    (answers,) = drive(as_administrator(asks((SCAN, PLAIN, DISK)), refusals.append, front=("ask",)), here)
    assert [command.argv for command in here.asked] == [("uname", "-r"), ("ask", str(HELPER))]
    assert here.asked[1].stdin == b"smartctl-scan\nsmartctl /dev/sda\n"
    assert [answer.stdout for answer in answers] == [b"one\n@ 0 1 1\n", b"uname -r", b""]
    assert [(answer.command, answer.status) for answer in answers] == [(SCAN, 0), (PLAIN, 0), (DISK, 4)]
    assert answers[2].stderr == b"two"
    assert refusals == []


@pytest.mark.parametrize(
    ("ending", "status", "why"),
    [
        (Ending.NOT_FOUND, None, "pkexec, which asks"),
        (Ending.EXITED, 126, "the request was refused or dismissed"),
        (Ending.EXITED, 127, "nobody can ask for the password"),
        (Ending.TIMED_OUT, None, "nobody answered the question"),
    ],
)
def test_that_a_refusal_is_told_once_and_the_reading_goes_on(ending: Ending, status: int | None, why: str) -> None:
    here = Here({"ask": Completed(command=PLAIN, ending=ending, status=status)})
    refusals: list[str] = []
    answers = drive(as_administrator(asks((SCAN,), (DISK,)), refusals.append, front=("ask",)), here)
    assert [command.program for command in here.asked] == ["ask", "smartctl", "smartctl"]
    assert [batch[0].stdout for batch in answers] == [SCAN.text.encode(), DISK.text.encode()]
    assert len(refusals) == 1
    assert why in refusals[0]


@pytest.mark.parametrize("end", range(25, 60))
def test_that_a_helper_that_is_ended_leaves_its_last_answers_out(end: int) -> None:
    whole = said(0, b"first answer") + said(0, b"second answer") + b"@ end\n"
    here = helped(whole[: end - 24])
    (answers,) = drive(as_administrator(asks((SCAN, DISK)), list[str]().append, front=("ask",)), here)
    assert [answer.stdout for answer in answers if answer.ok] == [b"first answer", b"second answer"][
        : sum(answer.ok for answer in answers)
    ]
    assert all(answer.ok or answer.ending is Ending.KILLED for answer in answers)


@pytest.mark.parametrize(
    "argv",
    [
        ("smartctl", "--json", "-t", "long", "/dev/sda"), ("smartctl", "--json", "-x", "/dev/sda;id"),
        ("smartctl", "-s", "off", "/dev/sda"), ("nvme", "format", "/dev/nvme0n1"), ("zpool", "import", "tank"),
        ("nvme", "id-ns", "-o", "json", "/dev/nvme0n1\nzpool-import"), ("zpool", "destroy", "tank"), ("sh", "-c", "id"),
        ("zdb", "-C", "tank"), ("zdb", "-U", "/tmp/x", "-C"), ("zdb", "-l", "/dev/sda"),
    ],
)  # fmt: skip
def test_that_nothing_else_becomes_a_question(argv: tuple[str, ...]) -> None:
    assert question_of(Command(argv=argv, needs_root=True)) is None
    assert question_of(Command(argv=DISK.argv)) is None


def test_that_a_helper_that_is_not_roots_alone_is_not_run(tmp_path: Path) -> None:
    own = tmp_path / "poolwright-read-disks"
    own.write_text("#!/bin/sh\n")
    assert "not installed" in (helper_problem(tmp_path / "missing") or "")
    assert "is not root's alone" in (helper_problem(own) or "")  # /tmp is everybody's
    if not HELPER.exists() and os.geteuid():
        refusals: list[str] = []
        here = Here({})
        drive(as_administrator(asks((SCAN,)), refusals.append), here)
        assert [command.argv for command in here.asked] == [SCAN.argv]
        assert "comes with the Debian package" in refusals[0]


@pytest.fixture(scope="module")
def fenced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the helper with tools that only write down how they were called, in a folder of its own."""
    folder = tmp_path_factory.mktemp("fenced")
    tools = folder / "tools"
    tools.mkdir()
    for name in TOOLS:
        tool = tools / name
        tool.write_text(f'#!/bin/sh\n{{ printf "%s" "{name}"; printf "|%s" "$@"; echo; env; }} >{folder}/called-$$\n')
        tool.chmod(0o755)
    text = SOURCE.read_text().replace("PATH=/usr/sbin:", f"PATH={tools}:/usr/sbin:")
    # Nothing is looked for below /dev: what is a device there depends on the machine.
    text = text.replace("[ -b ", "[ ! -b /nowhere ] || [ -b ").replace("[ -c ", "[ ! -c /nowhere ] || [ -c ")
    helper = folder / "helper"
    helper.write_text(text)
    helper.chmod(0o755)
    return helper


def ask(helper: Path, lines: bytes, **environment: str) -> bytes:
    done = subprocess.run(
        [str(helper)], input=lines, capture_output=True, timeout=120, check=False, env={**os.environ, **environment}
    )
    assert done.stdout.startswith(b"poolwright-read-disks 1\n"), done
    return done.stdout


def called(helper: Path) -> list[str]:
    files = sorted(helper.parent.glob("called-*"))
    lines = [line for file in files for line in file.read_text(errors="replace").splitlines()]
    for file in files:
        file.unlink()
    return lines


def calls(lines: list[str]) -> list[str]:
    return [line for line in lines if line.partition("|")[0] in TOOLS]


def test_that_the_list_is_answered_in_order(fenced: Path) -> None:
    lines = b"smartctl /dev/sda\nsmartctl-text /dev/sdb sat\nsmartctl /dev/bus/0 megaraid,7\nsmartctl-scan\n"
    lines += b"nvme-id-ns /dev/nvme0n1\nzpool-import\nmultipath\nzdb-config"
    out = ask(fenced, lines, IFS="x", ENV="/etc/passwd", PATH="/nowhere:/usr/bin:/bin", SECRET="1")
    assert out.count(b"@ 0 0 0\n") == 8
    assert out.endswith(b"@ end\n")
    lines_called = called(fenced)
    assert sorted(calls(lines_called)) == [
        "multipath|-ll", "nvme|id-ns|-o|json|/dev/nvme0n1", "smartctl|--json|-x|-d|megaraid,7|/dev/bus/0",
        "smartctl|--json|-x|/dev/sda", "smartctl|--scan|--json", "smartctl|-x|-d|sat|/dev/sdb", "zdb|-C",
        "zpool|import",
    ]  # fmt: skip
    names = {line.partition("=")[0] for line in lines_called if "=" in line}
    assert names <= {"PATH", "LC_ALL", "PWD", "OLDPWD", "_", "SHLVL"}


ALLOWED = {
    ("smartctl", "--scan", "--json"), ("zpool", "import"), ("multipath", "-ll"), ("zdb", "-C"),
}  # fmt: skip
NASTY = (
    "$(id)", "`id`", ";id", "|id", "&& id", ">x", "<x", "*", "?", "[a-z]", "~", "..", "/dev/../etc/shadow", "-t",
    "long", "--", "-d", "/dev/sda1", "/dev/sda/", "//dev/sda", "/dev/sd", "/dev/mapper/x", "/dev/disk/by-id/x",
    "/dev/nvme0n1p1", "\\", "'", '"', "\r", "\t", "\x00", "\x7f", "é", "\udcff", "a" * 300, "megaraid,",
    "megaraid,1;id", "sat,99",
    "/dev/bus/0", "/dev/bus/../sda", "/dev/sg0x", "/dev/nvme", "/dev/nvmen", "usbjmicron,x", "test", "/etc/passwd",
)  # fmt: skip
GOOD = (
    "smartctl", "smartctl-text", "smartctl-scan", "nvme-id-ns", "zpool-import", "multipath", "zdb-config", "/dev/sda",
    "sat", "/dev/nvme1n1",
)  # fmt: skip


def tolerated(call: str) -> bool:
    """Tell whether a call is one that the list knows, by a description of our own."""
    words = tuple(call.split("|"))
    if words in ALLOWED:
        return True
    if words[:4] == ("nvme", "id-ns", "-o", "json"):
        return len(words) == 5 and words[4] == "/dev/nvme1n1"
    rest = list(words[1:])
    if rest[:1] == ["--json"]:
        rest.pop(0)
    if rest[:1] != ["-x"]:
        return False
    rest.pop(0)
    if len(rest) == 3 and (rest.pop(0) != "-d" or rest.pop(0) != "sat"):
        return False
    return rest in (["/dev/sda"], ["/dev/nvme1n1"], ["/dev/sg0"])


def nasty_line(chance: random.Random) -> str:
    words = [chance.choice(GOOD if chance.random() < 0.6 else NASTY) for _ in range(chance.randint(0, 4))]
    line = chance.choice((" ", " ", " ", "  ", "\t", "")).join(words)
    if line and chance.random() < 0.3:
        at = chance.randrange(len(line))
        line = line[:at] + chance.choice(NASTY) + line[at:]
    return line


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_that_thousands_of_nasty_lines_run_nothing_but_the_list(fenced: Path, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    lines = [nasty_line(chance) for _ in range(500)]
    before = sorted(Path("/").iterdir())
    out = ask(fenced, "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n")
    made = calls(called(fenced))
    assert [call for call in made if not tolerated(call)] == []
    assert made, "no good line among them: the test proves nothing"
    assert out.endswith(b"@ end\n")
    assert sorted(Path("/").iterdir()) == before
    assert not list(Path("/run").glob("poolwright.*"))


def test_that_a_link_below_dev_is_no_device_and_a_file_neither() -> None:
    out = ask(SOURCE, b"smartctl /dev/stdin\nsmartctl /dev/null\nsmartctl /dev/sdzz\nnvme-id-ns /dev/nvme9\n")
    assert out.count(b"@ 126 0 ") == 4


def test_that_the_script_is_clean() -> None:
    check_shell(SOURCE)
    assert SOURCE.stat().st_mode & stat.S_IXUSR


def test_that_the_policy_names_the_helper_and_asks_for_a_password() -> None:
    root = ET.parse(POLICY).getroot()
    (action,) = root.findall("action")
    assert action.get("id") == "org.poolwright.read-disks"
    assert [(node.tag, node.text) for node in action.find("defaults") or ()] == [
        ("allow_any", "auth_admin"), ("allow_inactive", "auth_admin"), ("allow_active", "auth_admin_keep"),
    ]  # fmt: skip
    assert action.findtext("annotate") == str(HELPER)
    dtd = Path("/usr/share/polkit-1/policyconfig-1.dtd")
    if shutil.which("xmllint") and dtd.exists():
        subprocess.run(["xmllint", "--noout", "--nonet", "--dtdvalid", str(dtd), str(POLICY)], check=True)
