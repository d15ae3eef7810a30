"""Coverage-guided fuzzing of every reader: `make fuzz`, `make fuzz ARGS="--seconds 600 lsblk capture"`.

Each reader is fuzzed in a process of its own, beginning with its seeds, the recorded texts that are here, and what
earlier runs found worth keeping under build/fuzz. One in eight inputs is scaled: a piece of it is repeated up to the
largest size, so that readers of quadratic time run into the limit. What is found lies in build/fuzz/READER.
"""

import argparse
import random
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "build" / "fuzz"
LARGEST = 1 << 16
SLOWEST_SECONDS = 10
SCALED_ONE_IN = 8


def scaled(data: bytes, seed: int) -> bytes:
    """Return ``data`` with one of its pieces repeated."""
    chance = random.Random(seed)
    start = chance.randrange(len(data) + 1)
    piece = data[start : start + chance.choice((1, 1, 2, 4, 16, 80))] or b" "
    times = chance.randrange(2, max(3, LARGEST // len(piece)))
    return (data[:start] + piece * times + data[start:])[:LARGEST]


def fuzz(name: str, arguments: list[str]) -> None:
    """Fuzz one reader in this process; does not come back."""
    import atheris

    with atheris.instrument_imports(include=["poolwright"]):
        from tests.fuzz.readers import READERS
    reader = next(reader for reader in READERS if reader.name == name)

    def try_one(data: bytes) -> None:
        reader(data.decode("utf-8", errors="replace"))

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        if seed % SCALED_ONE_IN == 0:
            return scaled(data, seed)[:most]
        return bytes(atheris.Mutate(data, most))

    atheris.Setup([name, *arguments], try_one, custom_mutator=mutate)
    atheris.Fuzz()


def run_one(name: str, seeds: tuple[str, ...], seconds: int) -> bool:
    """Fuzz a reader for so long in a process of its own; return whether nothing was found."""
    own = FOLDER / name.replace(" ", "-")
    corpus = own / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_text(seed, encoding="utf-8", errors="replace")
    options = [f"-max_total_time={seconds}", f"-timeout={SLOWEST_SECONDS}", f"-max_len={LARGEST}", "-rss_limit_mb=2048"]
    log = own / "log"
    with log.open("wb") as out:
        command = [
            sys.executable,
            "-m",
            "tests.fuzz.run",
            "--inside",
            name,
            *options,
            f"-artifact_prefix={own}/",
            str(corpus),
        ]
        status = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False).returncode
    last = [line for line in log.read_text(errors="replace").splitlines() if line.startswith(("#", "Done"))][-1:]
    print(f"{name}: {'nothing found' if status == 0 else f'FOUND, see {log}'}; {' '.join(last)[:100]}", flush=True)
    return status == 0


def main() -> int:
    if sys.argv[1:2] == ["--inside"]:
        fuzz(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description="Fuzz the functions that read text.")
    parser.add_argument("--seconds", type=int, default=20, help="for each reader")
    parser.add_argument("readers", nargs="*", help="all by default")
    args = parser.parse_args()
    from tests.fuzz.readers import READERS

    chosen = [reader for reader in READERS if not args.readers or reader.name in args.readers]
    clean = [run_one(reader.name, reader.all_seeds(), args.seconds) for reader in chosen]
    return 0 if clean and all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())
