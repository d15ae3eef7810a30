"""Adapters and their names: host bus adapters, RAID controllers, PCIe switches."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from poolwright.domain.host import Controller, ControllerKind
from poolwright.domain.origin import Origin
from poolwright.domain.shown import shown_text
from poolwright.machine.places.links import BYTES_PER_GBIT, SasLinks, lane_gbit, narrowest
from poolwright.machine.places.things import DevicePath, Thing

# Drivers of controllers that make arrays of their own; some also pass drives through.
RAID_DRIVERS = frozenset({
    "megaraid_sas", "megaraid_mbox", "hpsa", "cciss", "smartpqi", "aacraid", "arcmsr", "3w-xxxx", "3w-9xxx", "3w-sas",
    "ips",
})  # fmt: skip
# Drivers that can show nothing but the drives themselves, or what a hypervisor gives as such.
_PLAIN_DRIVERS = frozenset({
    "mpt2sas", "mpt3sas", "mptsas", "mptspi", "pm80xx", "isci", "mvsas", "ahci", "ata_piix", "sata_mv", "sata_sil24",
    "nvme", "virtio_scsi", "virtio-pci", "vmw_pvscsi", "sym53c8xx", "usb-storage", "uas", "xhci_hcd", "ehci-pci",
    "ahci_platform",
})  # fmt: skip
_SHORT = {"virtio_scsi": "virtio-scsi", "ahci": "AHCI", "xhci_hcd": "USB", "ehci-pci": "USB", "uhci_hcd": "USB"}
_UNNAMED = re.compile(r"Device [0-9a-f]{4}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """What connects disks to the machine: ``address`` is its PCI address, ``driver`` who drives it."""

    name: str
    address: str
    driver: str | None = None
    bytes_per_second: int | None = None

    @property
    def makes_arrays(self) -> bool:
        """Tell whether this is a RAID controller by its driver."""
        return self.driver in RAID_DRIVERS

    def controller(self, *, arrays: bool, drives: bool, origin: Origin) -> Controller:
        """Return the adapter as a controller of the host; ``arrays`` and ``drives`` tell what was seen behind it."""
        kind = ControllerKind.HBA if self.driver in _PLAIN_DRIVERS else None
        if arrays or self.makes_arrays:
            kind = ControllerKind.RAID if arrays or not drives else ControllerKind.PASSING
        return Controller(name=self.name, bytes_per_second=self.bytes_per_second, kind=kind, origin=origin)


class Adapters:
    """Every adapter of a machine, found by what lies on the way to a disk."""

    def __init__(self, kinds: Mapping[str, Mapping[str, Thing]], sas: SasLinks) -> None:
        self._pci, self._hosts, self._sas = kinds["pci"], kinds["host"], sas
        self._links = kinds["ata_link"]
        self._known: dict[str, Adapter | None] = {}
        self._hosts_at: dict[str, list[Thing]] = {}
        for host in self._hosts.values():
            if host.way.pci:
                self._hosts_at.setdefault(host.way.pci[-1], []).append(host)
        self._ata_at: dict[str, list[float]] = {}
        for link in self._links.values():
            rate = lane_gbit(link.fact("sata_spd"))
            if link.way.pci and rate:
                self._ata_at.setdefault(link.way.pci[-1], []).append(rate)

    def of(self, way: DevicePath) -> Adapter | None:
        """Return the adapter of a disk; None for NVMe and virtio drives, each of which is an adapter of its own.

        An NVMe drive behind a PCIe switch has that switch: it takes several drives with it.
        """
        if not way.pci:
            return None
        driver = (self._pci[way.pci[-1]].fact("driver") if way.pci[-1] in self._pci else None) or self._driver(way)
        if way.named("nvme"):
            return self._switch(way)
        if driver == "virtio-pci" and not way.named("host"):
            return None
        if way.pci[-1] not in self._known:
            self._known[way.pci[-1]] = self._make(way, driver)
        return self._known[way.pci[-1]]

    def _driver(self, way: DevicePath) -> str | None:
        hosts = way.named("host")
        host = self._hosts.get(hosts[-1]) if hosts else None
        return host.fact("proc_name") if host else None

    def _make(self, way: DevicePath, driver: str | None) -> Adapter:
        address = way.pci[-1]
        inner = self._driver(way)
        own = inner if inner in RAID_DRIVERS or driver in (None, "virtio-pci") else driver
        name = _name(self._pci.get(address), self._hosts_at.get(address, []), own)
        return Adapter(
            name=f"{name} ({address.removeprefix('0000:')})",
            address=address,
            driver=own,
            bytes_per_second=self._rate(way, address),
        )

    def _rate(self, way: DevicePath, address: str) -> int | None:
        """Return what its PCIe link and its lanes to the disks carry, whichever is less."""
        lanes = [rate for host in self._hosts_at.get(address, ()) if (rate := self._sas.of_host(host.name))]
        lanes += [round(sum(self._ata_at[address]) * BYTES_PER_GBIT)] if address in self._ata_at else []
        sides = [narrowest(way.pci, self._pci), sum(lanes) or None]
        return min((side for side in sides if side is not None), default=None)

    def _switch(self, way: DevicePath) -> Adapter | None:
        """Return the PCIe switch above an NVMe drive: a port up, a port down, below a port of the machine."""
        bridges = way.pci[:-1]
        if len(bridges) < 3:
            return None
        up = bridges[-2]
        if up not in self._known:
            named = _lspci(self._pci.get(up), "Device") or "PCIe switch"  # for machines
            self._known[up] = Adapter(
                name=f"{shown_text(named)} ({up.removeprefix('0000:')})",
                address=up,
                bytes_per_second=narrowest(bridges[:-1], self._pci),
            )
        return self._known[up]


def _lspci(device: Thing | None, field: str) -> str | None:
    found = [] if device is None else [v for v in device.all_of("lspci") if v.startswith(f"{field}:")]
    text = found[0].partition(":")[2].strip() if found else ""
    return text if text and not _UNNAMED.match(text) else None


def _name(device: Thing | None, hosts: list[Thing], driver: str | None) -> str:
    """Return what an adapter is called: as its board says, else as lspci knows it, else driver and PCI numbers."""
    if driver in _SHORT:
        return _SHORT[driver]
    told = next((n for h in hosts if (n := h.fact("board_name", "model_name", "host_fw_model", "model"))), None)
    named = told or _lspci(device, "SDevice") or _lspci(device, "Device")
    if named:
        return shown_text(named)
    ids = ":".join((device.fact(field) or "?").removeprefix("0x") for field in ("vendor", "device")) if device else ""
    return shown_text(" ".join(part for part in (driver, ids) if part) or "?")
