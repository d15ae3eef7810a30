"""A disk that becomes too warm ends a run: its warmth is read as the kernel lays it out, else asked of smartctl."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bench.running.places import needs_fio, order, small

from poolwright.bench.record import Ended, RunRecord, TargetDisk
from poolwright.bench.running.monitoring import RunBudget
from poolwright.bench.running.run import RunProgress, run_profile
from poolwright.domain.measurement import Observer
from poolwright.process.blocking import converse
from poolwright.store.read_results import SAMPLES

pytestmark = [needs_fio, pytest.mark.slow]
# As smartctl 7.3 prints them; what stands between is left out.
ATA = """ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  9 Power_On_Hours          0x0032   064   064   000    Old_age   Always       -       32067
190 Airflow_Temperature_Cel 0x0022   063   051   040    Old_age   Always       -       37 (Min/Max 28/40)
194 Temperature_Celsius     0x0022   037   049   000    Old_age   Always       -       37 (0 18 0 0 0)
"""
SAS = "Percentage used: 1%\nCurrent Drive Temperature:     41 C\nDrive Trip Temperature:        65 C\n"
NVME = (
    "Critical Warning:                   0x00\nTemperature:                        44 Celsius\nAvailable Spare: 100%\n"
)


class Machine:
    """The part of sysfs in which a kernel tells how warm things are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "class/hwmon").mkdir(parents=True)

    def chip(self, name: str, device: str, celsius: float, *inside: str) -> Path:
        """Make a chip of a device in which these folders are; return the file of its temperature."""
        number = len(list((self.folder / "class/hwmon").iterdir()))
        device_folder = self.folder / "devices" / device
        chip = device_folder / "hwmon" / f"hwmon{number}"
        chip.mkdir(parents=True)
        for each in inside:
            (device_folder / each).mkdir(parents=True)
        (chip / "device").symlink_to(Path(os.path.relpath(device_folder, chip)))
        (chip / "name").write_text(f"{name}\n")
        (chip / "temp1_input").write_text(f"{celsius * 1000:.0f}\n")
        link = self.folder / "class/hwmon" / chip.name
        link.symlink_to(Path(os.path.relpath(chip, link.parent)))
        return chip / "temp1_input"

    def sata(self, disk: str, celsius: float) -> Path:
        return self.chip("drivetemp", f"pci0000:00/ata1/host0/target0:0:0/{disk}", celsius, f"block/{disk}")

    def nvme(self, path: str, celsius: float) -> Path:
        return self.chip("nvme", f"pci0000:00/nvme/{path}", celsius, path)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "sys")


def measured(
    machine: Machine, directory: Path, celsius: float, *disks: str, seconds: float = 1, warm: Path | None = None
) -> tuple[RunRecord, list[RunProgress]]:
    """Run one repeat in ``directory``; where ``warm`` is named, its disk is at 61 °C once it was read."""
    told: list[RunProgress] = []

    def tell(_doing: str, _fraction: float | None, value: object) -> None:
        if isinstance(value, RunProgress) and value.test:
            told.append(value)
            if warm is not None and value.celsius is not None:
                warm.write_text("61000\n")

    directory.mkdir()
    asked = order(directory, small(seconds=seconds, repeats=1))
    found = tuple(TargetDisk(name=f"ata-{disk}", kernel_name=disk) for disk in disks)
    asked = replace(
        asked, budget=RunBudget(celsius=celsius), sysfs=str(machine.folder), place=replace(asked.place, disks=found)
    )
    return converse(run_profile(asked, tell)), told


def test_that_a_disk_that_warms_up_ends_the_run_and_what_was_measured_is_kept(tmp_path: Path, machine: Machine) -> None:
    machine.chip("coretemp", "platform/coretemp.0", 97)
    machine.sata("sda", 38)
    warm = machine.sata("sdb", 41)
    began = time.monotonic()
    record, told = measured(machine, tmp_path / "pool", 60, "sda", "sdb", seconds=40, warm=warm)
    assert (record.ended, record.why) == (Ended.BUDGET, "A disk is too warm: 61 °C, 60 °C are allowed.")
    assert time.monotonic() - began < 25
    assert told[-1].celsius == 61
    assert {each.celsius for each in told} >= {41, 61}
    (repeat,) = record.tests[0].repeats
    assert repeat.application is not None
    assert repeat.application.measured[0].bytes
    watched = next(each for each in repeat.watched if each.where.endswith(SAMPLES))
    curves = {curve.name: curve for curve in watched.curves if curve.source is Observer.TEMPERATURE}
    assert curves["drivetemp-sdb-temp1"].values.tolist() == [41, 61]
    assert list((tmp_path / "pool").iterdir()) == []


@pytest.mark.parametrize(
    ("disks", "ended"), [(("sda",), Ended.WHOLE), (("nvme0n1",), Ended.BUDGET), ((), Ended.BUDGET)], ids=str
)
def test_that_only_the_disks_of_the_pool_count_where_they_are_known(
    tmp_path: Path, machine: Machine, disks: tuple[str, ...], ended: Ended
) -> None:
    machine.sata("sda", 38)
    machine.nvme("nvme0c0n1", 71)
    record, told = measured(machine, tmp_path / "pool", 60, *disks)
    assert record.ended is ended
    assert told[-1].celsius == (38 if disks == ("sda",) else 71)


@pytest.mark.parametrize(("said", "celsius"), [(ATA, 37), (SAS, 41), (NVME, 44), ("Device is in STANDBY mode", None)])
def test_that_smartctl_is_asked_for_a_disk_of_which_the_kernel_tells_nothing(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch, said: str, celsius: float | None
) -> None:
    """No machine of the tests has a disk that knows how warm it is: what smartctl prints is played back."""
    tools = tmp_path / "tools"
    tools.mkdir()
    tool = tools / "smartctl"
    (tools / "said").write_text(said)
    tool.write_text(f'#!/bin/sh\necho "$*" >>{tools}/asked\nexec cat {tools}/said\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    machine.sata("sda", 30)
    _, told = measured(machine, tmp_path / "pool", 60, "sda", "sdb")
    assert told[-1].celsius == (celsius or 30)
    assert set((tools / "asked").read_text().splitlines()) == {"-n standby -A /dev/sdb"}
