from __future__ import annotations

import pytest

from curvewise import OptionError, compare, compare_pairs, describe
from tests.simulation import some_curves


def test_every_result_describes_itself() -> None:
    curves = some_curves(0, (3, 3))
    for found in (compare(curves), compare_pairs(curves)):
        assert describe(found) == found.describe()


@pytest.mark.parametrize("given", [None, 3, "text", some_curves(0, (2, 2))])
def test_anything_else_is_refused(given: object) -> None:
    with pytest.raises(OptionError) as refused:
        describe(given)  # type: ignore[arg-type]
    assert str(refused.value) == (
        f"There is nothing to say about a {type(given).__name__}: give a result."
    )
    assert refused.value.option == "result"
