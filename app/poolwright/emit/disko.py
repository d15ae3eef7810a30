"""A disko expression (NixOS): disks by their by-id names, pools with their whole topology, datasets.

After the options of disko's types ``zpool``, ``zfs_fs``, ``zfs_volume`` and ``gpt`` (2024-12 and newer; dRAID 2025).
"""

import json

from poolwright.domain.action import CreateDataset, CreatePool, Creation, SetProperty
from poolwright.domain.design import Design, Vdev
from poolwright.domain.shown import is_plain_text, json_escaped
from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevClass
from poolwright.emit.commands import lines as lines_of
from poolwright.emit.commands import plan_actions
from poolwright.emit.names import Stamp, comment, comment_line, commented, device_path
from poolwright.emit.partitions import Partition, split_disks
from poolwright.emit.script import by_pool
from poolwright.texts import _

_GROUPED = (
    (VdevClass.DATA, "vdev"),
    (VdevClass.LOG, "log"),
    (VdevClass.DEDUP, "dedup"),
    (VdevClass.SPECIAL, "special"),
)
_FLAT = ((VdevClass.SPARE, "spare"), (VdevClass.CACHE, "cache"))
Lines = list[str]


def disko_expression(design: Design, stamp: Stamp) -> str:
    """Return the Nix expression. Raises Refusal where the design cannot be built or a disk has no by-id name."""
    pools = by_pool(plan_actions(design))
    names = ", ".join(pool.pool_name for pool in design.pools())
    lines = [
        comment_line(_("disko devices of the design “{design}”: {pools}.", design=comment(design.name), pools=names)),
        *commented(stamp.words),
        *commented(
            _(
                "disko ERASES these disks in its mode destroy,format,mount and checks neither serial numbers nor "
                "emptiness. Compare the names with ls -l /dev/disk/by-id first."
            )
        ),
        "{",
        "  disko.devices = {",
        "    disk = {",
        *_indented(_disks(design), 6),
        "    };",
        "    zpool = {",
        *_indented([line for pool in pools for line in _pool(design, pool)], 6),
        "    };",
        "  };",
        "}",
        "",
    ]
    return "\n".join(lines)


def nix_text(text: str) -> str:
    """Return ``text`` as a Nix string in which nothing is evaluated; what cannot be seen is spelled out as JSON."""
    if not is_plain_text(text):
        spelled = json_escaped(json.dumps(text, ensure_ascii=False))
        return f"(builtins.fromJSON {nix_text(spelled)})"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("${", "\\${")
    return f'"{escaped}"'


def _indented(lines: Lines, width: int) -> Lines:
    return [" " * width + line for line in lines]


def _block(name: str, body: Lines) -> Lines:
    return [f"{name} = {{", *_indented(body, 2), "};"]


def _attributes(values: dict[str, str]) -> Lines:
    return [f"{nix_text(name)} = {nix_text(value)};" for name, value in values.items()]


def _disks(design: Design) -> Lines:
    split = {disk.disk_key: disk for disk in split_disks(design)}
    whole = {m.disk_key: p.pool_name for p in design.pools() for v in p.vdevs for m in v.members}
    lines: Lines = []
    for key, pool in whole.items():
        disk = design.disk(key)
        content = _gpt(split[key].partitions) if key in split else _zfs(pool)
        body = ['type = "disk";', f"device = {nix_text(device_path(disk))};", *_block("content", content)]
        if disk.serial:
            body.insert(0, comment_line(_("serial number {serial}", serial=disk.serial)))
        lines += _block(nix_text(disk.by_id_name or key), body)
    return lines


def _zfs(pool: str) -> Lines:
    return ['type = "zfs";', f"pool = {nix_text(pool)};"]


def _gpt(partitions: tuple[Partition, ...]) -> Lines:
    lines: Lines = []
    for part in partitions:
        body = [
            f'start = "{part.start_bytes // MIB}M";',
            f'size = "{part.size_bytes // MIB}M";',
            f'type = "{part.type_code}";',
            f'uuid = "{part.guid}";',
            f"priority = {part.number};",
            # What is reserved gets no content: its installer formats it.
            *(_block("content", _zfs(part.pool)) if part.pool else ()),
        ]
        lines += _block(nix_text(part.name), body)
    return ['type = "gpt";', *_block("partitions", lines)]


def _pool(design: Design, actions: tuple[Creation, ...]) -> Lines:
    create = actions[0]
    assert isinstance(create, CreatePool)
    options = {"ashift": str(create.ashift), **{s.name: s.value for s in create.pool_settings}}
    root = {s.name: s.value for s in create.root_settings}
    if create.mountpoint is not None:
        root["mountpoint"] = create.mountpoint
    body = ['type = "zpool";', *_block("mode", _block("topology", _topology(design, create)))]
    body += _block("options", _attributes(options))
    if root:
        body += _block("rootFsOptions", _attributes(root))
    datasets = [line for action in actions if isinstance(action, CreateDataset) for line in _dataset(create, action)]
    body += _block("datasets", datasets)
    later = [line for a in actions if isinstance(a, SetProperty) for line in lines_of(a)]
    if later:
        body.append(f"postCreateHook = {nix_text('; '.join(later))};")
    return _block(nix_text(create.pool), body)


def _topology(design: Design, create: CreatePool) -> Lines:
    lines = ['type = "topology";']
    for vdev_class, word in _GROUPED:
        vdevs = [v for v in create.vdevs if v.vdev_class is vdev_class]
        if vdevs:
            modes = ((nix_text(v.zpool_word or ""), " ".join(_members(design, v))) for v in vdevs)
            lines += [f"{word} = [", *(f"  {{ mode = {mode}; members = [ {disks} ]; }}" for mode, disks in modes), "];"]
    for vdev_class, word in _FLAT:
        found = [m for v in create.vdevs if v.vdev_class is vdev_class for m in _members(design, v)]
        if found:
            lines.append(f"{word} = [ {' '.join(found)} ];")
    return lines


def _members(design: Design, vdev: Vdev) -> list[str]:
    guids = {(d.disk_key, p.number): p.guid for d in split_disks(design) for p in d.partitions}
    return [
        nix_text(m.path or "" if m.part is None else f"/dev/disk/by-partuuid/{guids[m.disk_key, m.part]}")
        for m in vdev.members
    ]


def _dataset(create: CreatePool, action: CreateDataset) -> Lines:
    name = action.name.removeprefix(f"{create.pool}/")
    body = ['type = "zfs_fs";']
    if action.volume_bytes is not None:
        body = ['type = "zfs_volume";', f'size = "{action.volume_bytes}";']
    if action.settings:
        body += _block("options", _attributes({s.name: s.value for s in action.settings}))
    return _block(nix_text(name), body)
