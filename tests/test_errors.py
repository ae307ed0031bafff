"""What is raised: one family of errors, with the option they are about."""

from __future__ import annotations

import pickle

import pytest

import curvewise
from curvewise.errors import CurvesError, CurvewiseError, CurvewiseWarning, OptionError


def test_every_refusal_is_a_curvewise_error_and_a_value_error() -> None:
    for kind in (CurvesError, OptionError):
        assert issubclass(kind, CurvewiseError)
    assert issubclass(CurvewiseError, ValueError)
    assert curvewise.OptionError is OptionError
    assert curvewise.CurvesError is CurvesError
    assert curvewise.CurvewiseError is CurvewiseError
    assert curvewise.CurvewiseWarning is CurvewiseWarning


def test_an_option_error_knows_its_option() -> None:
    refused = OptionError("alpha must lie between 0 and 1.", option="alpha")
    assert str(refused) == "alpha must lie between 0 and 1."
    assert refused.option == "alpha"
    assert OptionError("Give a mapping.").option is None


@pytest.mark.parametrize(
    "error", [CurvesError("no runs"), OptionError("no", option="rng"), CurvewiseError("died")]
)
def test_errors_survive_the_way_from_another_process(error: CurvewiseError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own)
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
