"""RAM, cores, system name and OpenZFS version from small texts."""

from pathlib import Path

import pytest

from poolwright.domain.version import ZfsVersion
from poolwright.machine.host_facts import read_cpuinfo, read_meminfo, read_os_release, read_zfs_version

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MemTotal:       263856124 kB\nMemFree:        1 kB\n", 263856124 * 1024),
        ("$ cat /proc/meminfo\r\nMemTotal: 8 kB\r\n", 8192),
        ("MemFree: 5 kB\n", None),
        ("MemTotal: lots kB\n", None),
        ("MemTotal: 0 kB\n", None),
        ("", None),
    ],
)
def test_that_ram_is_read_in_bytes_or_unknown(text: str, expected: int | None) -> None:
    assert read_meminfo(text) == expected


def test_that_cores_are_counted_once_with_hyperthreading() -> None:
    blocks = [
        f"processor\t: {n}\nphysical id\t: {n // 4}\ncore id\t\t: {n % 4 // 2}\nmodel name\t: Xeon\n" for n in range(8)
    ]
    assert read_cpuinfo("\n".join(blocks)) == 4


def test_that_processors_are_counted_where_cores_are_not_told() -> None:
    assert read_cpuinfo("processor\t: 0\nBogoMIPS\t: 50\n\nprocessor\t: 1\nBogoMIPS\t: 50\n\nHardware\t: BCM\n") == 2
    assert (
        read_cpuinfo("vendor_id : IBM/S390\n# processors    : 2\nprocessor 0: version = FF\nprocessor 1: v = F\n") == 2
    )
    assert read_cpuinfo("nothing") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\n', "Debian GNU/Linux 12 (bookworm)"),
        ("NAME=Alpine\nVERSION='3 \\\"x\\\"'\n", 'Alpine 3 "x"'),
        ("hello", None),
        ("", None),
    ],
)
def test_that_the_name_of_the_system_is_read(text: str, expected: str | None) -> None:
    assert read_os_release(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zfs-2.3.2-1~bpo12+2\nzfs-kmod-2.3.1-1~bpo12+1\n", "2.3.1-1~bpo12+1"),
        ("zfs-2.1.11-1\r\n", "2.1.11-1"),
        ("zfs-0.8.3-1ubuntu12\nzfs-kmod-v0.8.3-1\n", "0.8.3-1"),
        ("2.2.2-0ubuntu9\n", "2.2.2-0ubuntu9"),
        ('{"zfs_version": {"userland": "zfs-2.3.9-1", "kernel": "zfs-kmod-2.3.8-1"}}', "2.3.8-1"),
        ('{"zfs_version": {"userland": "zfs-2.3.9-1", "kernel": "2.3.8-1"}}', "2.3.8-1"),
        ('{"zfs_version": 5}', None),
        ('{"zfs_ver', None),
        ("zfs: command not found", None),
        ("", None),
    ],
)
def test_that_the_kernel_modules_version_is_preferred(text: str, expected: str | None) -> None:
    assert read_zfs_version(text) == expected
    if expected is not None:
        assert ZfsVersion.parse(expected)


@pytest.mark.skipif(not (CORPUS / "proc").is_dir(), reason="the collection of real outputs is not here")
@pytest.mark.parametrize(
    ("name", "kib"),
    [
        ("kellyjonbrazil__jc__linux-proc_meminfo", 3997272),
        ("local__vm__zfs-2.2.2_noble_proc_meminfo", 4008968),
        ("performancecopilot__pcp__meminfo-root-003_meminfo", 131831052),
        ("performancecopilot__pcp__meminfo-root-005_meminfo", 16050940),
    ],
)
def test_that_real_meminfo_is_read(name: str, kib: int) -> None:
    if not (CORPUS / "proc" / name).is_file():
        pytest.skip("this capture is not here")
    assert read_meminfo((CORPUS / "proc" / name).read_text()) == kib * 1024


@pytest.mark.skipif(not (CORPUS / "zfs_version").is_dir(), reason="the collection of real outputs is not here")
def test_that_real_version_output_is_read() -> None:
    for path in sorted((CORPUS / "zfs_version").iterdir()):
        version = read_zfs_version(path.read_text())
        assert version is not None
        assert f"zfs-{version.split('-')[0].split('.')[0]}" in path.name
