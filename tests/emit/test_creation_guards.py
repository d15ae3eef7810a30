"""What the script refuses about machine, pools, files and answers: each guard alone, with one thing wrong."""

from pathlib import Path

import pytest
from tests.emit.functions import asked, endings
from tests.emit.pretend import Machine, script_for, small_design

POOL = "\tNAME\tSTATE\n\ttank\tONLINE\n\t  mirror-0\tONLINE\n\t    /dev/sda\tONLINE\n\t    /dev/sdb\tONLINE\n"
SPARE = "\tspares\n\t  /dev/sdc\tAVAIL\n"
END = "\nerrors: No known data errors\n"


def ended(machine: Machine, trials: dict[str, str]) -> dict[str, tuple[int, str]]:
    return endings(asked(machine, script_for(small_design(), machine), trials))


def shown(layout: str) -> str:
    """Return shell that lets zpool show a pool tank with a layout, and no guid."""
    text = f"  pool: tank\nconfig:\n\n{layout}{END}".replace("\t", "\\t").replace("\n", "\\n")
    return f"zpool() {{ case $1 in list) echo tank ;; status) printf '{text}' ;; *) return 1 ;; esac; }}"


@pytest.mark.parametrize(
    ("layout", "status", "words"),
    [
        (POOL + SPARE, 0, "state existing"),
        (POOL, 1, "it is not this one"),
        (POOL.replace("mirror-0", "raidz1-0") + SPARE, 1, "it is not this one"),
        (POOL.replace("/dev/sdb", "/dev/sdd") + SPARE, 1, "it is not this one"),
        (POOL.replace("/dev/sda", "/dev/x").replace("sdb", "sda").replace("/dev/x", "/dev/sdb") + SPARE, 1, "not this"),
        (POOL.replace("    /dev/sdb", "  /dev/sdb") + SPARE, 1, "it is not this one"),
        (POOL.replace("    /dev/sdb", "      /dev/sdb") + SPARE, 1, "it is not this one"),
        (POOL + SPARE.replace("spares", "cache"), 1, "it is not this one"),
        (POOL + SPARE.replace("spares", "unheard"), 1, "it is not this one"),
        (POOL + SPARE + "\tlogs\n\t  /dev/sdz\tONLINE\n", 1, "it is not this one"),
        (POOL + SPARE.replace("/dev/sdc", "draid1-0-0"), 1, "it is not this one"),
        (POOL + "\tspares\n\t  draid1-0-0\tAVAIL\n\t  /dev/sdc\tAVAIL\n", 0, "state existing"),
        ("", 3, "cannot be told"),
    ],
)
def test_that_a_pool_of_the_name_is_taken_only_with_exactly_the_designed_vdevs(
    machine: Machine, layout: str, status: int, words: str
) -> None:
    told = ended(machine, {"pool": f'{shown(layout)}; find_pools; echo "state ${{pool_state[0]}}"'})["pool"]
    assert told[0] == status, told
    assert words in told[1]


def test_that_every_class_of_a_pool_is_read_and_what_is_unknown_stays_so(machine: Machine) -> None:
    vdevs = ("special", "dedup", "logs", "cache", "spares", "unheard")
    text = "config:\\n\\n\\tNAME\\n\\ttank\\n\\t  mirror-0\\n\\t    /dev/sda\\n\\t  raidz1-1\\n\\t    /dev/sdb\\n"
    text += "".join(f"\\t{name}\\n\\t  /dev/sd{'efghij'[n]}  ONLINE\\n" for n, name in enumerate(vdevs))
    told = ended(machine, {"read": f"members_in $'{text}errors: none\\n\\tother\\n\\t  /dev/sdz\\n'"})["read"]
    assert told[1].splitlines() == [
        "data 0 mirror sda", "data 1 raidz1 sdb", "special 0 disk sde", "dedup 0 disk sdf",
        "log 0 disk sdg", "cache 0 disk sdh", "spare 0 disk sdi", "other 0 disk sdj",
    ]  # fmt: skip


def test_that_no_pool_is_taken_for_absent_where_zpool_does_not_answer(machine: Machine) -> None:
    trials = {
        "other names": 'zpool() { printf "tank2\\nmytank\\n"; }; find_pools; echo "state ${pool_state[0]}"',
        "no list": "zpool() { echo not loaded; return 1; }; find_pools",
        "no status": 'zpool() { [ "$1" = list ] && echo tank; }; find_pools',
        "no leaves": "zpool() { echo not loaded; return 1; }; find_leaves",
    }
    told = ended(machine, trials)
    assert told["other names"] == (0, "state absent")
    assert told["no list"] == (3, "zpool does not answer: not loaded")
    assert told["no status"][0] == 3
    assert told["no leaves"] == (3, "zpool status failed: not loaded")


def test_that_the_tools_and_root_are_wanted_before_anything_else(machine: Machine) -> None:
    lacks = 'have() { [ "$1" != TOOL ]; }; require_machine'
    tools = ("zpool", "lsblk", "blkid", "blockdev", "wipefs", "dd", "stat")
    trials = {
        "all": "have() { true; }; require_machine",
        **{tool: lacks.replace("TOOL", tool) for tool in tools},
        "sgdisk": lacks.replace("TOOL", "sgdisk"),
        "sgdisk where disks are split": "part_disk=(0); " + lacks.replace("TOOL", "sgdisk"),
        "root": "have() { true; }; id() { echo 1000; }; require_machine",
        "find": 'find() { busybox find "$@"; }; require_machine',
        "coreutils": 'stat() { busybox stat "$@"; }; require_machine',
    }
    told = ended(machine, trials)
    assert "Not installed: findutils coreutils." in told["find"][1] == told["coreutils"][1]
    assert {name for name, (status, _) in told.items() if status == 0} == {"all", "sgdisk"}
    assert {status for status, _ in told.values()} == {0, 3}
    assert all(f"Not installed: {tool}." in told[tool][1] for tool in tools)
    assert "gdisk" in told["sgdisk where disks are split"][1]
    assert "Only root" in told["root"][1]


def test_that_another_openzfs_than_that_of_the_design_is_told_by_how_far_it_is(machine: Machine) -> None:
    asks = "zfs() { printf 'zfs-2.0.0\\nzfs-kmod-VERSION\\n'; }; check_version"
    assert "readonly designed_for=2.3.9\n" in script_for(small_design(), machine)
    trials = {
        **{name: asks.replace("VERSION", name) for name in ("2.3.9-1", "2.3.9", "2.3.90", "2.3.8-1", "2.2.9-1")},
        "unknown": "zfs() { return 1; }; check_version",
    }
    told = ended(machine, trials)
    assert {name: text.partition(":")[0] for name, (_, text) in told.items()} == {
        **dict.fromkeys(("2.3.9-1", "2.3.9"), ""),
        **dict.fromkeys(("2.3.90", "2.3.8-1"), "note"),
        **dict.fromkeys(("2.2.9-1", "unknown"), "WARNING"),
    }
    assert "of unknown version" in told["unknown"][1]


def test_that_only_the_name_itself_or_the_words_themselves_are_an_answer(machine: Machine) -> None:
    name, words = "use_pool 0; confirm what <<<'TYPED'; echo on", "agree 'overwrite 1 disk' <<<'TYPED'; echo on"
    wrong = ("", "tan", "tank2", " tank", "TANK", "y", "yes")
    trials = {
        "tank": name.replace("TYPED", "tank"),
        **{f"name {typed!r}": name.replace("TYPED", typed) for typed in wrong},
        "given": f"yes_create=' tank '; {name.replace('TYPED', '')}",
        "given for another": f"yes_create=' tank2 '; {name.replace('TYPED', '')}",
        "words": words.replace("TYPED", "overwrite 1 disk"),
        "other words": words.replace("TYPED", "overwrite 2 disks"),
        "no words": words.replace("TYPED", ""),
        "agreed": f"agreed=('overwrite 1 disk'); {words.replace('TYPED', '')}",
        "agreed to others": f"agreed=('overwrite 2 disks'); {words.replace('TYPED', '')}",
        "only checked": f"check_only=yes; {words.replace('TYPED', '')}",
    }
    told = ended(machine, trials)
    went_on = {"tank", "given", "words", "agreed", "only checked"}
    assert {name for name, (_, text) in told.items() if text.endswith("on")} == went_on
    assert {name for name, (status, _) in told.items() if status == 0} == went_on
    assert {status for status, _ in told.values()} == {0, 1}


def test_that_what_may_cost_somebody_data_is_agreed_to_each_by_itself(machine: Machine) -> None:
    agreeing = 'agree() { printf "%s\\n" "$1"; }; have_agreed'
    trials = {
        "nothing": agreeing,
        "used": f"used_disks=(1); {agreeing}",
        "all": f"used_disks=(0 1); covered_count=3; namesakes=(tank rest); {agreeing}",
    }
    told = ended(machine, trials)
    assert told["nothing"] == (0, "")
    assert told["used"] == (0, "overwrite 1 disk")
    wanted = ["overwrite 2 disks", "cover 3 folders", "a second pool tank", "a second pool rest"]
    assert told["all"][1].splitlines() == wanted


def test_that_nothing_is_written_where_nobody_would_read_of_it(machine: Machine) -> None:
    trials = {
        "log and terminal": "open_log; require_witnesses; echo on",
        "terminal gone": "open_log; told_lost=yes; require_witnesses; echo on",
        "terminal gone at a word": "open_log; exec 3>&1; say hello 1>&-; require_witnesses; echo on",
        "log lost": "open_log; log_lost=yes; require_witnesses; echo on",
        "log full": "exec {log_fd}>/dev/full; require_witnesses; echo on",
        "no log": "POOLWRIGHT_LOG=/nowhere/log; open_log; echo on",
    }
    told = ended(machine, trials)
    assert {name: status for name, (status, _) in told.items()} == {
        "log and terminal": 0,
        **dict.fromkeys(("terminal gone", "terminal gone at a word", "log lost", "log full", "no log"), 3),
    }
    assert "Nobody reads" in told["terminal gone at a word"][1]
    assert "Cannot write the log" in told["log full"][1]


def test_that_files_which_the_commands_need_are_looked_for_of_pools_still_to_be_made(
    machine: Machine, tmp_path: Path
) -> None:
    asks = "forget_problems; expected_pool=(0) expected_of=('') expected_name=(NAME) expected_value=('VALUE'); "
    asks += "check_files; problems"

    def of(name: str, value: str) -> str:
        return asks.replace("NAME", name).replace("VALUE", value)

    trials = {
        "none": of("compatibility", "off"),
        "legacy": of("compatibility", "legacy"),
        "a file that is not there": of("compatibility", "poolwright-nowhere"),
        "two": of("compatibility", "poolwright-nowhere,poolwright-nowhere-2"),
        "a folder": of("cachefile", f"{tmp_path}/cache"),
        "no folder": of("cachefile", f"{tmp_path}/no/cache"),
        "of a pool that is there": f"pool_state=(existing); {of('cachefile', f'{tmp_path}/no/cache')}",
        "of a dataset": of("cachefile", f"{tmp_path}/no/cache").replace("expected_of=('')", "expected_of=(tank)"),
    }
    told = ended(machine, trials)
    counts = {name: int(text.splitlines()[-1]) for name, (_, text) in told.items()}
    assert counts == {
        **dict.fromkeys(("none", "legacy", "a folder", "of a pool that is there", "of a dataset"), 0),
        **dict.fromkeys(("a file that is not there", "no folder"), 1),
        "two": 2,
    }


@pytest.mark.slow
def test_that_a_key_file_holds_a_key_of_its_format_that_only_root_reads(machine: Machine, tmp_path: Path) -> None:
    for name, content in {
        "raw": b"x" * 32,
        "short": b"x" * 31,
        "long": b"x" * 33,
        "hex": b"0aF" * 21 + b"0\n",
        "hex-long": b"0" * 65,
        "hex-bad": b"g" + b"0" * 63,
        "word": b"12345678\nmore\n",
        "word-short": b"1234567\nmore than eight\n",
        "word-long": b"1" * 513,
    }.items():
        (tmp_path / name).write_bytes(content)
    own = 'stat() { case $2 in %u) echo OWNER ;; %a) echo MODE ;; *) command stat "$@" ;; esac; }; '
    asks = f"{own}forget_problems; check_key_file key FORMAT '{tmp_path}/FILE'; problems"

    def of(form: str, file: str, owner: str = "0", mode: str = "600") -> str:
        return asks.replace("FORMAT", form).replace("FILE", file).replace("OWNER", owner).replace("MODE", mode)

    good = {
        "raw": of("raw", "raw"),
        "hex": of("hex", "hex"),
        "passphrase": of("passphrase", "word"),
        "read only": of("raw", "raw", mode="400"),
    }
    bad = {
        **{file: of("raw", file) for file in ("short", "long", "nowhere")},
        **{file: of("hex", file) for file in ("hex-long", "hex-bad")},
        **{file: of("passphrase", file) for file in ("word-short", "word-long")},
        "of another": of("raw", "raw", owner="1000"),
        "read by a group": of("raw", "raw", mode="640"),
        "read by all": of("raw", "raw", mode="604"),
        "a folder": of("passphrase", "."),
    }
    told = ended(machine, good | bad)
    counts = {name: text.splitlines()[-1] for name, (_, text) in told.items()}
    assert counts == dict.fromkeys(good, "0") | dict.fromkeys(bad, "1")


def test_that_a_device_that_is_not_on_the_machine_is_no_disk_of_the_design(machine: Machine) -> None:
    trials = {
        "sdb": "disk_called sdb && echo called",
        "none": "disk_called nothing && echo called",
        "none, with a disk of the design missing": "disk_dev[0]=; disk_called nothing && echo called",
        "a path": "disk_called ../sdb && echo called",
    }
    told = ended(machine, trials)
    assert {name for name, (_, text) in told.items() if text.endswith("called")} == {"sdb"}


def test_that_an_exported_pool_of_the_name_is_told_unless_it_lies_on_the_disks_themselves(machine: Machine) -> None:
    def of(name: str, device: str) -> str:
        text = f"   pool: {name}\\n     id: 99\\n  state: ONLINE\\n config:\\n\\n"
        text += f"\\t{name}  ONLINE\\n\\t  {device}  ONLINE\\n"
        asks = "find_exported; find_namesakes; is_exported sdb && echo exported; tell_exported sdb || true"
        return f"zpool() {{ printf '{text}'; }}; {asks}"

    trials = {
        "elsewhere": of("tank", "sdz"),
        "another name": of("tank2", "sdz"),
        "on a disk of the design": of("tank", "sdb"),
        "by its name": of("tank", "ata-ST6000NM0034_ZAD00001"),
        "another on a disk of the design": of("other", "sdb"),
        "already imported": f"pool_state=(existing); {of('tank', 'sdz')}",
    }
    told = ended(machine, trials)
    namesake = {name for name, (_, text) in told.items() if "There is an exported pool tank already (id 99" in text}
    assert namesake == {"elsewhere"}
    here = {name for name, (_, text) in told.items() if text.startswith("exported\n")}
    assert here == {"on a disk of the design", "by its name"}
    named = {name for name, (_, text) in told.items() if "zpool import 99" in text.rpartition("    It belongs")[2]}
    assert named >= here | {"another on a disk of the design"}
    assert told["another name"][1] == told["already imported"][1] == ""


def test_that_a_key_is_typed_twice_in_its_form_and_given_to_its_own_dataset_only(machine: Machine) -> None:
    keys = "key_dataset=(tank/a tank/b) key_format=(passphrase hex) key_location=(prompt prompt) key_typed=('' ''); "
    digits = "0aF" * 21 + "0"

    def typed(key: int, *lines: str) -> str:
        text = "\\n".join(lines)
        return f"{keys}ask_key {key} <<<$'{text}' >/dev/null; echo \"key ${{key_typed[{key}]}}\""

    given = f"{keys}key_typed=(first second); run() {{ run_once $@; }}; zfs() {{ echo zfs $@; cat; }}; "
    given += "run_with_key NAME zfs create NAME </dev/null"
    trials = {
        "twice": typed(0, "12345678", "12345678"),
        "after a slip": typed(0, "12345678", "12345679", "12345678", "12345678"),
        "after a short one": typed(0, "1234567", "1234567", "12345678", "12345678"),
        "three slips": typed(0, *(f"1234567{n}" for n in range(6)), "12345678", "12345678"),
        "never": typed(0, ""),
        "digits": typed(1, digits, digits),
        "no digits": typed(1, *["12345678"] * 8),
        **{name: given.replace("NAME", name) for name in ("tank/a", "tank/b", "tank/c")},
    }
    told = ended(machine, trials)
    assert {name: text for name, (status, text) in told.items() if status == 0} == {
        **dict.fromkeys(("twice", "after a slip", "after a short one"), "key 12345678"),
        "digits": f"key {digits}",
        "tank/a": "zfs create tank/a\nfirst",
        "tank/b": "zfs create tank/b\nsecond",
        "tank/c": "zfs create tank/c",
    }
    refused = {name for name, (status, _) in told.items() if status == 1}
    assert refused == {"three slips", "never", "no digits"}


def test_that_only_keys_that_are_needed_are_looked_at_and_asked_for(machine: Machine) -> None:
    keys = "key_dataset=(tank tank/a) key_format=(passphrase raw) key_location=(prompt file:///nowhere/key) "
    keys += "key_typed=('' ''); ask_key() { echo asked $1; }; forget_problems; "
    trials = {
        "both": f"{keys}key_is_needed() {{ true; }}; check_keys; ask_keys; problems",
        "none": f"{keys}key_is_needed() {{ false; }}; check_keys; ask_keys; problems",
        "typed before": f"{keys}key_is_needed() {{ true; }}; key_typed[0]=x; ask_keys",
        "there": "zfs() { true; }; key_dataset=(tank); key_is_needed 0",
        "not there": "zfs() { false; }; key_dataset=(tank); key_is_needed 0",
    }
    told = ended(machine, trials)
    assert told["both"][1].splitlines()[1:] == ["asked 0", "1"]
    assert "there is no file /nowhere/key" in told["both"][1]
    assert told["none"] == (0, "0")
    assert told["typed before"] == (0, "")
    assert (told["there"][0], told["not there"][0]) == (1, 0)


def test_that_a_property_that_this_openzfs_does_not_know_is_told_before_a_disk_is_labelled(machine: Machine) -> None:
    old = "zfs() { case ${!#} in *compression*) return 2 ;; esac; }; "
    failed = "zfs() { return 1; }; zpool() { return 1; }; "
    asks = "forget_problems; find_pools; check_known; echo $problem_count"
    trials = {
        "all known": asks,
        "one unknown": old + asks,
        "unknown to zpool": "zpool() { [ $1 != get ] || return 2; }; " + asks,
        "no answer": f"find_pools() {{ :; }}; {failed}{asks}",
        "pool that is there": f"find_pools() {{ pool_state=(existing); }}; {old}{asks}",
    }
    told = ended(machine, trials)
    assert told["all known"] == (0, "0")
    assert told["one unknown"] == (
        0,
        "  - compression: the OpenZFS here knows no such property; the design was computed for 2.3.9\n1",
    )
    assert told["unknown to zpool"][1].count("knows no such property") == 2, told
    assert told["no answer"] == (0, "0")
    assert told["pool that is there"] == (0, "0")
