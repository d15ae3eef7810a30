"""Writes what the tools would print for machines made up in a test."""

import json
from collections.abc import Mapping


def lsblk(*devices: Mapping[str, object]) -> str:
    """Return the output of lsblk -J for these devices."""
    return json.dumps({"blockdevices": list(devices)})


def block(name: str, /, **columns: object) -> dict[str, object]:
    """Return one disk of lsblk's JSON: 6 TB, 512/4096, empty, unless told otherwise."""
    base: dict[str, object] = {
        "name": name, "kname": name, "path": f"/dev/{name}", "type": "disk", "size": 6001175126016, "log-sec": 512,
        "phy-sec": 4096, "rota": True, "rm": False, "ro": False, "model": "ST6000NM0034", "serial": f"SER{name}",
        "wwn": None, "tran": "sas", "fstype": None, "label": None, "mountpoints": [None],
    }  # fmt: skip
    return base | {key.replace("_", "-"): value for key, value in columns.items()}


def smartctl(path: str, /, **facts: object) -> str:
    """Return smartctl's JSON for a SAS disk that is well, unless told otherwise; None drops a key."""
    document: dict[str, object] = {
        "json_format_version": [1, 0],
        "smartctl": {"version": [7, 4], "argv": ["smartctl", "--json", "-x", path], "exit_status": 0},
        "device": {"name": path, "info_name": path, "type": "scsi", "protocol": "SCSI"},
        "scsi_vendor": "SEAGATE", "scsi_product": "ST6000NM0034", "scsi_model_name": "SEAGATE ST6000NM0034",
        "user_capacity": {"blocks": 11721045168, "bytes": 6001175126016},
        "logical_block_size": 512, "physical_block_size": 4096, "rotation_rate": 7200,
        "serial_number": f"SER{path.rsplit('/', 1)[-1]}", "smart_status": {"passed": True},
    }  # fmt: skip
    document |= facts
    return json.dumps({key: value for key, value in document.items() if value is not None})


def smartctl_complaint(path: str, words: str, *, status: int = 2) -> str:
    """Return smartctl's JSON where it could not read the device."""
    said = {"version": [7, 4], "argv": ["smartctl", "--json", "-x", path], "exit_status": status}
    return json.dumps(
        {"json_format_version": [1, 0], "smartctl": said | {"messages": [{"string": words, "severity": "error"}]}}
    )


def nvme_smartctl(path: str, /, **facts: object) -> str:
    """Return smartctl's JSON for an NVMe disk of 1 TB formatted with 512-byte blocks."""
    size = {"blocks": 1953525168, "bytes": 1000204886016}
    document: dict[str, object] = {
        "device": {"name": path, "info_name": path, "type": "nvme", "protocol": "NVMe"},
        "scsi_vendor": None, "scsi_product": None, "scsi_model_name": None, "rotation_rate": None,
        "physical_block_size": None, "model_name": "EXAMPLE NVMe 1TB", "user_capacity": size,
        "nvme_total_capacity": size["bytes"], "serial_number": "NV1",
        "nvme_namespaces": [{"id": 1, "size": size, "capacity": size, "formatted_lba_size": 512}],
    }  # fmt: skip
    return smartctl(path, **(document | facts))


def by_id(**names: str) -> str:
    """Return a listing of /dev/disk/by-id; keywords are kernel names."""
    lines = [f"lrwxrwxrwx 1 root root 9 Nov 20 08:57 {name} -> ../../{kernel}" for kernel, name in names.items()]
    return "\n".join(["total 0", *lines]) + "\n"


def zpool_status(name: str, *devices: str) -> str:
    """Return zpool status of a healthy pool with these devices as one raidz1."""
    rows = "".join(f"\t    {device}  ONLINE       0     0     0\n" for device in devices)
    return (
        f"  pool: {name}\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
        f"\t{name}        ONLINE       0     0     0\n\t  raidz1-0  ONLINE       0     0     0\n{rows}\n"
        "errors: No known data errors\n"
    )
