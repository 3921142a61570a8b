"""What is painted of a change is what painting everything would show there, and nothing of it is missing."""

from __future__ import annotations

import pytest
from fakelibrary import FakeLibrary, seven
from screenlines import app_of, settled
from textual.geometry import Region

WIDE = (120, 40)
REGIONS = [
    [Region(0, 0, 120, 1)],
    [Region(3, 5, 40, 10)],
    [Region(50, 2, 30, 30), Region(60, 10, 5, 1)],
    [Region(0, 39, 200, 5), Region(110, 0, 10, 40)],
]


@pytest.mark.parametrize("regions", REGIONS)
async def test_a_part_is_painted_as_in_the_whole(regions: list[Region]) -> None:
    async with (app := app_of(FakeLibrary(seven()))).run_test(size=WIDE) as pilot:
        await settled(pilot)
        compositor = app.screen._compositor
        whole = [strip.text for strip in compositor.render_strips()]
        compositor._dirty_regions = set(regions)
        update = compositor.render_partial_update()
        assert update is not None
        painted = {(y, x + at): char for y, x, strip in update._pieces for at, char in enumerate(strip.text)}  # type: ignore[attr-defined]
        width, height = app.size
        wanted = {(y, x) for region in regions for y in region.line_range for x in region.column_range if x < width and y < height}
        assert set(painted) == wanted
        assert painted == {(y, x): whole[y][x] for y, x in wanted}
