"""`poolwright roles`: judgement, plan and the design that comes of it."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import answer_of, poolwright, refused, written
from tests.design.role_cases import flash, raidz2_design, tunables_design

from poolwright.cli.main import run
from poolwright.domain.units import GIB, KIB
from poolwright.store.design_file import from_json, to_json

ROLES = ["special", "log", "cache", "dedup", "own pool"]


@pytest.fixture
def design_file(tmp_path: Path) -> Path:
    design = raidz2_design(*flash(3), sync_write_percent=50, typical_file_bytes=200 * KIB, sequential_percent=20)
    return written(tmp_path / "design.json", to_json(design))


def test_that_every_role_is_judged_with_reasons(design_file: Path) -> None:
    found = answer_of("roles", str(design_file))
    assert [role["role"] for role in found["roles"]] == ROLES
    assert all(role["because"] for role in found["roles"])
    planned = {part["role"] for part in found["plan"]["devices"]}
    back = {part["role"] for part in found["plan"]["held_back"]}
    assert planned | back == {role["role"] for role in found["roles"] if role["verdict"] == "helps"}
    assert (planned, back, found["plan"]["shared"]) == ({"log"}, {"special"}, False)


def test_that_the_text_names_what_is_left_out(design_file: Path) -> None:
    out = poolwright("flash", str(design_file), piped=True).stdout  # also where no reason was asked for
    assert "partition 1 (8.00 GiB)" in out
    assert "special: left out here. It would " in out


def test_that_what_a_person_says_changes_the_verdict(design_file: Path) -> None:
    def verdict(*options: str) -> str:
        roles = {role["role"]: role["verdict"] for role in answer_of("roles", str(design_file), *options)["roles"]}
        return str(roles["cache"])

    assert verdict() == "it depends"
    assert verdict("--working-set", "50G") == "does not help"
    assert verdict("--working-set", "500G") == "helps"


def test_that_counted_files_and_blocks_take_the_place_of_assumptions(design_file: Path, tmp_path: Path) -> None:
    sizes, counted = tmp_path / "sizes", tmp_path / "zdb"
    sizes.write_text("".join(f"{n}\n" for n in [1000] * 95 + [50_000_000] * 5), encoding="utf-8")
    counted.write_text(
        " Total     555K   69.3G   33.3G   33.3G    2.67M    342G    306G    306G\n\ndedup = 9.18, compress = 1.12\n",
        encoding="utf-8",
    )
    found = answer_of("roles", str(design_file), "--files", str(sizes), "--zdb", str(counted))
    special, _, _, dedup, _ = found["roles"]
    assert special["special_small_blocks"][0]["share_of_files"] == 0.95
    assert "9.18" in dedup["because"][0]


def test_that_the_blocks_zdb_counted_size_the_special_vdev(design_file: Path) -> None:
    recorded = Path(__file__).parents[1] / "machine" / "zdb-blocks-of-our-machine.txt"
    special = answer_of("roles", str(design_file), "--blocks", str(recorded))["roles"][0]
    assert "zdb counted" in " ".join(special["because"])
    assert special["size_bytes"]["typical"] < 1 << 30


def test_that_a_design_with_the_roles_is_written_and_read_again(
    design_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made.json"
    assert run(["roles", str(design_file), "--add", "log", "--add", "special", "-w", str(made)]) == 0
    design = from_json(made.read_text(encoding="utf-8"))
    assert [vdev.vdev_class.value for vdev in design.vdevs] == ["data", "special", "log"]
    assert {m.slice_bytes for m in design.vdevs[-1].members} == {8 * GIB}
    capsys.readouterr()
    assert run(["roles", str(made)]) == 0


def test_that_roles_the_drives_cannot_carry_are_refused_with_the_reason(tmp_path: Path) -> None:
    path = written(tmp_path / "one.json", to_json(raidz2_design(*flash(1))))
    assert "One drive cannot carry it" in refused("roles", str(path), "--add", "special", status=1)


def test_that_the_blogs_cache_is_criticised(tmp_path: Path) -> None:
    path = written(tmp_path / "tunables.json", to_json(replace(tunables_design(sequential_percent=40))))
    (critique,) = answer_of("roles", str(path))["critique"]
    assert critique["role"] == "cache"
    assert critique["better"] == ["special"]
