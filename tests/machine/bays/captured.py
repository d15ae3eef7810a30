"""A capture of the made-up machine of two shelves, as the collector would write it there."""

from tests.machine.bays.sysfs import Sysfs
from tests.machines.writing import block, by_id, lsblk


def capture_text(sys: Sysfs, count: int = 24) -> str:
    """Return the capture: the 24 disks in lsblk and by-id, and their places."""
    names = [f"sd{chr(97 + number)}" for number in range(count)]
    model, size = "ST16000NM002G", 16_000_900_661_248
    blocks = [
        block(n, model=model, size=size, serial=f"ZL2A{i:04}", wwn=f"0x5000c500a1b2{i:04x}", hctl=f"0:0:{i}:0")
        for i, n in enumerate(names)
    ]
    links = by_id(**{name: f"scsi-SSEAGATE_{model}_ZL2A{i:04}" for i, name in enumerate(names)})
    sections = {"hostname": "vault\n", "lsblk": lsblk(*blocks), "by-id": links, "places": sys.look()}
    sections["zpool-status"] = "no pools available\n"
    parts = (f"### file: {name}\n{text.rstrip()}\n### status: 0\n" for name, text in sections.items())
    return "### poolwright-capture 1\n" + "".join(parts) + "### end\n"
