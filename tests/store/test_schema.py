"""The published schema of design files is that of the types, and design files keep to it."""

import json
from dataclasses import fields
from pathlib import Path

import pytest
from tests.emit.exported import MACHINES, design_of

from poolwright.domain.design import Design
from poolwright.store.design_file import design_schema, to_json

PUBLISHED = Path(__file__).parents[2] / "resources" / "schema" / "design.schema.json"


def test_that_the_published_schema_is_that_of_the_types() -> None:
    """When a type has changed: ``poolwright schema > resources/schema/design.schema.json``."""
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
