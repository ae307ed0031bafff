"""Which traits may tell algorithms: not seeds, tasks, circumstances, nor the order of starting."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from curvewise.readers.naming.name_pieces import words
from curvewise.readers.naming.traits import Trait, joint, tells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.readers.naming.traits import Codes

__all__ = [
    "Names",
    "are_drawn",
    "codes_of",
    "crossed",
    "is_scattered",
    "likely_task",
    "telling",
    "tells_repeats",
    "without_repeats",
]

Names = tuple[str | None, ...]

# Traits that are compared with each other, the most telling of them, and pairs of their values.
MAX_COMPARED = 50
MAX_PAIRS = 1_000_000
# Runs with one and the same configuration: fewer are one that was started again.
MIN_REPEATED = 2

# Names that are those of algorithms wherever they stand.
_ALGORITHMS = frozenset(
    words(
        "a2c a3c acktr acer adam adamw adagrad adadelta adamax apex bc bcq c51 catboost cem cnn cql "
        "d4pg ddpg ddqn double_dqn double_q dqn dreamer dreamerv3 drq dueling es expected_sarsa "
        "forest gail gbm her impala iql iqn knn lamb lbfgs lightgbm lion lstm mlp mpo muon muzero "
        "nadam nb ppo qlearning q_learning qrdqn r2d2 radam rainbow random random_forest "
        "random_search reinforce resnet18 resnet34 resnet50 rmsprop rnn sac sarsa sgd shampoo sophia "
        "svc svm svr td3 tpe transformer tree trpo tqc vgg16 vit vpg xgboost"
    )
)


def codes_of(values: Names) -> Codes:
    """Return values as integers, one for each distinct value."""
    return Trait("", "", values, values).codes


def _n_groups(*parts: Trait | Codes) -> int:
    first = parts[0].codes if isinstance(parts[0], Trait) else parts[0]
    return int(joint(parts, len(first)).max(initial=-1)) + 1


def telling(traits: Sequence[Trait], task_names: Names, run_names: Names) -> list[Trait]:
    """Return the traits that may tell algorithms: neither seeds, tasks nor circumstances."""
    n_runs = len(task_names)
    tasks = codes_of(task_names)
    pairs = joint([tasks, codes_of(run_names)], n_runs)
    is_crossed = None not in run_names and len(set(pairs.tolist())) < n_runs
    several_tasks = len(set(task_names)) > 1
    kept = []
    for trait in traits:
        if trait.role or not trait.varies or trait.n_values >= n_runs:
            continue
        if is_crossed and tells(pairs, trait):
            continue  # it follows the seed
        if several_tasks and not trait.names_algorithms and tells(tasks, trait):
            continue  # it follows the task
        kept.append(trait)
    strong = [trait for trait in kept if trait.names_algorithms]
    if several_tasks and strong:
        # Settings tuned for each task, and names that repeat the task.
        free = [trait for trait in strong if not tells(trait.codes, tasks)] or strong
        known = joint([*free, tasks], n_runs)
        kept = [trait for trait in kept if trait in free or not tells(known, trait)]
    return kept


def is_scattered(trait: Trait, within: Codes) -> bool:
    """Whether most values of a trait are those of one run only, as counters and ids are."""
    return 2 * _n_groups(within, trait) > len(within)


def tells_repeats(trait: Trait, known: Codes) -> bool:
    """Whether a trait tells runs apart that are otherwise alike, seed and all."""
    return _n_groups(known, trait) - _n_groups(known) >= MIN_REPEATED


def without_repeats(
    traits: Sequence[Trait], task_names: Names, run_names: Names, *, by_setting: bool
) -> tuple[list[Trait], list[Trait]]:
    """Drop places and names of runs that only repeat, or count, what is known without them.

    Where the configuration says what was trained and with which seed, and so names every run,
    the path and names such as "lucid-firefly-42" have nothing to add. Where several runs have
    one configuration, seed and all, the path may be what they differ in, and stays.

    Parameters
    ----------
    traits : sequence of Trait
        As `telling` returns them.
    task_names, run_names : tuple of str or None
    by_setting : bool
        Whether the runs are named by the configuration.

    Returns
    -------
    kept, dropped : list of Trait
        Those that count, and words in the path that look as if they were meant to.
    """
    n_runs = len(task_names)
    settings = [t for t in traits if t.kind == "setting" and not t.is_composed]
    is_proper = any(trait.is_proper for trait in settings)
    tasks, runs = codes_of(task_names), codes_of(run_names)
    told = joint([*settings, tasks], n_runs)
    known = joint([told, runs], n_runs)
    shares_seeds = by_setting and _n_groups(tasks, runs) < n_runs
    kept, dropped = [], []
    for trait in traits:
        scattered = is_scattered(trait, told)
        is_needed = tells_repeats(trait, known) and not scattered
        if is_needed or trait in settings or tells(told, trait):
            kept.append(trait)
        elif trait.kind == "number":
            if not scattered and not (settings and by_setting):
                kept.append(trait)
        elif not is_proper or not (scattered or shares_seeds):
            kept.append(trait)
        elif not scattered and trait.kind == "word":
            dropped.append(trait)
    return kept, dropped


def are_drawn(
    traits: Sequence[Trait], task_names: Names, run_names: Names, *, is_search: bool
) -> list[Trait]:
    """Return settings that look drawn at random: no seed was used with two of their values.

    Parameters
    ----------
    traits : sequence of Trait
        What runs differ in.
    task_names, run_names : tuple of str or None
    is_search : bool
        Whether every run has a setting of its own besides.

    Returns
    -------
    list of Trait
        Those that vary among the runs of one name; none if runs repeat each other.
    """
    n_runs = len(task_names)
    named = joint([t for t in traits if t.names_algorithms], n_runs)
    drawn = [t for t in traits if not t.names_algorithms and not tells(named, t)]
    if not drawn:
        return []
    groups = joint([named, *drawn], n_runs)
    sizes = np.bincount(groups)
    if sizes.min() > 1 and not is_search:
        return []
    split = {int(name) for name in named if len(set(groups[named == name])) > 1}
    rows = [row for row in range(n_runs) if int(named[row]) in split]
    seeds = joint([named, codes_of(task_names), codes_of(run_names)], n_runs)[rows]
    return drawn if None in run_names or len(set(seeds)) == len(rows) else []


def crossed(traits: Sequence[Trait], *, whole: bool = False) -> list[Trait]:
    """Return traits that vary independently: two values of one with two of the other, each.

    With ``whole``, only those of which every value goes with every one of the other.
    """
    finest = joint(traits, len(traits[0].values))
    if any(tells(trait.codes, finest) for trait in traits):
        return []
    found: dict[str, Trait] = {}
    for one, two in combinations(traits[:MAX_COMPARED], 2):
        if one.n_values * two.n_values > MAX_PAIRS:
            continue
        pairs = np.zeros((one.n_values, two.n_values), np.float32)
        pairs[one.codes, two.codes] = 1
        shared = pairs.T @ pairs if one.n_values > two.n_values else pairs @ pairs.T
        np.fill_diagonal(shared, 0)
        if pairs.all() if whole else shared.max() >= 2:
            found |= {one.name: one, two.name: two}
    return list(found.values())


def likely_task(traits: Sequence[Trait]) -> Trait | None:
    """Return which of several traits is the task, if any: a place, high up, of few values."""
    places = [trait for trait in traits if trait.is_place]

    def unlikeliness(trait: Trait) -> tuple[bool, int, int]:
        known = {value.lower().replace("-", "_") for value in trait.values if value}
        return bool(known & _ALGORITHMS), trait.place, trait.n_values

    return min(places, key=unlikeliness) if places and len(traits) > 1 else None
