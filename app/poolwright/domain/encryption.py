"""Encrypted datasets of a pool: what holds their keys, what OpenZFS refuses, and what must be kept.

A dataset with ``encryption=on`` below none that is encrypted is an encryption root: it needs a keyformat, and a
keylocation where the key shall not be typed. What lies below shares its key unless it has a keyformat of its own.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from poolwright.domain.design import Dataset, Design
from poolwright.domain.inheritance import Resolver, all_datasets, ancestors
from poolwright.domain.shown import shown_text
from poolwright.texts import _

KEY_PROPERTIES = ("keyformat", "keylocation", "pbkdf2iters")
PROMPT = "prompt"
_FILE = "file://"
_NOTHING = {"keylocation": ("none",)}  # the one that `zfs create` takes without encryption
_COPIES_WITHOUT_ROOM = "3"  # an encrypted block keeps its salt where the third copy would be named
# Files of compatibility.d without the feature: zpool create leaves it out, and zfs create then fails.
_FEATURELESS = (
    *("2018", "2019", "2020", "2021", "compat-20", "freebsd-11", "freebsd-12", "freenas-", "grub2"),
    *("openzfsonosx-1.7", "openzfsonosx-1.8", "ubuntu-18", "zol-0.6", "zol-0.7"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionRoot:
    """A dataset (its name relative to the pool, '' the root) with a key of its own.

    ``keyformat`` is passphrase, hex or raw; ``keylocation`` prompt, file:///… or a web address.
    """

    dataset: str
    keyformat: str
    keylocation: str = PROMPT

    @property
    def typed(self) -> bool:
        return self.keylocation == PROMPT

    @property
    def key_file(self) -> str | None:
        return self.keylocation.removeprefix(_FILE) if self.keylocation.startswith(_FILE) else None


def encryption_roots(design: Design) -> tuple[EncryptionRoot, ...]:
    """Return what holds keys in the (main) pool, parents first; datasets without a good keyformat are left out."""
    own = _own_settings(design)
    return tuple(
        EncryptionRoot(dataset=d.name, keyformat=settings["keyformat"], keylocation=settings.get("keylocation", PROMPT))
        for d in all_datasets(design)
        if (settings := own[d.name]).get("keyformat", "none") != "none" and _encrypted(own, d.name)
    )


def lacks_key(design: Design, name: str) -> bool:
    own = _own_settings(design)
    return _begins(own, name) and own[name].get("keyformat", "none") == "none"


def key_words(root: EncryptionRoot) -> str:
    if root.typed:
        return _("a {keyformat} typed at a prompt", keyformat=root.keyformat)
    return _("a {keyformat} key at {keylocation}", keyformat=root.keyformat, keylocation=root.keylocation)


def kept_words(design: Design) -> tuple[str, ...]:
    def kept(root: EncryptionRoot) -> str:
        if root.key_file is not None:
            return _("copies of {key_file} in two places off this machine, not in the pool", key_file=root.key_file)
        return _("the {keyformat} where it outlives this machine and whoever types it", keyformat=root.keyformat)

    return tuple(
        _(
            "{name} opens with {root}. Keep {kept}: without it the data are lost.",
            name=pool.full_name(root.dataset),
            root=key_words(root),
            kept=kept(root),
        )
        for pool in design.pools()
        for root in encryption_roots(pool)
    )


def encryption_problems(design: Design) -> tuple[str, ...]:
    every, resolver = _own_settings(design), Resolver(design)
    problems: list[str] = []
    encrypted = False
    for dataset in all_datasets(design):
        name, own = dataset.name, every[dataset.name]
        if _encrypted(every, name):
            encrypted = True
            found = [*_of_key(own, begins=_begins(every, name)), *_of_place(own, dataset, resolver)]
        else:
            given = [key for key in KEY_PROPERTIES if own.get(key) not in (None, *_NOTHING.get(key, ()))]
            found = [_("{given} without encryption=on is refused by OpenZFS", given=given[0])] if given else []
        problems.extend(f"{shown_text(design.full_name(name))}: {text}" for text in found)
    return (*problems, *(_of_feature(design) if encrypted else ()))


# The settings that each dataset itself has, by its name.
_Own = Mapping[str, Mapping[str, str]]


def _own_settings(design: Design) -> _Own:
    return defaultdict(dict, {d.name: {s.name: s.value for s in d.settings} for d in design.datasets})


def _encrypted(own: _Own, name: str) -> bool:
    values = (own[holder]["encryption"] for holder in (name, *ancestors(name)) if "encryption" in own[holder])
    return next(values, "off") != "off"


def _begins(own: _Own, name: str) -> bool:
    return _encrypted(own, name) and not (name and _encrypted(own, name.rpartition("/")[0]))


def _of_key(own: Mapping[str, str], *, begins: bool) -> Iterator[str]:
    keyformat, location = own.get("keyformat", "none"), own.get("keylocation", PROMPT)
    alone = next((key for key in KEY_PROPERTIES if key in own), None)
    if keyformat == "none":
        if begins:
            yield _("encryption needs a key: set keyformat to passphrase, or to raw or hex with a keylocation")
        elif alone is not None:
            yield _("{alone} needs a keyformat of its own", alone=alone)
        return
    if location == PROMPT and keyformat == "raw":
        yield _("a raw key cannot be typed; set keylocation to file:///… with 32 bytes in it")
    if location == "none":
        yield _("keylocation=none is for datasets without encryption")
    if keyformat != "passphrase" and "pbkdf2iters" in own:
        yield _("pbkdf2iters goes with a passphrase only")


def _of_place(own: Mapping[str, str], dataset: Dataset, resolver: Resolver) -> Iterator[str]:
    if resolver.value(dataset, "copies") == _COPIES_WITHOUT_ROOM:
        yield _("an encrypted dataset has at most two copies of a block")
    mountpoint, location = resolver.value(dataset, "mountpoint"), own.get("keylocation", PROMPT)
    path = location.removeprefix(_FILE)
    mounted = dataset.volume_bytes is None and mountpoint.startswith("/")
    if mounted and location.startswith(_FILE) and path.startswith(f"{mountpoint.rstrip('/')}/"):
        yield _("its key {path} would lie behind the lock that it opens", path=shown_text(path))


def _of_feature(design: Design) -> tuple[str, ...]:
    for setting in design.pool_settings:
        if setting.name == "feature@encryption" and setting.value == "disabled":
            return (_("feature@encryption is disabled, and datasets are encrypted"),)
        names = setting.value.split(",") if setting.name == "compatibility" else ()
        lacking = next((name for name in names if name.startswith(_FEATURELESS) or name == "legacy"), None)
        if lacking is not None:
            text = _(
                "compatibility={lacking} leaves encryption out, and datasets are encrypted", lacking=shown_text(lacking)
            )
            return (text,)
    return ()
