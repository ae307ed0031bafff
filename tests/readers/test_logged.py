from __future__ import annotations

import pytest

from curvewise.readers.walk import Wanted, counts_episodes


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("charts/episodic_return", True),
        ("charts/episodic_length", True),
        ("episode_reward", True),
        ("Train/EpRet", True),
        ("train.ep_len", True),
        ("monitor:episode return", True),
        ("rollout/ep_rew_mean", False),
        ("eval/episode_reward", False),
        ("test/episodic_return", False),
        ("episode", False),
        ("step_length", False),
        ("interval_episode_return", False),
        ("loss", False),
    ],
)
def test_metrics_of_episodes_are_told_by_name(metric: str, expected: bool) -> None:
    assert counts_episodes(metric) == expected


def test_wanted_metrics_are_named_with_or_without_their_source() -> None:
    wanted = Wanted(frozenset({"r", "loss"}))
    assert "monitor:r" in wanted
    assert "loss" in wanted
    assert "monitor:l" not in wanted
    assert "anything" in Wanted()
