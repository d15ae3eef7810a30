"""A made-up tree of /sys for the collector, as Linux lays it out: devices once, classes as links to them."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from poolwright.machine.packed import collector_part


class Sysfs:
    """Builds the tree below a folder, device by device."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, path: str, facts: Mapping[str, str] | None = None) -> str:
        """Make a folder with facts as files; return its path."""
        folder = self.root / path
        folder.mkdir(parents=True, exist_ok=True)
        for name, value in (facts or {}).items():
            (folder / name).write_text(f"{value}\n", encoding="utf-8")
        return path

    def link(self, path: str, target: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(self.root / target)

    def pci(self, path: str, driver: str = "", **facts: str) -> str:
        """Make a PCI device at the end of a path."""
        self.put(path, facts)
        self.link(f"bus/pci/devices/{path.rpartition('/')[2]}", path)
        if driver:
            self.put(f"bus/pci/drivers/{driver}")
            self.link(f"{path}/driver", f"bus/pci/drivers/{driver}")
        return path

    def member(self, class_name: str, path: str, facts: Mapping[str, str]) -> str:
        """Make what a transport class has of a device: the facts, and a link to the device."""
        name = path.rpartition("/")[2]
        inner = self.put(f"{path}/{class_name}/{name}", facts)
        self.link(f"{inner}/device", path)
        self.link(f"class/{class_name}/{name}", inner)
        return path

    def host(self, path: str, proc_name: str, **facts: str) -> str:
        return self.member("scsi_host", self.put(path), {"proc_name": proc_name, **facts})

    def disk(self, name: str, path: str, **facts: str) -> str:
        """Make a SCSI disk at a path that ends with its address."""
        known = {"type": "0", "vendor": "SEAGATE ", "model": "ST16000NM002G   ", "state": "running", **facts}
        self.put(path, known)
        block = self.put(f"{path}/block/{name}", {"hidden": "0"})
        self.link(f"{block}/device", path)
        self.link(f"block/{name}", block)
        return path

    def port(self, path: str, lanes: int, rate: str = "12.0 Gbit", most: str = "12.0 Gbit") -> str:
        """Make a SAS port whose lanes run at a rate."""
        self.member("sas_port", self.put(path), {"num_phys": str(lanes)})
        name = path.rpartition("/")[2].replace("port-", "phy-")
        for lane in range(lanes):
            phy = self.put(f"{path.rpartition('/')[0]}/{name}.{lane}")
            self.member("sas_phy", phy, {"negotiated_linkrate": rate, "maximum_linkrate": most})
            self.link(f"{path}/{name}.{lane}", phy)
        return path

    def shelf(self, path: str, number: str, model: str) -> str:
        """Make the enclosure of a shelf; its bays come with `bay`."""
        address = path.rpartition("/")[2]
        self.put(path, {"type": "13", "vendor": "SMC     ", "model": model})
        self.link(f"class/scsi_device/{address}/device", path)
        inner = self.put(f"{path}/enclosure/{address}", {"id": number, "components": "24"})
        self.link(f"{inner}/device", path)
        self.link(f"class/enclosure/{address}", inner)
        return inner

    def bay(self, shelf: str, name: str, number: int, disk: str | None = None) -> None:
        bay = self.put(f"{shelf}/{name}", {"type": "array device", "slot": str(number), "status": "OK"})
        if disk:
            self.link(f"{bay}/device", disk)

    def look(self) -> str:
        """Return what the collector prints of this tree, without lspci."""
        done = subprocess.run(
            ["sh", "-c", collector_part("places"), "places", str(self.root)],
            env={"PATH": "/nowhere"},
            executable="/bin/sh",
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout


def two_shelves(root: Path, disks: int = 24) -> Sysfs:
    """Return a machine with one SAS adapter and two shelves of twelve bays, each on its own cable of four lanes."""
    sys = Sysfs(root)
    bridge = sys.pci("devices/pci0000:00/0000:00:02.0", "pcieport", **_link("8.0 GT/s PCIe", "8"))
    adapter = sys.pci(
        f"{bridge}/0000:03:00.0", "mpt3sas", vendor="0x1000", device="0x0097", **_link("8.0 GT/s PCIe", "8")
    )
    host = sys.host(f"{adapter}/host0", "mpt3sas", board_name="SAS9300-8e", host_sas_address="0x500605b00b1c2d30")
    for shelf in range(2):
        uplink = sys.port(f"{host}/port-0:{shelf}", 4)
        expander = sys.put(f"{uplink}/expander-0:{shelf}")
        sys.member("sas_expander", expander, {"vendor_id": "SMC     ", "product_id": "SC826-SAS3"})
        number = f"0x500304801f2e3d{shelf}f"
        ses = sys.put(f"{expander}/port-0:{shelf}:12/end_device-0:{shelf}:12/target0:0:{shelf}9/0:0:{shelf}9:0")
        inner = sys.shelf(ses, number, "SC826-N4        ")
        for bay in range(12):
            place = shelf * 12 + bay
            if place >= disks:
                sys.bay(inner, f"Slot{bay:02}", bay)
                continue
            port = sys.port(f"{expander}/port-0:{shelf}:{bay}", 1)
            end = sys.put(f"{port}/end_device-0:{shelf}:{bay}")
            sys.member(
                "sas_device",
                end,
                {"enclosure_identifier": number, "bay_identifier": str(bay), "device_type": "end device"},
            )
            wwid = f"naa.5000c500a1b2{place:04x}"
            path = sys.disk(f"sd{chr(97 + place)}", f"{end}/target0:0:{place}/0:0:{place}:0", wwid=wwid)
            sys.bay(inner, f"Slot{bay:02}", bay, path)
    return sys


def _link(speed: str, width: str) -> dict[str, str]:
    return {
        "current_link_speed": speed, "max_link_speed": speed, "current_link_width": width, "max_link_width": width
    }  # fmt: skip
