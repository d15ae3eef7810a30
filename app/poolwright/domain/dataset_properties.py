"""The properties of filesystems and volumes: for which of the two, whether they inherit, their default by version.

Source: OpenZFS `module/zcommon/zfs_prop.c` (PROP_INHERIT and PROP_ONETIME are handed down, PROP_DEFAULT and
PROP_ONETIME_DEFAULT are not), held against `zfs get all` of 2.1, 2.2 and 2.3. Defaults are those that Linux prints.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from poolwright.domain.version import ZfsVersion

V22, V23, V24 = ZfsVersion(2, 2, 0), ZfsVersion(2, 3, 0), ZfsVersion(2, 4, 0)
OWN_SIZE = "volsize"  # a volume's size is a field of the dataset and not one of its settings


class ValueKind(StrEnum):
    """What a value looks like: one of a few words, a block size, an amount of space, a number, or any text."""

    WORDS = "words"
    BLOCK = "block"
    SPACE = "space"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetProperty:
    """A property that can be set on a dataset.

    ``inherits`` says that children take it over, ``fixed`` that it can only be given when the dataset is made.
    ``default`` is the value of a filesystem where nobody set any. ``words`` are the values there are (kind words).
    """

    name: str
    kind: ValueKind
    default: str
    words: tuple[str, ...] = ()
    filesystems: bool = True
    volumes: bool = False
    inherits: bool = True
    fixed: bool = False
    volume_default: str | None = None

    def applies(self, *, volume: bool) -> bool:
        return self.volumes if volume else self.filesystems

    def default_of(self, *, volume: bool) -> str:
        """Return the value where nobody set any."""
        return self.volume_default if volume and self.volume_default is not None else self.default


_SWITCH = ("on", "off")
_CACHE = ("all", "metadata", "none")
_GZIP = tuple(f"gzip-{n}" for n in range(1, 10))
_ZSTD = tuple(f"zstd-{n}" for n in range(1, 20))
_FAST = tuple(f"zstd-fast-{n}" for n in (*range(1, 11), *range(20, 101, 10), 500, 1000))
_SUMS = ("sha256", "sha512", "skein", "edonr")


@lru_cache(maxsize=16)
def dataset_properties(version: ZfsVersion) -> tuple[DatasetProperty, ...]:
    """Return the properties that can be set in this version, the ones people look at first at the front."""
    return (*_of_space(version), *_of_integrity(version), *_of_caching(version), *_of_files(version), *_of_limits())


def dataset_property(name: str, version: ZfsVersion) -> DatasetProperty | None:
    """Return the property of this name; None for user properties (``com.example:owner``) and unknown names."""
    return _by_name(version).get(name)


def is_user_property(name: str) -> bool:
    """Tell whether ``name`` is one of the user's own, which ZFS keeps, hands down and gives no meaning."""
    return ":" in name


@lru_cache(maxsize=16)
def _by_name(version: ZfsVersion) -> dict[str, DatasetProperty]:
    return {item.name: item for item in dataset_properties(version)}


def _words(
    name: str, default: str, words: tuple[str, ...], *, volumes: bool = True, fixed: bool = False, inherits: bool = True
) -> DatasetProperty:
    return DatasetProperty(
        name=name, kind=ValueKind.WORDS, default=default, words=words, volumes=volumes, fixed=fixed, inherits=inherits
    )


def _of_space(version: ZfsVersion) -> tuple[DatasetProperty, ...]:
    packers = ("on", "off", "lz4", "zstd", *_ZSTD, "zstd-fast", *_FAST, "gzip", *_GZIP, "lzjb", "zle")
    return (
        DatasetProperty(name="recordsize", kind=ValueKind.BLOCK, default="128K"),
        DatasetProperty(
            name="volblocksize",
            kind=ValueKind.BLOCK,
            default="16K" if version >= V22 else "8K",
            filesystems=False,
            volumes=True,
            inherits=False,
            fixed=True,
        ),
        _words("compression", "on" if version >= V22 else "off", packers),
        _words("copies", "1", ("1", "2", "3")),
        DatasetProperty(name="special_small_blocks", kind=ValueKind.BLOCK, default="0", volumes=version >= V24),
        _words("dedup", "off", _dedup(version)),
        _words("redundant_metadata", "all", ("all", "most", *(("some", "none") if version >= V22 else ()))),
    )


def _dedup(version: ZfsVersion) -> tuple[str, ...]:
    sums = (*_SUMS[:3], *(("blake3",) if version >= V22 else ()))
    return ("on", "off", "verify", *sums, *(f"{name},verify" for name in sums), "edonr,verify")


def _of_integrity(version: ZfsVersion) -> tuple[DatasetProperty, ...]:
    sums = ("on", "off", "fletcher2", "fletcher4", *_SUMS, *(("blake3",) if version >= V22 else ()))
    ciphers = tuple(f"aes-{bits}-{mode}" for bits in (128, 192, 256) for mode in ("ccm", "gcm"))
    return (
        _words("checksum", "on", sums),
        _words("sync", "standard", ("standard", "always", "disabled")),
        _words("logbias", "latency", ("latency", "throughput")),
        _words("encryption", "off", ("on", "off", *ciphers), fixed=True),
        _words("keyformat", "none", ("none", "raw", "hex", "passphrase"), fixed=True),
        DatasetProperty(name="keylocation", kind=ValueKind.TEXT, default="none", volumes=True, inherits=False),
        # These two are not handed down as properties but with the key that parent and children share.
        DatasetProperty(name="pbkdf2iters", kind=ValueKind.NUMBER, default="0", volumes=True, fixed=True),
        _words("readonly", "off", _SWITCH),
    )


def _of_caching(version: ZfsVersion) -> tuple[DatasetProperty, ...]:
    newer = (
        _words("prefetch", "all", _CACHE),
        _words("direct", "standard", ("standard", "always", "disabled"), volumes=False),
    )
    return (
        _words("primarycache", "all", _CACHE),
        _words("secondarycache", "all", _CACHE),
        *(newer if version >= V23 else ()),
    )


def _of_files(version: ZfsVersion) -> tuple[DatasetProperty, ...]:
    sizes = ("legacy", "auto", "1k", "2k", "4k", "8k", "16k")
    inheritances = ("restricted", "discard", "noallow", "passthrough", "passthrough-x", "secure")
    forms = ("none", "formC", "formD", "formKC", "formKD")
    snapdirs = ("hidden", "visible", *(("disabled",) if version >= V23 else ()))
    texts = (("mountpoint", ""), ("sharenfs", "off"), ("sharesmb", "off"))
    return (
        *(DatasetProperty(name=name, kind=ValueKind.TEXT, default=default) for name, default in texts),
        _words("canmount", "on", ("on", "off", "noauto"), volumes=False, inherits=False),
        _words("atime", "on", _SWITCH, volumes=False),
        _words("relatime", "on" if version >= V22 else "off", _SWITCH, volumes=False),
        _words("xattr", "on", ("on", "off", "sa", "dir"), volumes=False),
        _words("dnodesize", "legacy", sizes, volumes=False),
        _words("acltype", "off", ("off", "posix", "posixacl", "nfsv4", "noacl", "disabled"), volumes=False),
        _words("aclinherit", "restricted", inheritances, volumes=False),
        _words("aclmode", "discard", ("discard", "groupmask", "passthrough", "restricted"), volumes=False),
        _words("casesensitivity", "sensitive", ("sensitive", "insensitive", "mixed"), volumes=False, fixed=True),
        _words("normalization", "none", forms, volumes=False, fixed=True),
        _words("utf8only", "off", _SWITCH, volumes=False, fixed=True),
        *(_words(name, "on", _SWITCH, volumes=False) for name in ("devices", "exec", "setuid", "overlay")),
        _words("snapdir", "hidden", snapdirs, volumes=False),
        _words("snapdev", "hidden", ("hidden", "visible")),
        _words("volmode", "default", ("default", "full", "geom", "dev", "none")),
        *(_words(name, "off", _SWITCH, volumes=False) for name in ("zoned", "nbmand", "vscan")),
        *((_words("longname", "off", _SWITCH, volumes=False),) if version >= V23 else ()),
    )


def _of_limits() -> tuple[DatasetProperty, ...]:
    def space(name: str, *, volumes: bool, volume_default: str | None = None) -> DatasetProperty:
        return DatasetProperty(
            name=name,
            kind=ValueKind.SPACE,
            default="none",
            volumes=volumes,
            inherits=False,
            volume_default=volume_default,
        )

    return (
        space("quota", volumes=False),
        space("refquota", volumes=False),
        space("reservation", volumes=True),
        # `zfs create -V` reserves the whole volume unless told otherwise.
        space("refreservation", volumes=True, volume_default="auto"),
        *(
            DatasetProperty(name=name, kind=ValueKind.NUMBER, default="none", volumes=volumes, inherits=False)
            for name, volumes in (("filesystem_limit", False), ("snapshot_limit", True))
        ),
    )
