"""Every function that takes text from outside, with small texts that it understands: what is fuzzed and scaled.

A reader may raise PoolwrightError and nothing else, and takes time in proportion to its text.
"""

import json
from pathlib import Path

from tests.cases import table
from tests.design.half_known import STATUS
from tests.fuzz.reader import Reader
from tests.fuzz.result_readers import RESULT_READERS
from tests.rules.machines import load_rule_book

from poolwright.cli.machine import _parse as read_batch_line
from poolwright.design import amounts
from poolwright.domain.dataset_properties import meaning, value_problem
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.money import parse_money
from poolwright.domain.names import dataset_name_problem, pool_name_problem
from poolwright.domain.pool import printed_number
from poolwright.domain.rates import parse_disk_rate, parse_link_rate
from poolwright.domain.reserve import parse_reserve, parse_reserves
from poolwright.domain.shown import cell_text, cell_value, shown_lines, shown_text
from poolwright.domain.steps import at_once
from poolwright.domain.units import parse_block_size, parse_capacity, parse_drive_size, parse_memory
from poolwright.domain.vdev import parse_layout, parse_spec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion, parse_modelled
from poolwright.emit.ansible import yaml_lines
from poolwright.emit.names import comment, quote
from poolwright.emit.report import markdown_words
from poolwright.machine.bays.read import read_multipath, read_places_in_steps
from poolwright.machine.burn_in import read_burn_in
from poolwright.machine.by_id import read_by_id
from poolwright.machine.catalogue import read_catalogue
from poolwright.machine.gather import Gatherer, merge_in_steps
from poolwright.machine.host_facts import read_cpuinfo, read_meminfo, read_os_release, read_zfs_version
from poolwright.machine.lsblk.read import read_lsblk
from poolwright.machine.nvme import read_id_ns, read_nvme_list, read_smart_log
from poolwright.machine.packed import BEGIN, END, unpacked
from poolwright.machine.smartctl.read import read_scan, read_smartctl
from poolwright.machine.typed.read import read_typed
from poolwright.machine.zdb import read_block_count, read_dedup_count
from poolwright.machine.zpool.configured import read_zdb_config
from poolwright.machine.zpool.existing import PoolReadings, checkpoint_bytes, existing_pools, mapping_bytes, scans_of
from poolwright.machine.zpool.listed import read_zfs_get, read_zfs_list, read_zpool_get, read_zpool_list
from poolwright.machine.zpool.status import read_zpool_import, read_zpool_status
from poolwright.paths import resources_folder, rules_folder
from poolwright.predict.measured_runs import read_runs
from poolwright.predict.tables import load_tables, parse_shape
from poolwright.process.ssh import config_lines
from poolwright.rules.expressions import ExpressionError, compile_expression
from poolwright.rules.texts import parse_template
from poolwright.store.capture_files import _add_text as add_text
from poolwright.store.design_file import from_json as design_from_json
from poolwright.store.design_file import read_inventory

ROOT = Path(__file__).parents[2]
READ = Origin(kind=OriginKind.READ, source="a test")
TABLE = "ashift_effect"

BURN_IN = (
    "poolwright-burn-in 1\nname ata-X_1\nsize 4096\ntest started\nread 0 4096 61\nended 9\n@before\n{}\n@after\n{}\n"
)


def _capture(text: str) -> object:
    gatherer = Gatherer()
    add_text(gatherer, text, "pasted")
    return at_once(merge_in_steps(gatherer, name="pasted", origin=READ))


def _lsblk(text: str) -> None:
    """Read lsblk's output, and hold what was read to what is promised of disks."""
    disks = at_once(read_lsblk(text, READ)).disks
    assert len({disk.key for disk in disks}) == len(disks)
    assert all(disk.path and (disk.size_bytes is None or 0 <= disk.size_bytes < 1 << 63) for disk in disks)


def _scans(text: str) -> object:
    return [(scans_of(p), mapping_bytes(p), checkpoint_bytes(p)) for p in read_zpool_status(text)]


def _existing(text: str) -> object:
    readings = PoolReadings()
    readings.add_listed(read_zpool_list(text))
    return existing_pools(read_zpool_status(text), readings, READ)


def _rules(text: str) -> object:
    limits = (rules_folder() / "limits.toml").read_text(encoding="utf-8")
    tables = [path.name for path in (rules_folder() / "tables").glob("*.csv")]
    return load_rule_book({"own.toml": text}, limits=limits, tables=tables)


def _table(text: str) -> object:
    description = (rules_folder() / "tables" / f"{TABLE}.toml").read_text(encoding="utf-8")
    return load_tables({f"{TABLE}.toml": description, f"{TABLE}.csv": text})


def _expression(text: str) -> object:
    limits = {"most": 8}
    try:
        return compile_expression(text, parts=("pool", "vdev"), needs=("vdev.width",), limits=limits, condition=True)
    except ExpressionError as error:
        return str(error)


def _example(name: str) -> str:
    return (ROOT / "tests" / "machines" / name).read_text(encoding="utf-8")


def _places_in(name: str) -> str:
    return _example(name).partition("### file: places\n")[2].partition("### status")[0]


MULTIPATH: str = table(__file__, "multipath")
LSBLK = """NAME   SIZE TYPE MOUNTPOINT MODEL SERIAL
sda    5.5T disk            ST6000NM0034 ZAD00000
├─sda1 512M part /boot/efi
└─sda2 5.5T part
"""
LSBLK_JSON = json.dumps(
    {"blockdevices": [{"name": "sda", "size": 6001175126016, "type": "disk", "serial": "Z1", "children": []}]}
)
LSBLK_PAIRS = 'NAME="sda" SIZE="6001175126016" TYPE="disk" MODEL="ST6000NM0034" SERIAL="Z\\x20" MOUNTPOINT=""\n'
SMARTCTL: str = table(__file__, "smartctl")
SMARTCTL_JSON = json.dumps({"smartctl": {"version": [7, 3]}, "device": {"name": "/dev/sda"}, "serial_number": "Z1"})
ZPOOL = STATUS.replace("mirror-0", "raidz2-0")
LEAF = {"name": "sda", "vdev_type": "disk", "class": "normal", "state": "ONLINE", "checksum_errors": "1.5K"}
RAIDZ = {"name": "raidz2-0", "vdev_type": "raidz", "class": "normal", "state": "ONLINE", "vdevs": {"sda": LEAF}}
ROOT_VDEV = {"name": "tank", "vdev_type": "root", "class": "normal", "vdevs": {"raidz2-0": RAIDZ}}
ZPOOL_JSON = json.dumps({"pools": {"tank": {"name": "tank", "state": "ONLINE", "vdevs": {"tank": ROOT_VDEV}}}})
ZPOOL_FLAT = json.dumps({"pools": {"tank": {"vdevs": {"sda": LEAF | {"parent": "raidz2-0"}, "raidz2-0": RAIDZ}}}})
IMPORT = ZPOOL.replace(" state:", "   id: 1234567890\n state:")
ZPOOL_LIST = "tank\t4026531840\t50962432\t3975569408\t-\t-\t0\t1\t1.00\tONLINE\t-\n" + (
    "\traidz2-0\t4026531840\t50962432\t3975569408\t-\t-\t0\t1\t-\tONLINE\n\t/dev/sda1\t526385152"
    + "\t-" * 7
    + "\tONLINE\n"
)
ZPOOL_GET = "tank\tsize\t4026531840\t-\ntank\tguid\t12345\t-\nroot-0\tguid\t12345\t-\nraidz2-0\tashift\t12\t-\n"
ZFS_GET = "tank\ttype\tfilesystem\t-\ntank\tused\t12345\t-\ntank\trecordsize\t131072\tdefault\n"
ZFS_LIST = "NAME  USED  AVAIL  REFER  MOUNTPOINT\ntank  41.6M  2.23G  40.3M  /tank\ntank@s  1M  -  2M  -\n"
ZDB_CONFIG: str = table(__file__, "zdb_config")
BY_ID = "lrwxrwxrwx 1 root root  9 Nov  1 00:00 ata-ST6000NM0115_ZAD00000 -> ../../sda\n"
ZDB_BLOCKS: str = table(__file__, "zdb_blocks")
ZDB_DEDUP: str = table(__file__, "zdb_dedup")
CATALOGUE = "model,kind,size,price,currency,date\nST16000NM001G,hdd,16TB,280.50,EUR,2026-10-01\n"
RUNS = (
    "vdevs,metric,value,recordsize,clients,blocksize\nraidz2:8x1TB,seq_read,900 MiB/s,128K,,\n"
    "2*mirror:2x1TB,sync_write_iops,120,128K,8,4K\n"
)
RULE: str = table(__file__, "rule")
DATASETS = ("recordsize", "compression", "quota", "mountpoint", "keylocation", "org.example:note")


def _template(text: str) -> object:
    try:
        return parse_template(text)
    except ValueError as error:
        return str(error)


def _values(text: str) -> object:
    known = DEFAULT_VERSION
    return [(meaning(n, text, known), value_problem(n, text, known, volume=False)) for n in DATASETS]


READERS = (
    Reader(
        name="capture",
        read=_capture,
        seeds=(_example("vm-mixed-sectors.capture"), LSBLK, LSBLK_JSON, SMARTCTL, ZPOOL, BY_ID),
        corpus=("lsblk_text", "smartctl_text", "zpool_status", "by_id", "zpool_import", "nvme_cli"),
    ),
    Reader(
        name="lsblk",
        read=_lsblk,
        seeds=(LSBLK, LSBLK_JSON, LSBLK_PAIRS, "NAME TYPE SIZE MODEL FSTYPE\nsda disk 5 X ext4\nsda1 part 5  \n"),
        corpus=("lsblk_text", "lsblk_json"),
    ),
    Reader(name="burn-in", read=lambda text: read_burn_in(text, READ), seeds=(BURN_IN,)),
    Reader(
        name="smartctl",
        read=lambda text: read_smartctl(text, READ),
        seeds=(SMARTCTL, SMARTCTL_JSON),
        corpus=("smartctl_text", "smartctl_json"),
    ),
    Reader(
        name="smartctl scan", read=lambda text: read_scan(text, READ), seeds=("/dev/sda -d scsi # /dev/sda, SCSI\n",)
    ),
    Reader(
        name="nvme list", read=lambda text: read_nvme_list(text, READ), seeds=('{"Devices": []}',), corpus=("nvme_cli",)
    ),
    Reader(name="nvme id-ns", read=lambda text: read_id_ns(text, READ), seeds=('{"nsze": 1, "lbafs": []}',)),
    Reader(name="nvme smart-log", read=lambda text: read_smart_log(text, READ), seeds=('{"percent_used": 3}',)),
    Reader(
        name="zpool status",
        read=read_zpool_status,
        seeds=(ZPOOL, ZPOOL_JSON, ZPOOL_FLAT),
        corpus=("zpool_status", "zpool_status_json"),
    ),
    Reader(name="zpool import", read=read_zpool_import, seeds=(IMPORT,), corpus=("zpool_import",)),
    Reader(name="scans", read=_scans, seeds=(ZPOOL,), corpus=("zpool_status", "zpool_status_json")),
    Reader(name="zpool list", read=read_zpool_list, seeds=(ZPOOL_LIST,), corpus=("zpool_list", "zpool_list_json")),
    Reader(name="zpool get", read=read_zpool_get, seeds=(ZPOOL_GET,), corpus=("zpool_get",)),
    Reader(name="zfs get", read=read_zfs_get, seeds=(ZFS_GET,), corpus=("zfs_get",)),
    Reader(name="zfs list", read=read_zfs_list, seeds=(ZFS_LIST,), corpus=("zfs_list", "zfs_list_json")),
    Reader(name="zdb config", read=read_zdb_config, seeds=(ZDB_CONFIG,), corpus=("zdb",)),
    Reader(name="existing pools", read=_existing, seeds=(ZPOOL + ZPOOL_LIST,), corpus=("zpool_list", "zpool_status")),
    Reader(name="printed number", read=printed_number, seeds=("13.2K", "80%", "1,81T")),
    Reader(name="by-id", read=read_by_id, seeds=(BY_ID,), corpus=("by_id",)),
    Reader(name="packed capture", read=unpacked, seeds=(f"{BEGIN}\nH4sIAAAAAAAC\n{END}\n", BEGIN)),
    Reader(
        name="ssh config", read=lambda text: list(config_lines(text)), seeds=('Host "a b" c\n  Port=22\nInclude x\n',)
    ),
    Reader(
        name="places",
        read=lambda text: at_once(read_places_in_steps(text, READ)),
        seeds=tuple(_places_in(name) for name in ("vm-adapters.capture", "vm-multipath.capture")),
    ),
    Reader(name="multipath", read=read_multipath, seeds=(MULTIPATH,), corpus=("multipath",)),
    Reader(name="meminfo", read=read_meminfo, seeds=("MemTotal:       16384 kB\n",)),
    Reader(name="cpuinfo", read=read_cpuinfo, seeds=("processor\t: 0\nmodel name\t: x\n",)),
    Reader(name="os-release", read=read_os_release, seeds=('PRETTY_NAME="Debian 12"\n',)),
    Reader(
        name="zfs version", read=read_zfs_version, seeds=("zfs-2.3.2-1\nzfs-kmod-2.3.2-1\n",), corpus=("zfs_version",)
    ),
    Reader(name="zdb blocks", read=read_block_count, seeds=(ZDB_BLOCKS,), corpus=("zdb",)),
    Reader(name="zdb dedup", read=read_dedup_count, seeds=(ZDB_DEDUP,), corpus=("zdb_S", "zdb_DD")),
    Reader(name="catalogue", read=read_catalogue, seeds=(CATALOGUE,)),
    Reader(name="runs", read=read_runs, seeds=(RUNS, "raidz2:8 read 900")),
    Reader(
        name="typed disks",
        read=lambda text: read_typed([text]),
        seeds=("12 x 16TB CMR SATA shelf=1 read=250MB/s; 2 x 960GB NVMe PLP model=P4510", "4 x 4TB shelf 2, 180 MB/s"),
    ),
    Reader(name="drive size", read=parse_drive_size, seeds=("16TB", "6001175126016", "5.5 TiB")),
    Reader(name="capacity", read=parse_capacity, seeds=("80 TB", "1.234,5 GB")),
    Reader(name="memory", read=parse_memory, seeds=("64 GiB",)),
    Reader(name="block size", read=parse_block_size, seeds=("128K",)),
    Reader(name="link rate", read=parse_link_rate, seeds=("10 Gbit/s", "25GbE")),
    Reader(name="disk rate", read=parse_disk_rate, seeds=("250 MB/s",)),
    Reader(name="money", read=parse_money, seeds=("1.234,50 €", "USD 12", "$50.10")),
    Reader(name="percent", read=amounts.parse_percent, seeds=("80 %",)),
    Reader(name="growth", read=amounts.parse_growth, seeds=("20 %",)),
    Reader(name="risk", read=amounts.parse_risk, seeds=("1 in 1,000,000", "0.1 %")),
    Reader(name="hours", read=amounts.parse_hours, seeds=("24", "2 d")),
    Reader(name="count", read=amounts.parse_count, seeds=("12",)),
    Reader(name="vdev", read=parse_spec, seeds=("raidz2:8x6TB", "special/mirror:2x960GB", "draid2:8d:2s:24x16TB")),
    Reader(
        name="layout",
        read=lambda text: parse_layout([text], size_of=lambda _: 10**12),
        seeds=("2 × raidz2 of 6, 1 spare", "2*raidz2:6x16TB special/mirror:960GB,1TB; draid2:8d:2s of 24"),
    ),
    Reader(name="growth step", read=parse_growth_step, seeds=("add:raidz2:8x6TB at 80%", "replace:12TB@2 on 2028-03")),
    Reader(name="reserved partitions", read=parse_reserves, seeds=("esp=512MiB swap=8GiB:last", "bios, esp; truenas")),
    Reader(name="reserved partition", read=parse_reserve, seeds=("esp=512MiB@2", "swap=8GiB:last@ata-A,ata-B", "bios")),
    Reader(name="version", read=parse_modelled, seeds=("2.3.2", "zfs-2.1.11-1")),
    Reader(name="any version", read=ZfsVersion.parse, seeds=("2.3.2",)),
    Reader(name="shape", read=parse_shape, seeds=("2*raidz2:8",)),
    Reader(name="pool name", read=lambda text: pool_name_problem(text, DEFAULT_VERSION), seeds=("tank",)),
    Reader(name="dataset name", read=lambda text: dataset_name_problem("tank", text), seeds=("home/anna",)),
    Reader(name="property values", read=_values, seeds=("128K", "lz4", "on", "file:///etc/zfs/key")),
    Reader(name="batch line", read=read_batch_line, seeds=('{"vdev": ["raidz2:8x6TB"], "ashift": 12}',)),
    Reader(name="rules", read=_rules, seeds=(RULE,)),
    Reader(
        name="expression",
        read=_expression,
        seeds=("vdev.width <= limit.most and not vdev.width in [3, 5]", "(1 if pool.spares > 2 * 3 else -1) < 0"),
    ),
    Reader(name="template", read=_template, seeds=("The vdev is {vdev.width} wide.",)),
    Reader(name="table", read=_table, seeds=()),
    Reader(name="design", read=design_from_json, seeds=('{"schema": 1, "kind": "poolwright-design", "design": {}}',)),
    Reader(name="inventory", read=read_inventory, seeds=('{"schema": 1, "kind": "poolwright-inventory"}',)),
    Reader(name="shown text", read=lambda text: (shown_text(text), shown_lines(text)), seeds=("a\u202eb\x1b[31m",)),
    Reader(name="cells", read=lambda text: (cell_text(text), cell_value(text)), seeds=("=1+1", "-5")),
    Reader(
        name="quoting",
        read=lambda text: (quote(text), comment(text), markdown_words(text), yaml_lines({"a": text})),
        seeds=("a b",),
    ),
    *RESULT_READERS,
)


def machines() -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8") for path in sorted((resources_folder() / "machines").glob("*.toml")))
