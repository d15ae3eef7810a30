"""Encrypted designs: keys are looked at and asked for before anything is written; everybody is told to keep them."""

from pathlib import Path

import pytest
from tests.domain.written import dataset
from tests.emit.exported import written
from tests.emit.pretend import STAMP, Machine, machine_for, script_for, small_design

from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal
from poolwright.emit.ansible import ansible_playbook, ansible_problems
from poolwright.emit.commands import plan_actions
from poolwright.emit.truenas import truenas_problems

PHRASE = "correct horse battery"


def encrypted(key_file: Path) -> Design:
    root = dataset("", "encryption=on keyformat=passphrase keylocation=prompt")
    return small_design(datasets=(root, dataset("vault", f"encryption=on keyformat=raw keylocation=file://{key_file}")))


def test_that_encryption_without_a_keyformat_is_refused_with_what_is_missing() -> None:
    with pytest.raises(Refusal) as caught:
        plan_actions(small_design(datasets=(dataset("", "encryption=on"),)))
    assert "set keyformat to passphrase, or to raw or hex with a keylocation" in caught.value.reasons[0]


def test_that_the_sheet_says_how_keys_are_loaded_and_leaves_room_for_where_they_are() -> None:
    text = written("sheet", encrypted(Path("/etc/zfs/keys/vault")))
    keys = text[text.index("### Load the keys") :]
    assert "tank/vault: a raw key at file:///etc/zfs/keys/vault" in keys
    assert "zfs load-key -r tank" in keys
    assert "Copies of each key are kept at: ______" in keys


def test_that_forms_that_cannot_keep_a_key_say_so() -> None:
    design = encrypted(Path("/etc/zfs/keys/vault"))
    assert any("cannot ask for the key of tank" in problem for problem in ansible_problems(design))
    assert any("keeps the keys of tank, tank/vault" in problem for problem in truenas_problems(design))


def test_that_a_playbook_takes_a_key_from_a_file_and_none_that_is_typed() -> None:
    def told(location: str) -> str:
        locked = dataset("safe", f"encryption=on keyformat=passphrase {location}")
        return " ".join(ansible_problems(small_design(datasets=(locked,))))

    assert told("keylocation=file:///etc/key") == ""
    assert "tank/safe" in told("keylocation=prompt")
    assert "tank/safe" in told("")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "vault.key"


@pytest.fixture
def machine(tmp_path: Path, key: Path) -> Machine:
    return machine_for(encrypted(key), tmp_path / "machine")


@pytest.mark.slow
def test_that_a_passphrase_is_typed_twice_before_anything_is_written(machine: Machine, key: Path) -> None:
    (machine.root / "named_late").write_text("once\n")  # zpool create is tried again, and reads the key again
    key.write_bytes(b"x" * 32)
    key.chmod(0o600)
    script = script_for(encrypted(key), machine)
    result = machine.run(script, typed=f"tank\nshort\nshort\n{PHRASE}\n{PHRASE} typo\n{PHRASE}\n{PHRASE}\n")
    assert result.status == 0, result.text
    assert "A passphrase has 8 to 512 characters." in result.text
    assert "The two differ." in result.text
    assert (machine.root / "keys").read_text(encoding="utf-8") == f"{PHRASE}\n" * 2
    assert PHRASE not in result.text
    told = result.text.index("!!! ENCRYPTED")
    assert told < result.text.index("Type the name of the pool")
    assert "keep copies of" in result.text


def test_that_the_playbook_wants_raw_keys_of_32_bytes_that_only_root_reads() -> None:
    """zfs-load-key(8): a raw key has 32 bytes; a hex key is told by its own length."""
    design = small_design(
        datasets=(
            dataset("raw", "encryption=on keyformat=raw keylocation=file:///etc/keys/raw"),
            dataset("hex", "encryption=on keyformat=hex keylocation=file:///etc/keys/hex"),
        )
    )
    text = ansible_playbook(design, STAMP)
    assert '          "/etc/keys/raw": 32\n' in text
    assert '"/etc/keys/hex": ' not in text
    assert text.count('- "/etc/keys/raw"\n') == text.count('- "/etc/keys/hex"\n') == 1
    assert "item.stat.exists" in text
    assert "item.stat.mode[-2:] == '00'" in text
    assert "item.stat.isreg and item.stat.uid == 0" in text  # as the guarded script wants it
    assert "poolwright_key_sizes" not in ansible_playbook(small_design(), STAMP)
