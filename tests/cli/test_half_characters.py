"""Half a surrogate pair, as in names that are not UTF-8: replaced and told where it is read, never saved."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import printed
from tests.store.samples import full_design, stored_run

from poolwright.bench.own_profiles import keep_text, text_of
from poolwright.cli.main import run
from poolwright.store.capture_files import open_pasted
from poolwright.store.database import Database
from poolwright.store.design_file import from_json, to_json
from poolwright.store.library import Catalogues, Comparisons, Designs, Part, Runs

HALF = "\udcff"
LSBLK = {
    "blockdevices": [
        {
            "name": f"sd{letter}", "path": f"/dev/sd{letter}", "type": "disk", "size": 4000787030016, "rota": True,
            "model": "WDC \ud800WD40", "serial": f"WD-\ud800{letter}", "log-sec": 512, "phy-sec": 4096,
        }
        for letter in "abcd"
    ]
}  # fmt: skip


def saved(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    assert to_json(from_json(text)) == text
    return text


def test_that_a_half_character_in_what_lsblk_prints_is_replaced_and_told(tmp_path: Path) -> None:
    capture, design = tmp_path / "lsblk.json", tmp_path / "d.json"
    capture.write_text(json.dumps(LSBLK), encoding="ascii")
    assert "is not text" in printed("inventory", "--from", str(capture))
    assert run(["recommend", "--from", str(capture), "--save-design", str(design)]) == 0
    assert "WD-\ufffda" in saved(design)


def test_that_a_half_character_that_is_typed_is_replaced_and_told(tmp_path: Path) -> None:
    design = tmp_path / "d.json"
    words = ["recommend", "--disks", f"4 x 6TB model=X{HALF}", "--title", f"Office{HALF}", "--save-design", str(design)]
    assert "What is no text was read as “\ufffd”" in printed(*words)
    assert "Office\ufffd" in saved(design)
    assert run(["report", str(design)]) == 0


def test_that_a_file_whose_name_is_not_utf_8_can_be_read_and_its_design_opened(tmp_path: Path) -> None:
    capture, design = Path(os.fsdecode(os.fsencode(tmp_path) + b"/nas\xff.json")), tmp_path / "d.json"
    capture.write_text(json.dumps(LSBLK).replace("\\ud800", ""), encoding="ascii")
    assert run(["recommend", "--from", str(capture), "--save-design", str(design)]) == 0
    assert "nas\ufffd" in saved(design)


def test_that_half_a_character_that_is_pasted_is_replaced_where_it_is_read() -> None:
    pasted = open_pasted(f"NAME SIZE TYPE MODEL SERIAL\nsda 4T disk WD{HALF} SN{HALF}1\n")
    assert [(disk.model, disk.serial) for disk in pasted.disks] == [("WD\ufffd", "SN\ufffd1")]


def test_that_a_job_with_half_a_character_is_kept_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    keep_text(f"[a]\n# {HALF}\nrw=read\nsize=1M\nruntime=5\n", "mine")
    assert "# \ufffd\n" in text_of("mine")


def test_that_the_library_keeps_no_half_character(tmp_path: Path) -> None:
    design = full_design("d1", name=f"Half {HALF}")
    with Database.open(tmp_path / "library.sqlite") as database:
        Designs(database).save(design)
        (entry,) = Designs(database).list()
        assert entry.name == "Half \ufffd"
        assert Designs(database).open(entry.key).name == entry.name
        Designs(database).save(full_design("d2", name="Two"))
        Designs(database).rename("d2", f"Two {HALF}")
        Comparisons(database).save(f"both{HALF}", [Part(design_key=entry.key), Part(design_key="d2")])
        Runs(database).keep(replace(stored_run("r1"), name=f"Run {HALF}"), b"PK")
        assert "\ufffd" in Runs(database).entries()[0].name
        assert Catalogues(database).load() is None
