"""The published schemas of what commands answer as JSON, made of real answers: `python -m tests.cli.schemas`.

What was never anything but null, a list that was always empty, and the value of a fact may be anything.
"""

import json
import shlex
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.bench.judging.made_runs import Made, bench_test, place_of, record_of, run_of
from tests.command_line import poolwright, printed, written
from tests.store.design_schema import DIALECT

from poolwright.bench.run_file import run_archive
from poolwright.store.design_file import from_json

PUBLISHED = Path(__file__).parents[2] / "resources" / "schema"
ERROR = {
    "type": "object",
    "properties": {
        "error": {"type": "string"},
        "where": {"type": "string"},
        "todo": {"type": "string"},
        "reasons": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["error"],
}
# Objects whose keys are names of the person's machine, rules or jobs.
_MAPS = frozenset({"properties", "percentiles", "facts", "limits", "origins", "weight", "metadata", "parameters"})
_ANY = frozenset({"value", "design"})  # of a fact, a row or an assumption; a design file has a schema of its own
_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}


@cache
def kinds() -> dict[str, dict[str, list[str]]]:
    """Return, by command, the kinds of its answers with commands that give them."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def answers(command: str, kind: str, files: dict[str, str], *, most: int | None = None) -> Iterator[Any]:
    for line in kinds()[command][kind][:most]:
        done = poolwright(*(word.format(**files) for word in shlex.split(line)), "--json")
        assert done.returncode in (0, 1), (line, done.stderr)
        yield json.loads(done.stdout)


def made_files(folder: Path) -> dict[str, str]:
    """Return the files that the commands name."""
    layouts = {
        "design": ("--example", "thesis", "--layout", "4*raidz2:11x6TB"),
        "wide": ("--disks", "8 x 8TB", "--layout", "raidz2:8x8TB"),
        "flash": ("--disks", "8 x 16TB", "2 x 960GB nvme PLP", "--layout", "raidz2:8x16TB", "special/mirror:2x960GB",
                  "--preset", "home-directories", "--ram", "64GiB"),
        "live": ("--from", "tests/machines/existing/good.capture", "--pool", "tank"),
    }  # fmt: skip
    files = {name: str(folder / f"{name}.json") for name in layouts} | {"folder": str(folder)}
    for name, words in layouts.items():
        printed("script", *words, "--format", "json", "-w", files[name])
    design = from_json(Path(files["design"]).read_text(encoding="utf-8"))
    place = place_of()
    made = {"run": Made(value=6e8), "later": Made(value=9e8), "once": Made(value=1e8, repeats=1)}
    for name, shown in made.items():
        archive = run_archive(record_of([run_of(bench_test(), place, shown)], place))
        (folder / f"{name}.zip").write_bytes(archive)
        files[name] = str(folder / f"{name}.zip")
    texts = {
        "dd": "10737418240 bytes (11 GB, 10 GiB) copied, 100 s, 107 MB/s\n",
        "sparse": '{"blockdevices": [{"name": "sda", "type": "disk", "size": null}]}\n',
    }
    for name, text in texts.items():
        files[name] = str(written(folder / f"{name}.txt", text))
    return files | {"bound": files["design"], "disk": min(design.used_keys())}


def schema_of(values: Iterable[Any], *, is_map: bool = False) -> dict[str, Any]:
    """Return the narrowest schema of this form that all values keep to."""
    found = list(values)
    objects = [value for value in found if isinstance(value, dict)]
    lists = [value for value in found if isinstance(value, list)]
    types = {_NAMES[type(value)] for value in found if not isinstance(value, dict | list)}
    types -= {"integer"} if "number" in types else set()
    types |= {"object"} if objects else set()
    types |= {"array"} if lists else set()
    if types <= {"null"}:
        return {}
    schema: dict[str, Any] = {"type": min(types) if len(types) == 1 else sorted(types)}
    if objects and is_map and not any(isinstance(each, list) for value in objects for each in value.values()):
        schema["additionalProperties"] = schema_of(each for value in objects for each in value.values())
    elif objects:
        names = list(dict.fromkeys(name for value in objects for name in value))
        schema["properties"] = {
            name: {} if name in _ANY else schema_of(of, is_map=name in _MAPS)
            for name in names
            if (of := [value[name] for value in objects if name in value])
        }
        schema["required"] = [name for name in names if all(name in value for value in objects)]
    if any(lists):
        schema["items"] = schema_of(each for value in lists for each in value)
    return schema


def document(command: str, samples: dict[str, list[Any]]) -> dict[str, Any]:
    definitions = {kind: schema_of(values) for kind, values in samples.items()}
    return {
        "$schema": DIALECT,
        "$id": f"urn:poolwright:{command}:1",
        "title": f"poolwright {command} --json",
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in (*definitions, "error")],
        "$defs": {**definitions, "error": ERROR},
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = made_files(Path(folder))
        for command, of in kinds().items():
            samples = {kind: list(answers(command, kind, files)) for kind in of}
            text = json.dumps(document(command, samples), indent=1, ensure_ascii=False) + "\n"
            (PUBLISHED / f"{command}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
