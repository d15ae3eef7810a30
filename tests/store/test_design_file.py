"""Design and inventory files: what is written comes back equal, what is wrong is named."""

import contextlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import table
from tests.emit.exported import MACHINES, design_of
from tests.store.design_schema import PUBLISHED, design_schema
from tests.store.samples import designs, full_design, full_inventory

from poolwright.catalogue_library import shipped_catalogue
from poolwright.domain.catalogue import planned_disks
from poolwright.domain.design import Design, FurtherPool, Member, Vdev
from poolwright.domain.errors import UserError
from poolwright.domain.money import money
from poolwright.domain.shown import json_escaped
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.store import design_file
from poolwright.store.database import Database, migrations
from poolwright.store.design_file import from_json, inventory_document, read_inventory, to_json
from poolwright.store.library import Catalogues


@pytest.mark.slow
@given(designs())
def test_that_any_design_comes_back_equal(design: Any) -> None:
    again = from_json(to_json(design))
    assert (again, repr(again)) == (design, repr(design))


@given(designs())
def test_that_a_design_file_is_indented_as_other_programs_do(design: Any) -> None:
    text = to_json(design)
    assert json_escaped(json.dumps(json.loads(text), indent=2, ensure_ascii=False)) + "\n" == text


def test_that_a_full_design_and_inventory_come_back_equal() -> None:
    again = from_json(to_json(full_design()))
    # A text equals the member of a StrEnum that it names; their representations differ.
    assert (again, repr(again.vdevs)) == (full_design(), repr(full_design().vdevs))
    text = inventory_document(full_inventory())
    assert read_inventory(text) == full_inventory()
    assert repr(read_inventory(text)) == repr(full_inventory())


def test_that_unknown_is_written_as_null_and_not_left_out() -> None:
    document = json.loads(to_json(full_design()))
    assert document["schema"] == 4
    assert document["kind"] == "poolwright-design"
    assert document["design"]["disks"][0]["wear_percent"] == 0
    assert document["design"]["disks"][0]["removable"] is None
    assert document["design"]["version"] == "2.3.2"


def test_that_pools_with_data_of_their_own_keep_them_and_what_was_asked() -> None:
    films = Workload(goal=Goal.SAFETY, preset="media-archive")
    guests = Workload(goal=Goal.CONCURRENT, preset="vm-images")
    free = full_design().disks[-1].key
    spare = Vdev(kind=VdevKind.STRIPE, members=(Member(disk_key=free),))
    bulk = FurtherPool(pool_name="bulk", vdevs=(spare,), workload=films)
    design = replace(full_design(), further_pools=(bulk,), main_workload=guests)
    read = from_json(to_json(design))
    assert read == design
    assert [pool.workload for pool in read.pools()] == [guests, films]
    assert read.workload == full_design().workload


def test_that_a_design_of_the_first_release_still_opens() -> None:
    """The shape that is promised: fields that came later have defaults."""
    old = {"schema": 1, "kind": "poolwright-design", "design": {"key": "a", "name": "b", "pool_name": "tank"}}
    assert from_json(json.dumps(old)).pool_name == "tank"


_NO_DESIGNS = (
    ("", "not JSON"), ("{", "not JSON"), (to_json(full_design())[:500], "line"), ("[]", "not a poolwright-design"),
    ("null", "not a poolwright-design"), ("{}", "not a poolwright-design"),
    ('{"kind": "poolwright-inventory", "schema": 1, "inventory": {}}', "not a poolwright-design"),
    ('{"kind": "poolwright-design"}', "schema number"),
    ('{"kind": "poolwright-design", "schema": true}', "schema number"),
    ('{"kind": "poolwright-design", "schema": 5, "design": {}}', "reads up to 4"),
    ('{"kind": "poolwright-design", "schema": 1}', "missing"),
    ('{"kind": "poolwright-design", "schema": 1, "design": {}, "x": 1}', "“x”"),
    ('{"kind": "poolwright-design", "schema": 1, "design": []}', "object expected"),
    ('{"kind": "poolwright-design", "schema": 1, "schema": 1}', "twice"), ('{"kind": NaN}', "NaN"),
    ("[" * 100_000, ""), ('{"a":' * 100_000, ""), ('{"kind": ' + "9" * 5000 + "}", ""), ("\x00\x01\x02", "not JSON"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "word"), _NO_DESIGNS)
def test_that_what_is_no_design_is_refused_with_a_reason(text: str, word: str) -> None:
    with pytest.raises(UserError) as error:
        from_json(text, where="office.json")
    assert word in error.value.text
    assert "office.json" in error.value.text


def put(*path: str | int, value: object) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (put("disks", 2, "size_bytes", value="6"), "design.disks[2].size_bytes: integer expected"),
        (put("disks", 2, "size_bytes", value=True), "design.disks[2].size_bytes"),
        (put("disks", 2, "size_bytes", value=1.5), "design.disks[2].size_bytes"),
        (put("disks", 2, "size_bytes", value=1 << 70), "integer expected"),
        (put("disks", 2, "size_bytes", value=-5), "design.disks[2].size_bytes"),
        (put("disks", 2, "by_id", value="abc"), "design.disks[2].by_id: list expected"),
        (put("disks", 2, "origins", value=[["a"]]), "design.disks[2].origins[0]"),
        (put("disks", 2, "media", value="tape"), "design.disks[2].media"),
        (put("disks", 2, "serial", value="\ud800"), "design.disks[2].serial"),
        (put("disks", 2, value=None), "design.disks[2]"),
        (put("disks", value={}), "design.disks: list expected"),
        (put("disks", 1, "key", value="k0"), "“k0” stands there twice"),
        (put("vdevs", 0, "kind", value="raid5"), "design.vdevs[0].kind"),
        (put("vdevs", 0, "parity", value=4), "design.vdevs[0].parity"),
        (put("vdevs", 0, "members", value=[]), "“design.vdevs[0].members” is missing"),
        (put("vdevs", 0, "members", 0, "disk_key", value="gone"), "design.vdevs[0].members[0] refers to a disk “gone”"),
        (put("vdevs", 0, "members", 0, "disk_key", value="k1"), "stands there twice"),
        (put("vdevs", 1, "members", 0, "disk_key", value="k0"), "stands there twice"),
        (put("vdevs", 1, "members", 0, "slice_bytes", value=-1), "slice_bytes"),
        (put("vdevs", 1, "members", 0, "slice_bytes", value=1 << 50), "do not fit on the disk"),
        (put("ashift", value=8), "design.ashift"),
        (put("version", value="new"), "design.version"),
        (put("budget", "money", value=-1), "design.budget.money"),
        (put("workload", "read_percent", value=101), "read_percent"),
        (put("workload", "goal", value=None), "design.workload.goal"),
        (put("datasets", 1, "name", value=""), "stands there twice"),
        (put("datasets", 1, "volume_bytes", value=0), "volume_bytes"),
        (put("name", value=""), "design.name"),
        (put("colour", value="red"), "“colour” is not a field"),
    ],
)
def test_that_a_wrong_field_is_named_with_its_place(change: Callable[[Any], None], word: str) -> None:
    document = json.loads(to_json(full_design()))
    change(document["design"])
    with pytest.raises(UserError) as error:
        from_json(json.dumps(document))
    assert word in error.value.text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.sampled_from(list(json.loads(to_json(full_design()))["design"])), json_values)
def test_that_any_value_in_any_field_opens_or_is_refused(name: str, value: object) -> None:
    document = json.loads(to_json(full_design()))
    document["design"][name] = value
    with contextlib.suppress(UserError):
        assert from_json(json.dumps(document)).key


@pytest.mark.slow
def test_that_the_start_of_the_program_does_not_load_the_codec() -> None:
    import subprocess
    import sys

    code = "import sys, poolwright.store.design_file, poolwright.store.library; sys.exit('cattrs' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": "app"}, check=False)
    assert done.returncode == 0
    assert design_file.KIND == "poolwright-design"


def test_that_the_published_schema_is_that_of_the_types() -> None:
    assert design_schema() == PUBLISHED.read_text(encoding="utf-8")


def test_that_what_may_be_left_out_is_what_has_a_default() -> None:
    definitions = json.loads(design_schema())["$defs"]
    assert definitions["Design"]["required"] == ["key", "name", "pool_name"]
    assert definitions["Member"]["required"] == ["disk_key"]
    assert definitions["Member"]["additionalProperties"] is False
    assert set(definitions["Design"]["properties"]) == {field.name for field in fields(Design) if field.init}


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
def test_that_design_files_keep_to_the_schema(machine: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(design_schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(to_json(design_of(machine)))
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(document)
    for damage in (("key", 5), ("vdevs", None), ("unknown", 1), ("ashift", "12")):
        broken = json.loads(to_json(design_of(machine)))
        broken["design"][damage[0]] = damage[1]
        assert not validator.is_valid(broken), damage


def _as_schema_1(**budget: object) -> str:
    document = json.loads(to_json(full_design()))
    document["schema"] = 1
    kept = document["design"]["budget"]
    for name in ("currency", "price_on"):
        del kept[name]
    kept |= {"money": 9999.5, "price_per_disk": 50.1} | budget
    document["design"]["growth"][1]["price_per_disk"] = 129.9
    return json.dumps(document)


def test_that_a_design_of_schema_1_opens_with_its_amounts_and_no_currency() -> None:
    design = from_json(_as_schema_1())
    assert (design.budget.money, design.budget.price_per_disk) == (money("9999.5"), money("50.1"))
    assert design.growth[1].price_per_disk == money("129.9")
    assert design.budget.currency is None
    assert from_json(to_json(design)) == design


def test_that_a_design_from_when_there_were_exchange_rates_opens_without_them() -> None:
    document = json.loads(to_json(full_design()))
    rate = {"base": "USD", "quote": "EUR", "rate": "0.92", "on": "2026-11-20", "origin": "typed by you"}
    document["design"]["budget"]["rates"] = [rate]
    assert from_json(json.dumps(document)) == full_design()


def test_that_disks_of_the_shipped_catalogue_are_known_to_be_priced_in_dollars() -> None:
    bought = planned_disks(shipped_catalogue().products[0], 2)
    document = json.loads(to_json(replace(full_design(), disks=(*full_design().disks, *bought))))
    document["schema"] = 1
    for disk in document["design"]["disks"][-2:]:
        disk["price"] = float(disk["price"]["amount"])
    document["design"]["disks"][-1]["origins"] = []
    one, other = from_json(json.dumps(document)).disks[-2:]
    assert one.price == bought[0].price
    assert other.price is not None
    assert other.price.currency is None


@pytest.mark.parametrize("bad", table(__file__, "damaged_amounts"))
def test_that_damaged_amounts_are_refused_with_their_place(bad: object) -> None:
    with pytest.raises(UserError, match="money"):
        from_json(_as_schema_1(money=bad))


def test_that_a_catalogue_of_the_third_version_keeps_its_prices_and_gets_exact_ones(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    Database.open(path, steps=migrations()[:3]).close()
    rows = [
        ("50.1", 50.1, "€"),
        ("299.99", 299.99, "USD"),
        ("12.345", 12.345, " eur "),
        ("7", 7.0, ""),
        ("8", 8.0, "XYZ"),
    ]
    with sqlite3.connect(path) as old:
        for place, (_, price, currency) in enumerate(rows):
            old.execute(
                "INSERT INTO product (key, place, vendor, model, media, size_bytes, price, currency, priced_on, source)"
                " VALUES (?, ?, '', 'M', 'hdd', 1, ?, ?, '2026-11', 'shop')",
                (f"k{place}", place, price, currency),
            )
    old.close()
    with Database.open(path) as database:
        found = Catalogues(database).load()
    assert found is not None
    assert [p.price.amount if p.price else None for p in found.products] == [money(text).amount for text, _, _ in rows]
    assert [p.price.currency if p.price else None for p in found.products] == ["EUR", "USD", "EUR", None, None]
