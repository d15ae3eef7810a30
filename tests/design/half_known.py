"""Pools of which `zpool status` was not read, as other tools print them; every file is made up."""

from pathlib import Path

from tests.cases import table

from poolwright.domain.host import Inventory
from poolwright.store.capture_files import open_captures

STATUS: str = table(__file__, "status")
LISTED = """NAME         SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT
tank        5.45T  4.72T   750G        -         -    62%    86%  1.00x  DEGRADED  -
"""
LISTED_VDEVS: str = table(__file__, "listed_vdevs")
LISTED_RAW = (
    "tank\t5992977268736\t5189674205184\t803303063552\t-\t-\t62\t86\t1.00\tDEGRADED\t-\n"
    "\tmirror-0\t5992977268736\t5189674205184\t803303063552\t-\t-\t62\t86\t-\tDEGRADED\n"
    "\tsda\t6001175126016\t-\t-\t-\t-\t-\t-\t-\tONLINE\n"
    "\tsdb\t6001175126016\t-\t-\t-\t-\t-\t-\t-\tFAULTED\n"
    "logs                            -      -      -        -         -      -      -      -         -\n"
    "\tnvme0n1\t16106127360\t0\t16106127360\t-\t-\t0\t0\t-\tONLINE\n"
    "spare                           -      -      -        -         -      -      -      -         -\n"
    "\tsdc\t6001175126016\t-\t-\t-\t-\t-\t-\t-\tAVAIL\n"
)
GOT = (
    "tank\thealth\tONLINE\t-\ntank\tcapacity\t86\t-\ntank\tsize\t5992977268736\t-\ntank\tallocated\t5189674205184\t-\n"
)
DATASETS = "NAME        USED  AVAIL  REFER  MOUNTPOINT\ntank       4.72T   600G   100K  /tank\n"
DISKS = '{"blockdevices": [{"name": "sda", "path": "/dev/sda", "type": "disk", "size": 6001175126016}]}'


def read(folder: Path, *texts: str) -> Inventory:
    """Return what is read of files with these texts."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.txt")
        paths[-1].write_text(text, encoding="utf-8")
    return open_captures(paths)
