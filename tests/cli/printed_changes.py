"""What the tools would print of a pool with one thing wrong: the machine `good` with some of its lines changed.

The lines are in the words and columns of `zpool status -P`, `zpool list -v -Hp -P`, `zpool get -Hp`, `zfs get -Hp`;
texts of status and scans are those that OpenZFS 2.3 and recorded pools print.
"""

from tests.changes.existing_machines import FOLDER

GOOD = (FOLDER / "good.capture").read_text(encoding="utf-8")
TANK_SCAN = "  scan: scrub repaired 0B in 00:00:01 with 0 errors on Tue Nov 24 09:08:45 2026\n"
FAST_SCAN = "  scan: scrub repaired 0B in 00:00:00 with 0 errors on Tue Nov 24 09:08:46 2026\n"
TANK_LINE = "\ttank                                              ONLINE       0     0     0\n"
FAST_LAST = "\t    /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NV0002-part1  ONLINE       0     0     0\n"
FAST_LISTED = "\t/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NV0002-part1\t960187334656\t-\t-\t-\t-\t-\t-\t-\tONLINE\n"
FAST_TOP = "\tmirror-0\t953482739712\t21688320\t953461051392\t-\t-\t0\t0\t-\tONLINE\n"
SPARE = "\t  /dev/disk/by-id/wwn-0x5000c50000000006-part1    AVAIL   \n"
FAST_ASHIFT = "mirror-0\tashift\t12\t-\n"
SECOND = (
    "\t  mirror-1                                            ONLINE       0     0     0\n"
    "\t    /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NV0003-part1  ONLINE       0     0     0\n"
    "\t    /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NV0004-part1  ONLINE       0     0     0\n"
)
SECOND_LISTED = "".join(
    f"\t/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_NV000{n}-part1\t960187334656\t-\t-\t-\t-\t-\t-\t-\tONLINE\n" for n in (3, 4)
)

Change = tuple[str, str]


def _second_vdev(allocated: int, percent: int) -> Change:
    free = 953482739712 - allocated
    listed = f"\tmirror-1\t953482739712\t{allocated}\t{free}\t-\t-\t0\t{percent}\t-\tONLINE\n{SECOND_LISTED}"
    return FAST_LISTED, FAST_LISTED + listed


def _disk(number: int, state: str, note: str = "") -> Change:
    name = f"\t    /dev/disk/by-id/wwn-0x5000c5000000000{number}-part1  "
    return f"{name}ONLINE       0     0     0\n", f"{name}{state:8}     0     0     0{note}\n"


def _told(pool: str, name: str, was: str, becomes: str, source: str = "-") -> Change:
    return f"{pool}\t{name}\t{was}\n", f"{pool}\t{name}\t{becomes}\t{source}\n"


DEGRADED: Change = (" state: ONLINE\n" + TANK_SCAN, " state: DEGRADED\n" + TANK_SCAN)
TANK_DEGRADED: Change = (TANK_LINE, TANK_LINE.replace("ONLINE  ", "DEGRADED"))
VDEV_DEGRADED: Change = (
    "\t  raidz2-0                                        ONLINE  ",
    "\t  raidz2-0                                        DEGRADED",
)
VAULT = "\n".join(
    f"tank/vault\t{name}\t{value}\t{source}"
    for name, value, source in (
        ("type", "filesystem", "-"), ("used", "196416", "-"), ("available", "23801001805304", "-"),
        ("referenced", "196416", "-"), ("mounted", "no", "-"), ("mountpoint", "/tank/vault", "default"),
        ("encryption", "aes-256-gcm", "-"), ("keylocation", "{place}", "local"), ("keyformat", "raw", "-"),
        ("encryptionroot", "tank/vault", "-"), ("keystatus", "{status}", "-"),
    )
)  # fmt: skip
LAST_OF_TANK = "tank\tlongname\toff\tdefault\n"


def _vault(place: str, status: str) -> Change:
    return LAST_OF_TANK, LAST_OF_TANK + VAULT.format(place=place, status=status) + "\n"


def _status(text: str) -> Change:
    return TANK_SCAN, text + TANK_SCAN


def _scan(text: str) -> Change:
    return TANK_SCAN, text


# What is true of such a pool as well: a vdev at its limit lacks a device, a mirror of two is weaker than raidz2.
BESIDE = {
    "existing.no-redundancy-left": {"existing.not-online"},
    "existing.failing-last-copy": {"existing.not-online", "existing.no-redundancy-left"},
    "existing.ashift-mixed": {"redundancy.pair-for-safety"},
    "existing.uneven-fill": {"redundancy.pair-for-safety"},
    "existing.special-full": {"redundancy.special-weaker"},
    "existing.twice": {"members.shared-disk", "special.shared-disk", "cache.header-ram"},
}
# What only a pool shows that went through it: the machine `expanded`.
RECORDED = {"existing.expanded", "existing.stranded"}
# Rule, the pool that is meant, and the lines that change.
PRINTED: dict[str, tuple[str, tuple[Change, ...]]] = {
    "existing.resilvering": ("tank", (_scan(
        "  scan: resilver in progress since Tue Nov 24 08:50:00 2026\n"
        "\t1.20T / 9.60T scanned at 1.10G/s, 310G / 9.60T issued at 290M/s\n"
        "\t51.6G resilvered, 3.15% done, 09:20:11 to go\n"),)),
    "existing.scrub-stopped": ("tank", (
        (TANK_SCAN, TANK_SCAN + "  scan: scrub canceled on Tue Nov 24 09:08:50 2026\n"),)),
    "existing.not-expanded": ("tank", (_told("tank", "expandsize", "-\t-", "5995775754240"),)),
    "existing.leaked": ("tank", (_told("tank", "leaked", "0\t-", "1048576"),)),
    "existing.read-only": ("tank", (_told("tank", "readonly", "off\t-", "on"),)),
    "existing.keys-missing": ("tank", (_vault("prompt", "unavailable"),)),
    "existing.key-inside": ("tank", (_vault("file:///tank/keys/vault.key", "available"),)),
    "existing.reserved": ("tank", (_told("tank/vm", "usedbyrefreservation", "21807551696\t-", "9895604649984"),)),
    "existing.snapshots-hold": ("tank", (_told("tank/media", "usedbysnapshots", "21081984\t-", "29895604649"),)),
    "existing.quota-near": ("tank", (_told("tank/home", "used", "196416\t-", "51002736640"),)),
    "existing.data-in-root": ("tank", (_told("tank", "usedbydataset", "212784\t-", "2147483648"),)),
    "existing.ashift-small": ("tank", (("raidz2-0\tashift\t12\t-\n", "raidz2-0\tashift\t9\t-\n"),)),
    "existing.ashift-mixed": ("fast", (
        (FAST_LAST, FAST_LAST + SECOND), _second_vdev(21688320, 0),
        (FAST_ASHIFT, FAST_ASHIFT + "mirror-1\tashift\t13\t-\n"))),
    "existing.uneven-fill": ("fast", (
        (FAST_LAST, FAST_LAST + SECOND), _second_vdev(829529983549, 87),
        (FAST_ASHIFT, FAST_ASHIFT + "mirror-1\tashift\t12\t-\n"))),
    "existing.autotrim-off": ("fast", (_told("fast", "autotrim", "on\tlocal", "off", "default"),)),
    "existing.unusable": ("tank", (
        (" state: ONLINE\n" + TANK_SCAN, " state: SUSPENDED\n"
         "status: One or more devices are faulted in response to IO failures.\n"
         "action: Make sure the affected devices are connected, then run 'zpool clear'.\n"
         "   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-HC\n" + TANK_SCAN),)),
    "existing.multihost-suspended": ("tank", (
        (" state: ONLINE\n" + TANK_SCAN, " state: SUSPENDED\n"
         "status: The pool is suspended because multihost writes failed or were delayed;\n"
         "\tanother system could import the pool undetected.\n"
         "action: Make sure the pool's devices are connected, then reboot your system and\n\timport the pool.\n"
         "   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-MM\n" + TANK_SCAN),)),
    "existing.failing-last-copy": ("fast", (
        (FAST_LAST, FAST_LAST.replace("0     0     0", "0     0     3")),
        (FAST_LAST.replace("NV0002", "NV0001"), FAST_LAST.replace("NV0002", "NV0001").replace("ONLINE ", "UNAVAIL")))),
    "existing.twice": ("tank", (
        ("\tspares\n" + SPARE,
         "\tcache\n\t  /dev/disk/by-id/scsi-35000c50000000001-part1  ONLINE       0     0     0\n"
         "\tspares\n" + SPARE),)),
    "existing.still-serving": ("tank", (
        DEGRADED, TANK_DEGRADED, VDEV_DEGRADED, _disk(1, "DEGRADED", "  too many errors"))),
    "existing.unrepaired": ("tank", (
        (f"{VDEV_DEGRADED[0]}     0     0     0", f"{VDEV_DEGRADED[0]}     0     0     4"),)),
    "existing.no-redundancy-left": ("tank", (
        DEGRADED, TANK_DEGRADED, VDEV_DEGRADED,
        _disk(1, "UNAVAIL", "  was /dev/sdb1"), _disk(2, "FAULTED", "  too many errors"))),
    "existing.scrub-errors": ("tank", (_scan(TANK_SCAN.replace("with 0 errors", "with 3 errors")),)),
    "existing.scrub-repaired": ("tank", (_scan(TANK_SCAN.replace("repaired 0B", "repaired 17.9M")),)),
    "existing.moving": ("tank", (
        (TANK_SCAN, TANK_SCAN + "expand: expansion of raidz2-0 in progress since Tue Nov 24 08:30:16 2026\n"
         "\t1.20G / 38.9G copied at 101M/s, 3.08% done, 00:06:21 to go\n"),)),
    "existing.errata": ("tank", (_status("status: Errata #4 detected.\n"
        "\tExisting encrypted datasets contain an on-disk incompatibility\n\twhich needs to be corrected.\n"
        "action: To correct the issue enable the bookmark_v2 feature and backup\n"
        "\tany existing encrypted datasets to new encrypted datasets and\n\tdestroy the old ones.\n"
        "   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-ER\n"),)),
    "existing.other-host": ("tank", (_status(
        "status: Mismatch between pool hostid and system hostid on imported pool.\n"
        "\tThis pool was previously imported into a system with a different hostid,\n"
        "\tand then was verbatim imported into this system.\n"
        "action: Export this pool on all systems on which it is imported.\n\tThen import it to correct the mismatch.\n"
        "   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-EY\n"),)),
    "existing.nearly-full": ("tank", (_told("tank", "capacity", "0\t-", "96"),)),
    "existing.full": ("tank", (_told("tank", "capacity", "0\t-", "87"),)),
    "existing.fragmented": ("tank", (_told("tank", "fragmentation", "0\t-", "63"),)),
    "existing.special-full": ("tank", (
        ("\tspares\n" + SPARE, "\tspecial\n" + SECOND + "\tspares\n" + SPARE),
        (f"{'spare':58}-",
         f"{'special':58}-      -      -        -         -      -      -      -         -\n"
         "\tmirror-1\t953482739712\t819995156152\t133487583560\t-\t-\t41\t86\t-\tONLINE\n" + SECOND_LISTED
         + f"{'spare':58}-"),
        ("raidz2-0\tashift\t12\t-\n", "raidz2-0\tashift\t12\t-\nmirror-1\tashift\t12\t-\n"))),
    "existing.legacy-version": ("tank", (_told("tank", "version", "-\tdefault", "28", "local"),)),
    "existing.cachefile-none": ("tank", (_told("tank", "cachefile", "-\tdefault", "none", "local"),)),
    "existing.failmode-panic": ("tank", (_told("tank", "failmode", "wait\tdefault", "panic", "local"),)),
    "existing.dedup-table": ("tank", (
        _told("tank", "dedup_table_size", "0\t-", "1879048192"), _told("tank", "dedupratio", "1.00\t-", "3.10"))),
    "existing.dedup-in-vain": ("tank", (_told("tank", "dedupratio", "1.00\t-", "1.03"),)),
    "existing.checkpoint": ("tank", (
        (TANK_SCAN, TANK_SCAN + "checkpoint: created Tue Nov 24 09:08:46 2026, consumes 14.5M\n"),)),
    "existing.removal-mapping": ("tank", (
        (TANK_SCAN, TANK_SCAN + "remove: Removal of vdev 1 copied 120M in 0h0m, completed on Tue Nov 24 09:08:46 2026\n"
         "\t2.45K memory used for removed device mappings\n"),)),
    "existing.features-disabled": ("tank", (
        _told("tank", "feature@raidz_expansion", "enabled\tlocal", "disabled", "local"),)),
    "existing.not-online": ("tank", (DEGRADED, TANK_DEGRADED, VDEV_DEGRADED, _disk(1, "OFFLINE"))),
    "existing.errors": ("tank", (
        ("0002-part1  ONLINE       0     0     0\n\t    /dev/disk/by-id/wwn-0x5000c50000000003",
         "0002-part1  ONLINE       0     0    41\n\t    /dev/disk/by-id/wwn-0x5000c50000000003"),)),
    "existing.damaged-files": ("tank", (
        (f"{SPARE}\nerrors: No known data errors\n", f"{SPARE}\nerrors: 2 data errors, use '-v' for a list\n"),)),
    "existing.spare-in-use": ("tank", (
        ("0006-part1    AVAIL   \n", "0006-part1    INUSE     currently in use\n"),)),
    "existing.small-sectors": ("tank", (_status(
        "status: One or more devices are configured to use a non-native block size.\n"
        "\tExpect reduced performance.\naction: Replace affected devices with devices that support the\n"
        "\tconfigured block size, or migrate data to a properly configured\n\tpool.\n"),)),
    "existing.scrub-overdue": ("tank", (_scan(TANK_SCAN.replace("Tue Nov 24", "Sun Aug  9")),)),
    "existing.never-scrubbed": ("tank", ((TANK_SCAN, ""),)),
    "existing.unstable-names": ("tank", (
        ("/dev/disk/by-id/wwn-0x5000c50000000001-part1  ONLINE", f"{'/dev/sdb1':46}ONLINE"),)),
}  # fmt: skip


def printed(rule_id: str) -> str:
    """Return the capture with the lines of a rule changed; each must be there, once at least."""
    text = GOOD
    for was, becomes in PRINTED[rule_id][1]:
        assert was in text, f"{rule_id}: the recording has no line {was!r}"
        text = text.replace(was, becomes, 1)
    return text
