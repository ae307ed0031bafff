from __future__ import annotations

import json

from curvewise.questions.contrast.result import EqualRuns, InfiniteT, TooManyContrasts
from curvewise.text import naming_flags


def test_runs_without_variation() -> None:
    assert EqualRuns().sentence() == (
        "All runs have the same weighted sum: there is nothing to contrast."
    )
    assert EqualRuns().to_dict() == {"kind": "equal runs"}
    assert InfiniteT().sentence() == (
        "All runs of an algorithm have the same weighted sum, so t is infinite. Check that "
        "the runs are separate runs."
    )
    assert InfiniteT().to_dict() == {"kind": "infinite t"}


def test_too_many_contrasts_names_the_option_as_the_reader_types_it() -> None:
    caveat = TooManyContrasts(12, 0.1714, 0.05)
    assert caveat.sentence() == (
        "The smallest p possible, adjusted for 12 contrasts, is 0.171, which is above alpha = "
        '0.05: nothing can be significant. Use more runs, or adjust="max-t".'
    )
    with naming_flags():
        assert caveat.sentence().endswith("Use more runs, or --adjust max-t.")
    assert json.loads(json.dumps(caveat.to_dict())) == {
        "kind": "too many contrasts",
        "n_contrasts": 12,
        "smallest_pvalue": 0.1714,
        "alpha": 0.05,
    }
