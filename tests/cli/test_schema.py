"""`poolwright schema`: what each command really answers as JSON keeps to its published schema."""

import argparse
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.cli.schemas import PUBLISHED, answers, kinds, made_files
from tests.command_line import answer_of, poolwright, printed

from poolwright.cli import main
from poolwright.cli.main import COMMANDS
from poolwright.cli.options import REPORT_FORMS

NO_REPORT = frozenset(("script", "collector", "schema"))  # what they print is something else
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


# Each command answers by one path: it takes the same options for it, or says why it makes no report.


def options_of(command: str) -> dict[str, argparse.Action]:
    parser = main.build_parser(command)
    of_command = next(action.choices[command] for action in parser._actions if isinstance(action.choices, dict))
    return {flag: action for action in of_command._actions for flag in action.option_strings}


@pytest.mark.parametrize("command", COMMANDS)
def test_that_every_command_takes_the_options_of_a_report_or_says_why_not(command: str) -> None:
    found = options_of(command)
    forms = found["--format"].choices if "--format" in found else None
    assert (set(forms or ()) >= set(REPORT_FORMS)) == (command not in NO_REPORT)
    assert command in NO_REPORT or {"-w", "--output", "--force"} <= set(found)


def test_that_every_option_stands_in_the_one_table() -> None:
    files = Path(main.__file__).parent.glob("*.py")
    assert {file.stem for file in files if "add_argument(" in file.read_text("utf-8")} == {"main", "options"}


@pytest.mark.parametrize(("command", "kind"), [of for of in KINDS if of[0] not in NO_REPORT])
def test_that_each_kind_of_answer_is_a_report_as_well(command: str, kind: str, files: dict[str, str]) -> None:
    words = shlex.split(kinds()[command][kind][0].partition(" -w ")[0].format(**files))
    page = Path(files["folder"]) / "report.html"
    done = poolwright(*words, "--format", "html", "-w", str(page), "--force")
    if "This answer is no report" in done.stderr:  # but CSV, a script or a design
        return
    assert (done.returncode in (0, 1), done.stdout) == (True, f"Saved: {page}\n"), done.stderr
    assert "<title></title>" not in page.read_text(encoding="utf-8")
