"""What callers say algorithm, run and task are."""

from __future__ import annotations

import pytest

from curvewise import OptionError
from curvewise.readers.naming.config import flattened
from curvewise.readers.naming.identity import identify
from curvewise.readers.naming.traits import Clues
from curvewise.text import naming_flags

ROWS = [(t, a, s) for t in ("maze", "tower") for a in ("ppo", "sac") for s in (1, 2)]
CLUES = [
    Clues(
        (t, f"{a}-opt=adam", f"seed{s}", "logs"),
        config=flattened(
            {"agent": {"lr": s / 10, "name": a}, "critic": {"lr": 1}, "world": t, "copy": s}
        ),
    )
    for t, a, s in ROWS
]
ALGORITHMS = [a for _, a, _ in ROWS]
TASKS = [t for t, _, _ in ROWS]
RUNS = [str(s) for _, _, s in ROWS]


@pytest.mark.parametrize(
    "group_by", ["agent.name", "AGENT.NAME", "path2.1", "{algorithm}-opt=*/*", "*/{algo}-*/*/*"]
)
def test_ways_to_name_the_algorithm(group_by: str) -> None:
    found = identify(CLUES, group_by=group_by, task_by="path1")
    assert [who.algorithm for who in found.whos] == ALGORITHMS


def test_a_whole_part_of_the_path() -> None:
    for name in ("path2", "folder2", "Folder 2"):
        found = identify(CLUES, group_by=name)
        assert {who.algorithm for who in found.whos} == {"ppo-opt=adam", "sac-opt=adam"}


def test_a_pattern_says_several_things_at_once() -> None:
    found = identify(CLUES, group_by="{task}/{algorithm}-opt=adam/seed{run}")
    assert [(who.task, who.algorithm, who.run) for who in found.whos] == list(
        zip(TASKS, ALGORITHMS, RUNS, strict=True)
    )
    assert "algorithm, run and task from the pattern" in found.explanation


def test_a_pattern_inside_one_name_and_of_a_file() -> None:
    clues = [Clues((f"{a}_{s}",)) for a in ("double_q", "q") for s in (1, 2)]
    for pattern in ("{algorithm}_{run}", "{algorithm}_{seed}.csv"):
        found = identify(clues, group_by=pattern)
        assert [(w.algorithm, w.run) for w in found.whos] == [
            ("double_q", "1"),
            ("double_q", "2"),
            ("q", "1"),
            ("q", "2"),
        ]


def test_a_pattern_is_counted_from_the_end_where_depths_differ() -> None:
    clues = [Clues(("ppo", "seed1")), Clues(("deep", "down", "sac", "seed1"))]
    found = identify(clues, group_by="{algorithm}/seed{run}")
    assert [who.algorithm for who in found.whos] == ["ppo", "sac"]


def test_several_settings_are_joined() -> None:
    found = identify(CLUES, group_by="world,name")
    assert {who.algorithm for who in found.whos} == {
        "world=maze, ppo",
        "world=maze, sac",
        "world=tower, ppo",
        "world=tower, sac",
    }


def test_runs_and_tasks_by_settings() -> None:
    found = identify(CLUES, group_by="agent.name", run_by="copy", task_by="world")
    assert [who.run for who in found.whos] == RUNS
    assert [who.task for who in found.whos] == TASKS


def test_what_varies_within_an_algorithm_is_said() -> None:
    found = identify(CLUES, group_by="critic.lr", run_by="copy")
    assert any("differ in" in note and "agent.name" in note for note in found.notes)
    # Runs keep names of their own.
    assert len({(who.algorithm, who.run) for who in found.whos}) == len(CLUES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group_by": "agent.nam"}, "did you mean 'agent.name'"),
        ({"group_by": "lr"}, "could be 'agent.lr' or 'critic.lr'"),
        ({"group_by": "path9"}, "no part 9 in the path"),
        ({"group_by": "path0"}, "no part 0"),
        ({"group_by": "{algorithm}/seed{run}x"}, "8 of 8 runs do not match"),
        ({"group_by": "maze/{algorithm}/*"}, "4 of 8 runs do not match the pattern"),
        ({"group_by": "{task}/*"}, "has no part {algorithm}"),
        ({"run_by": "{algorithm}/*"}, "has no part {run}"),
        ({"group_by": "{method}/*"}, "{method} is not known"),
        ({"group_by": "{algorithm}/{algo}"}, "{algo} is there twice"),
        ({"group_by": ","}, "must name a setting"),
        ({"task_by": "nothing"}, "No setting and no part of the path is called 'nothing'"),
    ],
)
def test_what_cannot_be_found_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        identify(CLUES, **options)
    assert message in str(caught.value)
    option = next(iter(options))
    assert caught.value.option == ("task" if option == "task_by" else option)


def test_the_run_that_does_not_match_is_named() -> None:
    with pytest.raises(OptionError, match="tower/ppo-opt=adam/seed1/logs"):
        identify(CLUES, group_by="maze/{algorithm}/*")


def test_how_columns_of_a_table_are_named_is_said() -> None:
    clues = [Clues(("runs.txt",), key=key) for key in ("A/1", "A/2", "B/1", "B/2")]
    with pytest.raises(OptionError, match=r"give its file the ending \.csv"):
        identify(clues, group_by="agent")


def test_settings_unknown_of_some_runs() -> None:
    bare = Clues(("x", "y", "seed1", "logs"))
    with pytest.raises(OptionError, match="not known of 1 of 9 runs, such as x/y/seed1/logs"):
        identify([*CLUES, bare], group_by="agent.name")
    # A setting that a configuration lacks is a value, too.
    lacks = Clues(("x", "y", "seed1", "logs"), config={"world": "maze"})
    found = identify([*CLUES, lacks], group_by="agent.name")
    assert found.whos[-1].algorithm == "no name"


def test_flags_are_named_to_those_who_type_them() -> None:
    with naming_flags(), pytest.raises(OptionError, match=r"--group-by agent\.lr"):
        identify(CLUES, group_by="lr")


@pytest.mark.parametrize(
    ("pattern", "tasks", "algorithms"),
    [
        ("{task}_{algorithm}_{run}", ("iris", "wine"), ("adamw", "rms_prop")),
        ("{task}_{algorithm}_{run}", ("half_cheetah", "hopper"), ("ppo", "sac")),
        ("{algorithm}_{task}_{run}", ("maze", "hall"), ("ppo_big", "ppo_small")),
        ("{algorithm}_{task}_{run}", ("deep_maze", "hall"), ("ppo", "dqn")),
    ],
)
def test_the_sign_between_parts_may_stand_inside_one_of_them(
    pattern: str, tasks: tuple[str, ...], algorithms: tuple[str, ...]
) -> None:
    found = [(t, a, r) for t in tasks for a in algorithms for r in ("1", "2", "10")]
    clues = [Clues((pattern.format(task=t, algorithm=a, run=r),)) for t, a, r in found]
    whos = identify(clues, group_by=pattern).whos
    assert [(who.task, who.algorithm, who.run) for who in whos] == found
