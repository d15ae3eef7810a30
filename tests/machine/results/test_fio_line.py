"""The line that fio shows people gives rates, bytes and the time left, in all forms since 3.0."""

import pytest

from poolwright.domain.measurement import Direction, What
from poolwright.machine.fio.live import FioLine

MIB = 1 << 20
BEGUN = b"Jobs: 3 (f=3), 0B/s-12.0MiB/s\r"
LINE = b"Jobs: 3 (f=3), 0B/s-12.0MiB/s: [W(3)][60.0%][w=12.0MiB/s][w=96 IOPS][eta 00m:02s]\r"
OLD = b"Jobs: 2 (f=2): [m(2)][2.1%][r=1536KiB/s,w=0KiB/s][r=1.5k,w=0 IOPS][eta 01h:02m:03s]\r"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def told(*pieces: bytes, step: float = 1.0) -> tuple[FioLine, list[dict[tuple[What, Direction | None], float]]]:
    """Return the reader and the values of each piece, the pieces a step apart."""
    clock = Clock()
    reader, found = FioLine(clock), []
    for piece in pieces:
        found.append({(s.key.what, s.key.direction): s.value for s in reader.feed(piece)})
        clock.now += step
    return reader, found


def test_that_a_line_gives_rates_operations_and_the_time_left() -> None:
    reader, found = told(BEGUN, LINE)
    assert found[1] == {(What.RATE, Direction.WRITE): 12 * MIB, (What.IOPS, Direction.WRITE): 96}
    assert reader.seconds_left == 2


def test_that_both_ways_of_an_older_version_are_read() -> None:
    reader, found = told(BEGUN, OLD)
    assert found[1][(What.RATE, Direction.READ)] == 1536 * 1024
    assert found[1][(What.IOPS, Direction.READ)] == 1500
    assert found[1][(What.RATE, Direction.WRITE)] == 0
    assert reader.seconds_left == 3723


@pytest.mark.parametrize(
    ("text", "rate"), [(b"w=512B/s", 512), (b"w=1.5GiB/s", 1.5 * 1024 * MIB), (b"w=3kB/s", 3000), (b"w=0B/s", 0)]
)
def test_that_units_are_those_of_fio(text: bytes, rate: float) -> None:
    _, found = told(BEGUN, LINE.replace(b"w=12.0MiB/s", text))
    assert found[1][(What.RATE, Direction.WRITE)] == rate


def test_that_what_was_written_is_what_the_rates_add_up_to() -> None:
    reader, _ = told(BEGUN, *[LINE] * 5, step=2.0)
    assert reader.written_bytes == 5 * 2 * 12 * MIB


def test_that_lines_come_in_pieces_and_several_at_once() -> None:
    _, found = told(BEGUN + LINE[:40], LINE[40:], LINE + LINE, b'{\n  "fio version" : "fio-3.33",\n')
    assert [bool(values) for values in found] == [False, True, True, False]


def test_that_a_ramp_is_written_but_not_drawn() -> None:
    reader, found = told(BEGUN, LINE.replace(b"[W(3)]", b"[/(3)]"))
    assert found == [{}, {}]
    assert reader.written_bytes == 12 * MIB


def test_that_a_text_without_an_end_takes_no_room() -> None:
    reader, _ = told(*[b"Jobs: 3 (f=3) " + b"x" * 5000] * 20)
    assert len(reader._rest) <= 1 << 12
