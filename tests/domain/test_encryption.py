"""Encrypted datasets: which hold keys, what is told of the others, and what must be kept of each key."""

import pytest
from tests.domain.written import GIB, dataset, tank

from poolwright.domain.design import Dataset
from poolwright.domain.encryption import encryption_problems, encryption_roots, kept_words, lacks_key

NO_ENCRYPTION = "compatibility=grub2 leaves encryption out, and datasets are encrypted"
BEHIND = "would lie behind the lock that it opens"
NOT_TYPED = "a raw key cannot be typed; set keylocation to file:///… with 32 bytes in it"
NO_KEY = "encryption needs a key: set keyformat to passphrase, or to raw or hex with a keylocation"
ROOT, HEX = "encryption=on keyformat=passphrase", "encryption=on keyformat=hex"
WITHOUT = "keyformat without encryption=on is refused by OpenZFS"
NONE = "keylocation=none is for datasets without encryption"
COPIES = "an encrypted dataset has at most two copies of a block"


@pytest.mark.parametrize(
    ("datasets", "problems"),
    [
        ((dataset("", ROOT), dataset("a")), ()),
        ((dataset("a", "encryption=on"),), (f"tank/a: {NO_KEY}",)),
        ((dataset("", ROOT), dataset("a", "encryption=on")), ()),
        (
            (dataset("", ROOT), dataset("a", "keylocation=prompt")),
            ("tank/a: keylocation needs a keyformat of its own",),
        ),
        (
            (dataset("", ROOT), dataset("a", "pbkdf2iters=200000")),
            ("tank/a: pbkdf2iters needs a keyformat of its own",),
        ),
        ((dataset("", ROOT), dataset("a", "encryption=off")), ()),
        (
            (dataset("", ROOT), dataset("a", "encryption=off"), dataset("a/b", "encryption=on")),
            (f"tank/a/b: {NO_KEY}",),
        ),
        ((dataset("a", "keyformat=raw keylocation=prompt"),), (f"tank/a: {WITHOUT}",)),
        ((dataset("a", "keylocation=none"),), ()),
        ((dataset("a", "encryption=on keyformat=raw"),), (f"tank/a: {NOT_TYPED}",)),
        ((dataset("a", "encryption=on keyformat=hex"),), ()),
        ((dataset("a", f"{HEX} keylocation=none"),), (f"tank/a: {NONE}",)),
        ((dataset("a", f"{ROOT} pbkdf2iters=200000"),), ()),
        (
            (dataset("a", "encryption=on keyformat=hex pbkdf2iters=200000"),),
            ("tank/a: pbkdf2iters goes with a passphrase only",),
        ),
        ((dataset("a", f"{ROOT} copies=2"),), ()),
        ((dataset("", f"{ROOT} copies=3"),), (f"tank: {COPIES}",)),
        ((dataset("", ROOT), dataset("a"), dataset("a/b", "copies=3")), (f"tank/a/b: {COPIES}",)),
        ((dataset("a", f"{HEX} keylocation=file:///tank/a/k"),), (f"tank/a: its key /tank/a/k {BEHIND}",)),
        ((dataset("a", f"{HEX} keylocation=file:///tank/ab"),), ()),
        ((dataset("a", f"{HEX} keylocation=file:///x/k mountpoint=/x/"),), (f"tank/a: its key /x/k {BEHIND}",)),
        ((dataset("a", f"{HEX} keylocation=file:///none/k mountpoint=none"),), ()),
        ((dataset("v", f"{HEX} keylocation=file:///tank/v/k", GIB),), ()),
    ],
)
def test_that_encryption_is_told_what_it_lacks_and_where(
    datasets: tuple[Dataset, ...], problems: tuple[str, ...]
) -> None:
    assert encryption_problems(tank(*datasets)) == problems


@pytest.mark.parametrize(
    ("pool", "problem"),
    [
        ("feature@encryption=disabled", "feature@encryption is disabled, and datasets are encrypted"),
        ("feature@encryption=enabled", None),
        ("compatibility=openzfs-2.1-linux", None),
        ("compatibility=openzfs-2.1-linux,grub2", NO_ENCRYPTION),
        ("compatibility=legacy", "compatibility=legacy leaves encryption out, and datasets are encrypted"),
        ("compatibility=freebsd-11.2", "compatibility=freebsd-11.2 leaves encryption out, and datasets are encrypted"),
        ("comment=disabled", None),
    ],
)
def test_that_a_pool_without_the_feature_holds_nothing_encrypted(pool: str, problem: str | None) -> None:
    assert encryption_problems(tank(dataset("", ROOT), pool=pool)) == (() if problem is None else (problem,))
    assert encryption_problems(tank(dataset("a"), pool=pool)) == ()


def test_that_each_key_is_told_with_what_must_be_kept() -> None:
    design = tank(
        dataset("", ROOT),
        dataset("a"),
        dataset("b", "encryption=on keyformat=raw keylocation=file:///etc/b.key"),
        dataset("c", "keyformat=hex keylocation=https://keys/c"),
        dataset("d", "encryption=off"),
    )
    roots = encryption_roots(design)
    assert [(r.dataset, r.keyformat, r.keylocation, r.typed, r.key_file) for r in roots] == [
        ("", "passphrase", "prompt", True, None),
        ("b", "raw", "file:///etc/b.key", False, "/etc/b.key"),
        ("c", "hex", "https://keys/c", False, None),
    ]
    never = "without it the data are lost."
    elsewhere = "in two places off this machine, not in the pool"
    outlives = "where it outlives this machine and whoever types it"
    assert kept_words(design) == (
        f"tank opens with a passphrase typed at a prompt. Keep the passphrase {outlives}: {never}",
        f"tank/b opens with a raw key at file:///etc/b.key. Keep copies of /etc/b.key {elsewhere}: {never}",
        f"tank/c opens with a hex key at https://keys/c. Keep the hex {outlives}: {never}",
    )
    lacking = tank(dataset("a", "encryption=on"), dataset("a/b"), dataset("c", ROOT))
    assert [lacks_key(lacking, name) for name in ("", "a", "a/b", "c")] == [False, True, False, False]
