"""Speeds in short: the band stands beside the value where it is wide, and instead of it where nobody can tell."""

from poolwright.domain.vdev import parse_spec
from poolwright.predict.risk_words import TABLE_HEADER, speed_lines, table_cells
from poolwright.predict.speed import predict_speed


def test_that_lines_and_cells_of_a_pool_tell_all_four_speeds() -> None:
    speed = predict_speed((parse_spec("raidz2:8x16TB"),))
    sequential, random = speed_lines(speed)
    assert sequential.startswith("sequential: reads ")
    assert ", writes " in sequential
    assert random.startswith("random, a second: reads ")
    assert "fresh, 200 aged (200 to " in random
    cells = table_cells(speed)
    assert len(cells) == len(TABLE_HEADER)
    assert cells[3].startswith("2,900 or 200 (200-")
    assert cells[0].count("(") == 1
