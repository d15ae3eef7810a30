"""`poolwright schema`: what each command really answers as JSON keeps to its published schema."""

import json
from typing import Any

import pytest
from tests.cli.schemas import PUBLISHED, answers, kinds, made_files
from tests.command_line import answer_of, printed

from poolwright.cli.main import COMMANDS

KINDS = [(command, kind) for command, of in kinds().items() for kind in of]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return made_files(tmp_path_factory.mktemp("asked"))


def closed(schema: Any) -> Any:
    """Return a schema that also refuses keys it does not know: to whoever reads an answer they may be added."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    named = "required" in schema and isinstance(schema["required"], list)
    return {key: closed(each) for key, each in schema.items()} | ({"additionalProperties": False} if named else {})


def check(command: str, kind: str, files: dict[str, str], most: int | None) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(printed("schema", command))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert {"$ref": f"#/$defs/{kind}"} in schema["anyOf"]
    validator = jsonschema.Draft202012Validator(closed(schema["$defs"][kind]))
    for answer in answers(command, kind, files, most=most):
        validator.validate(answer)


def test_that_every_command_has_a_schema() -> None:
    assert {*kinds(), "schema"} == set(COMMANDS)
    assert json.loads(printed("schema"))["title"] == "Poolwright design"


@pytest.mark.parametrize(("command", "kind"), KINDS)
def test_that_an_answer_keeps_to_its_schema(command: str, kind: str, files: dict[str, str]) -> None:
    """When an answer has more: `python -m tests.cli.schemas`."""
    check(command, kind, files, most=1)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "kind"), KINDS)
def test_that_all_answers_keep_to_their_schema(command: str, kind: str, files: dict[str, str]) -> None:
    check(command, kind, files, most=None)


def test_that_a_failure_keeps_to_every_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    failed = answer_of("capacity", "--vdev", "raidz9:8x6TB", status=2)
    for file in PUBLISHED.glob("*.schema.json"):
        if file.name != "design.schema.json":
            jsonschema.Draft202012Validator(json.loads(file.read_text(encoding="utf-8"))).validate(failed)
