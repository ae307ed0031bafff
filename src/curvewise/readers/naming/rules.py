"""Rules that tell which task, run and algorithm a log is of, in the order in which they are asked.

A rule takes what is known of all runs, and returns what it found, or None.
Runs are one algorithm if they differ in nothing but a seed. What cannot be told is not guessed:
`Found.problem` says what could be meant, and what to type for each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.tables import natural_order
from curvewise.readers.naming.traits import AFTER_PATH, Trait, codes_of, joint, n_groups, tells
from curvewise.text import argument, listed, plural, printable, words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.readers.naming.traits import Clues, Names
    from curvewise.records import Count

    Rule = Callable[["Known"], "Found | None"]


MAX_CANDIDATES = 6
MAX_JOINED = 3
MAX_SHOWN = 4
# Traits that are compared with each other, the most telling of them, and pairs of their values.
MAX_COMPARED = 50
MAX_PAIRS = 1_000_000
# Runs with one and the same configuration: fewer are one that was started again.
MIN_REPEATED = 2
# What stands between a name and a number at its end.
SIGN = re.compile(r".*?[^\W\d_](\W|_)\d+")
# Names that are those of algorithms wherever they stand.
_ALGORITHMS = frozenset(
    words(
        """a2c a3c acktr acer adam adamw adagrad adadelta adamax apex bc bcq c51 catboost cem cnn
        cql d4pg ddpg ddqn double_dqn double_q dqn dreamer dreamerv3 drq dueling es expected_sarsa
        forest gail gbm her impala iql iqn knn lamb lbfgs lightgbm lion lstm mlp mpo muon muzero
        nadam nb ppo qlearning q_learning qrdqn r2d2 radam rainbow random random_forest
        random_search reinforce resnet18 resnet34 resnet50 rmsprop rnn sac sarsa sgd shampoo sophia
        svc svm svr td3 tpe transformer tree trpo tqc vgg16 vit vpg xgboost"""
    )
)


@dataclass(frozen=True)
class Candidate:
    """Something that could be the algorithm: what to type, and what it would give."""

    name: str = field(metadata={"key": "group_by"})
    values: tuple[str, ...]
    sizes: tuple[Count, ...]

    @property
    def described(self) -> str:
        """What to type for it, and how many algorithms of how many runs it gives."""
        small, large = min(self.sizes), max(self.sizes)
        each = plural(large, "run") if small == large else f"{small} to {large} runs"
        return (
            f"{argument('group_by', self.name)} ({plural(len(self.sizes), 'algorithm')} of "
            f"{each}: {_some(self.values)})"
        )


@dataclass(frozen=True)
class Found:
    """One part of the identity of runs: the task, the run or the algorithm.

    Attributes
    ----------
    values : tuple of str or None
        One for each run. Where there is a problem, every combination of settings is an algorithm.
    traits : sequence of Trait
        What the values are made of.
    source : str
        Where they come from, if not from traits.
    candidates : tuple of Candidate
        What could be the algorithm.
    problem : str
        Why algorithms cannot be told, and the candidates; nothing if they can.
    notes : tuple of str
        What a reader should know.
    """

    values: Names
    traits: Sequence[Trait] = ()
    source: str = ""
    candidates: tuple[Candidate, ...] = ()
    problem: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Known:
    """What is known before a rule is asked.

    Attributes
    ----------
    clues : sequence of Clues
    traits : sequence of Trait
        All that are not taken for the task or the run.
    tasks, runs : tuple of str or None
        The task and the name of each run, as far as they are known.
    telling : list of Trait
        Those that tell algorithms apart.
    lacking : list of Trait
        Settings that would, but that runs without a configuration lack.
    notes : tuple of str
    """

    clues: Sequence[Clues]
    traits: Sequence[Trait]
    tasks: Names = ()
    runs: Names = ()
    telling: Sequence[Trait] = ()
    lacking: Sequence[Trait] = ()
    notes: tuple[str, ...] = ()


# --- tasks and runs -------------------------------------------------------------------------


def named_task(known: Known) -> Found | None:
    """Take settings and names that are those of tasks; where some vary, these.

    ``CartPole-v1__ppo__1__1714800000`` (CleanRL) and ``env_name: FrozenLake-v1`` (Spinning Up).
    """
    found = [t for t in known.traits if t.role == "task" and None not in t.values]
    found.sort(key=lambda trait: trait.kind != "setting")
    varying = [trait for trait in found if 1 < trait.n_values < len(known.clues)]
    naming: list[Trait] = []
    for trait in varying or [trait for trait in found if not trait.varies][:1]:
        if not naming or not tells(joint(naming, len(known.clues)), trait):
            naming.append(trait)
    return Found(_texts(naming), tuple(naming)) if naming else None


def setting_named_seed(known: Known) -> Found | None:
    """Take what is called a seed, a run, a fold or a trial: ``seed: 3``, ``ppo/seed_3``.

    What the configuration and the path both call the run goes before the seed.
    """
    found = [t for t in known.traits if t.varies and t.role in {"seed", "run"}]
    found = [trait for trait in found if None not in trait.values]
    in_names = {trait.values for trait in found if trait.kind == "pair"}

    def rank(trait: Trait) -> tuple[bool, bool, bool, int]:
        is_setting = trait.kind == "setting"
        is_twice = trait.role == "run" and is_setting and trait.values in in_names
        return not is_twice, trait.role != "seed", not is_setting, trait.name.count(".")

    best = min(found, key=rank, default=None)
    return Found(best.values, (best,)) if best else None


def number_in_names(known: Known) -> Found | None:
    """Take the last whole number in the names, unless words that vary come after it.

    ``sgd/version_0/3.csv`` is run 3; in ``plain/adagrad_11`` the number is made by `slots_of`.
    """
    n_runs = len(known.clues)
    shared = [t for t in known.traits if t.kind in {"word", "pair"} and 1 < t.n_values < n_runs]
    first = max((trait.place for trait in shared), default=0)
    numbers = [t for t in known.traits if t.kind == "number" and t.varies and t.place >= first]
    whole = [t for t in numbers if all(value and value.isdecimal() for value in t.values)]
    return Found(whole[-1].values, whole[-1:]) if whole else None


TASK_RULES = (named_task,)
RUN_RULES = (setting_named_seed, number_in_names)


def part_of(part: str, clues: Sequence[Clues], traits: Sequence[Trait]) -> Found:
    """Tell the "task" or the "run" of each log: what it says itself, else what a rule finds."""
    known = Known(clues, traits)
    rules: Sequence[Rule] = TASK_RULES if part == "task" else RUN_RULES
    tried = (rule(known) for rule in rules)
    found = next(filter(None, tried), Found((None,) * len(clues)))
    said = [clue.labels.get(part) for clue in clues]
    if not any(said):
        return found
    values = tuple(own or other for own, other in zip(said, found.values, strict=True))
    return replace(found, values=values, source="the log")


def without_task(trait: Trait, tasks: Names) -> Trait:
    """Take the name of the task out of values that repeat it, if all do: ``q-frozenlake``.

    Where nothing else is left of any, it is the task once more, and told to be that.
    """
    names = trait.kind == "word" or (trait.kind == "setting" and trait.names_algorithms)
    if trait.role or not names or None in tasks:
        return trait
    rests = {
        (value, task): _task_pattern(task).sub("", value, count=1).strip(" _-/.,")
        for value, task in set(zip(trait.values, tasks, strict=True))
        if value is not None and task is not None
    }
    if not rests or any(rest == value for (value, _), rest in rests.items()):
        return trait
    if not all(rests.values()):
        return trait if any(rests.values()) else replace(trait, kind="task")
    pairs = zip(trait.values, tasks, strict=True)
    values = tuple(rests.get((value or "", task or "")) for value, task in pairs)
    return Trait(trait.name, trait.kind, values, values, trait.place)


def _task_pattern(task: str) -> re.Pattern[str]:
    """Match a task inside a name: FrozenLake-v1 as frozenlake, frozen_lake, FrozenLake-v1."""
    base = re.sub(r"-v\d+$", "", task.rpartition("/")[2])
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+", base) or [base]
    joined = r"[-_ ]?".join(map(re.escape, parts))
    return re.compile(
        rf"(?:^|[-_ /.])(?:{joined}|{re.escape(task)})(?:-v\d+)?(?=$|[-_ /.])", re.IGNORECASE
    )


def part_of_tables(clues: Sequence[Clues]) -> str | None:
    """Return the part of the path that names tables, if each may be a task; else None.

    That is so of several tables in one folder that say which algorithms their runs are of, and
    nothing of tasks.
    """
    places = {clue.path for clue in clues}
    says_who = all("algorithm" in c.labels and "task" not in c.labels for c in clues)
    if len(places) < 2 or len({parts[:-1] for parts in places}) > 1 or not says_who:
        return None
    return f"path{len(next(iter(places)))}"


def left_over_task(algorithm: Found, traits: Sequence[Trait], runs: Names) -> Found | None:
    """Return the task that is left over once the caller has said what the algorithm is.

    In ``maze/ppo/0`` that is path1 if the algorithm is path2. It is made of the places that vary
    within algorithms and between them, if the algorithm is a place, too, or if nothing else tells
    runs of one algorithm and seed apart.
    """
    if not algorithm.traits:
        return None  # a pattern says what does not matter
    n_runs = len(runs)
    algorithms = codes_of(algorithm.values)
    repeats = n_groups(algorithms, codes_of(runs)) < n_runs
    by_place = all(trait.is_place for trait in algorithm.traits)
    naming: list[Trait] = []
    for trait in traits:
        is_free = not tells(joint([algorithms, *naming], n_runs), trait)
        is_scattered = 2 * n_groups(algorithms, trait) > n_runs
        if trait.is_place and is_free and not is_scattered and not tells(trait.codes, algorithms):
            naming.append(trait)
    if not naming or not (by_place or repeats):
        return None
    note = (
        "taken for the task, because it varies and is not part of the algorithm: "
        f"{differences(naming)}; if it is part of it, say "
        f"{argument('group_by', ','.join(trait.name for trait in (*algorithm.traits, *naming)))}"
    )
    return Found(_texts(naming), naming, notes=(note,))


def _texts(traits: Sequence[Trait]) -> Names:
    rows = zip(*(trait.texts for trait in traits), strict=True)
    return tuple(", ".join(filter(None, row)) for row in rows)


# --- algorithms -----------------------------------------------------------------------------


def possible_algorithm_traits(
    traits: Sequence[Trait], task_names: Names, run_names: Names
) -> list[Trait]:
    """Select the traits that may identify an algorithm.

    Those that follow the seed (``eval_seed``), the task (a width tuned for each) or the machine
    are left out, and those that no two runs share.
    """
    n_runs = len(task_names)
    tasks = codes_of(task_names)
    pairs = joint([tasks, codes_of(run_names)], n_runs)
    shares_seeds = None not in run_names and n_groups(pairs) < n_runs
    several_tasks = len(set(task_names)) > 1
    kept = [t for t in traits if not t.role and 1 < t.n_values < n_runs]
    if shares_seeds:
        kept = [t for t in kept if not tells(pairs, t)]
    if several_tasks:
        kept = [t for t in kept if t.names_algorithms or not tells(tasks, t)]
    strong = [trait for trait in kept if trait.names_algorithms]
    if several_tasks and strong:
        # Settings tuned for each task, and names that repeat the task.
        free = [trait for trait in strong if not tells(trait.codes, tasks)] or strong
        known = joint([*free, tasks], n_runs)
        kept = [trait for trait in kept if trait in free or not tells(known, trait)]
    return kept


def known_of(clues: Sequence[Clues], traits: Sequence[Trait], tasks: Names, run: Found) -> Known:
    """Gather what the rules for algorithms are asked with."""
    n_runs = len(clues)
    kept = possible_algorithm_traits(traits, tasks, run.values)
    kept, ignored = _configured(kept, tasks, run)
    found, lacking = _known_of_all(clues, [t for t in kept if t.kind != "number"])
    # A number in the path that follows neither the algorithm nor the run is one more setting.
    codes = joint(found, n_runs)
    found += [t for t in kept if t.kind == "number" and not tells(codes, t)]
    if not found and not lacking:
        found = [t for t in traits if t.role == "length" and 1 < t.n_values < n_runs]
    notes: tuple[str, ...] = ()
    if ignored:
        differ = f"although their runs differ in {differences(ignored)}, too"
        notes = (f"the configuration tells the algorithms, {differ}",)
    return Known(clues, traits, tasks, run.values, found, lacking, notes)


def _configured(traits: list[Trait], tasks: Names, run: Found) -> tuple[list[Trait], list[Trait]]:
    """Drop what adds nothing to a configuration that names the algorithm and the seed.

    In ``multirun/2024-01-02/10-00-00/3`` (Hydra) the path counts what was started. Where several
    runs have one configuration, seed and all, or no two share a seed, the path may be what they
    differ in, and stays. Names such as "lucid-firefly-42" (W&B) never tell where others do, nor do
    numbers that hardly any runs of one configuration share. Also return the words that are dropped although they look as if they were meant to tell.
    """
    n_runs = len(tasks)
    scattered = [t for t in traits if 2 * n_groups(codes_of(tasks), t) > n_runs]
    if any(trait.names_algorithms and trait not in scattered for trait in traits):
        traits = [t for t in traits if t not in scattered or not t.is_joined_name]
    settings = [t for t in traits if t.kind == "setting"]
    settings = [t for t in settings if not t.is_joined_name or t not in scattered]
    told = joint([*settings, codes_of(tasks)], n_runs)
    traits = [t for t in traits if t.kind != "number" or 2 * n_groups(told, t) <= n_runs]
    pairs = joint([codes_of(tasks), codes_of(run.values)], n_runs)
    is_named = any(trait.names_algorithms for trait in settings)
    is_numbered = any(trait.kind == "setting" for trait in run.traits)
    if not (is_named and is_numbered) or n_groups(pairs) == n_runs:
        return traits, []
    known = joint([told, pairs], n_runs)
    least = n_groups(known) + MIN_REPEATED
    kept = [
        t for t in traits if t.kind == "setting" or tells(told, t) or n_groups(known, t) >= least
    ]
    ignored = [t for t in traits if t.kind == "word" and t not in (*kept, *scattered)]
    return kept, ignored


def _known_of_all(clues: Sequence[Clues], traits: list[Trait]) -> tuple[list[Trait], list[Trait]]:
    """Split off the settings that runs without any configuration would need."""
    rows = [row for row, clue in enumerate(clues) if clue.config]
    if len(rows) in {0, len(clues)}:
        return traits, []
    whole = [trait for trait in traits if trait.kind != "setting"]
    codes = joint([trait.codes[rows] for trait in whole], len(rows))
    settings = [trait for trait in traits if trait.kind == "setting"]
    return whole, [trait for trait in settings if not tells(codes, trait.codes[rows])]


def said_by_log(known: Known) -> Found | None:
    """Take what logs say themselves: the column ``algorithm`` of a table of runs."""
    said = tuple(clue.labels.get("algorithm") for clue in known.clues)
    return Found(said, source="the log") if all(said) else None


def lacking_configuration(known: Known) -> Found | None:
    """Refuse runs without the configuration that tells the others: one of four has no args.yml."""
    if not known.lacking:
        return None
    bare = [clue.place for clue in known.clues if not clue.config]
    return _refused(
        known,
        f"Runs differ in {differences(known.lacking)}, but {len(bare)} of {len(known.clues)} runs "
        f"have no configuration that tells it ({listed(bare, 3)}). Leave these out, or say by "
        f"{argument('group_by')} which part of the path is the algorithm, such as "
        f"{argument('group_by', 'path1')}.",
    )


def differing_runs(known: Known) -> Found | None:
    """Refuse runs that differ in a setting or name of their own, and in nothing that some share.

    ``resnet_18, resnet_34, vgg_11, vgg_16`` may be so many models; so may runs with lr 1, 2, 3.
    """
    n_runs = len(known.clues)
    own = [t for t in known.traits if not t.role and t.n_values == n_runs > 1]
    settings = [trait for trait in own if trait.is_number_setting]
    names = [trait for trait in own if trait.kind == "word"]
    if known.telling or not (settings or names):
        return None
    if settings:
        problem = (
            f"All {n_runs} runs differ in {differences(settings)}, so none repeats another: "
            f"which belong together? Say it by {argument('group_by')}."
        )
        return replace(_named(settings, n_runs), problem=problem)
    if _constant_names(known) or None not in known.runs:
        return None
    values = _values(names[0])
    sign = SIGN.fullmatch(values[0])
    between = sign[1] if sign else "_"
    problem = (
        f"All {n_runs} runs have different names ({listed(values, 3)}), and nothing tells which "
        "of them belong together. Put the runs of an algorithm into a folder of its own, or say "
        f"it by {argument('group_by')}: {argument('group_by', f'{{algorithm}}{between}{{run}}')} "
        f"fits names like ppo{between}1, and {argument('group_by', names[0].name)} takes each for "
        "an algorithm of its own."
    )
    return Found(names[0].texts, problem=problem)


def only_algorithm(known: Known) -> Found | None:
    """Name the only algorithm by its configuration, or by the folder that holds its runs.

    ``ppo/seed0, ppo/seed1`` are runs of ppo, and so are ``seed0, seed1`` in a folder ppo.
    """
    if known.telling:
        return None
    # The folder that holds the runs or a part of their names, rather than one in each of them.
    parts = enumerate(zip(*(clue.path for clue in known.clues), strict=False))
    first = next((place for place, values in parts if len(set(values)) > 1), 0)
    constant = [t for t in known.traits if t.kind == "word" and not t.varies and not t.role]
    folders = [t for t in constant if t.values[0] and (t.place <= first or t.place >= AFTER_PATH)]
    found = tuple(_constant_names(known)[:1] or folders[-1:])
    name = found[0].texts[0] if found else known.clues[0].root or "all runs"
    return Found((name,) * len(known.clues), found)


def _constant_names(known: Known) -> list[Trait]:
    constant = [t for t in known.traits if not t.varies and not t.role and t.values[0]]
    return sorted((t for t in constant if t.rank[0] == 0), key=lambda t: t.rank)


def hardly_repeated(known: Known) -> Found | None:
    """Refuse where most combinations of settings are those of one run only: an Optuna study.

    Names of algorithms may be so, after most runs of some have failed; but names that share
    no seed are rather those of runs.
    """
    n_runs = len(known.clues)
    codes = joint(known.telling, n_runs)
    sizes = np.bincount(codes)
    naming = [t for t in known.telling if t.names_algorithms and tells(t.codes, codes)]
    shares = None not in known.runs
    shares = shares and n_groups(codes_of(known.tasks), codes_of(known.runs)) < n_runs
    is_named = any(shares or trait.kind == "setting" for trait in naming)
    if sizes.max() > 1 and (2 * len(sizes) <= n_runs or is_named):
        return None
    return _refused(
        known,
        f"Nearly all of {plural(n_runs, 'run')} differ in {differences(_distinct(known.telling))}, "
        "so that few or none repeat another: which belong together? "
        f"{_options(candidates_of(known.telling))}",
    )


def drawn_at_random(known: Known) -> Found | None:
    """Refuse settings of a search: no seed was used with two of their values.

    Runs of one name then vary in settings, with combinations of a single run, or with a setting
    of each run's own besides.
    """
    n_runs = len(known.clues)
    named = joint([t for t in known.telling if t.names_algorithms], n_runs)
    drawn = [t for t in known.telling if not t.names_algorithms and not tells(named, t)]
    groups = joint([named, *drawn], n_runs)
    own = [t for t in known.traits if t.is_number_setting and t.n_values == n_runs and not t.role]
    if not drawn or (np.bincount(groups).min() > 1 and not own):
        return None
    is_split = np.array([n_groups(groups[named == name]) > 1 for name in named])
    seeds = joint([named, codes_of(known.tasks), codes_of(known.runs)], n_runs)[is_split]
    if None not in known.runs and len(np.unique(seeds)) < len(seeds):
        return None
    return _refused(
        known,
        f"{plural(n_runs, 'run')} differ in {differences(drawn)} as in a search, where few or "
        f"none repeat another: which belong together? {_options(candidates_of(known.telling))}",
    )


def varying_independently(known: Known) -> Found | None:
    """Refuse settings of a grid, optimizer × learning rate, any of which may be the algorithm."""
    independent = crossed(_distinct(known.telling))
    if not independent:
        return None
    task = likely_task(independent) if len(set(known.tasks)) == 1 else None
    as_task = ""
    if task is not None:
        alone = f"{argument('task', _values(task)[0])} for that task alone"
        as_task = (
            f"If {task.name} is the task, say {argument('task', task.name)}, or {alone}. Else say "
        )
    return _refused(
        known,
        f"{plural(len(known.clues), 'run')} differ in {differences(independent)} independently: which "
        f"of them is the algorithm? {as_task}{_options(candidates_of(known.telling))}",
    )


def most_telling(known: Known) -> Found:
    """Name algorithms by the trait that tells most: an agent before a folder before a number."""
    found = _refused(known, "")
    notes = _names_of_two(found.traits) if len(set(known.tasks)) == 1 else []
    return replace(found, notes=(*found.notes, *notes))


ALGORITHM_RULES = (
    said_by_log,
    lacking_configuration,
    differing_runs,
    only_algorithm,
    hardly_repeated,
    drawn_at_random,
    varying_independently,
    most_telling,
)


def algorithm_of(known: Known) -> Found:
    """Tell the algorithm of each run, by the first rule that does."""
    return next(found for rule in ALGORITHM_RULES if (found := rule(known)))


def _refused(known: Known, problem: str) -> Found:
    """Return every combination of settings as an algorithm, and why that may not be meant."""
    named = _named([*known.telling, *known.lacking], len(known.tasks))
    candidates = candidates_of(known.telling)
    return replace(named, candidates=candidates, problem=problem, notes=known.notes)


def crossed(traits: Sequence[Trait]) -> list[Trait]:
    """Return traits that vary independently: two values of one with two of the other, each."""
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
        if shared.max() >= 2:
            found |= {one.name: one, two.name: two}
    return list(found.values())


def likely_task(traits: Sequence[Trait]) -> Trait | None:
    """Return which of several traits is the task, if any: a place, high up, of few values.

    Numbers, and names that are those of algorithms wherever they stand, are no tasks.
    """

    def may_be(trait: Trait) -> bool:
        texts = {text.lower().replace("-", "_") for text in trait.texts if text}
        return trait.is_place and not texts & _ALGORITHMS and not all(map(str.isdecimal, texts))

    places = [trait for trait in traits if may_be(trait)]
    return min(places, key=lambda trait: (trait.place, trait.n_values), default=None)


def _names_of_two(traits: Sequence[Trait]) -> list[str]:
    """Say that names such as d1_dart, d1_hist, d2_dart, d2_hist may hold the task, too."""
    (trait, *others) = traits
    for sign in "_-" if trait.kind == "word" and not others else "":
        halves = {(value or "").partition(sign)[::2] for value in trait.values}
        columns = [dict.fromkeys(natural_order(column)) for column in zip(*halves, strict=True)]
        parts = [Trait(sign, "word", (*own,), (*own,), at) for at, own in enumerate(columns)]
        is_grid = halves == set(product(*columns)) and all(part.varies for part in parts)
        task = likely_task(parts) if is_grid and all(columns[1]) else None
        if task:
            names = ["{task}", "{algorithm}"]
            # What follows in the same name is the run.
            more = ["{run}"] if "." in trait.name else []
            pattern = sign.join(names[:: 1 if task is parts[0] else -1] + more)
            note = (
                f"the names of the algorithms may hold the task, too ({_some(_values(task))}): if "
                f"so, say it by a pattern such as {argument('group_by', pattern)}"
            )
            return [note]
    return []


def _distinct(traits: Sequence[Trait]) -> list[Trait]:
    """Return the most telling of those that part the runs alike, the most telling first."""
    distinct: dict[bytes, Trait] = {}
    for trait in sorted(traits, key=lambda t: t.rank):
        distinct.setdefault(trait.codes.tobytes(), trait)
    return list(distinct.values())


def _named(traits: Sequence[Trait], n_runs: int) -> Found:
    """Name the algorithms that traits tell apart, by the most telling of them."""
    codes = joint(traits, n_runs)
    order = sorted(traits, key=lambda trait: trait.rank)
    naming = [t for t in order if tells(t.codes, codes) and t.names_algorithms][:1]
    if not naming:
        for trait in order:
            known = joint(naming, n_runs)
            if not tells(known, codes) and not tells(known, trait):
                naming.append(trait)
    if not any(trait.names_algorithms for trait in naming):
        # Settings that vary together, none of which is a name: show more than one.
        for trait in order:
            keys = {shown.key for shown in naming}
            if len(naming) < MAX_JOINED and trait.key not in keys and tells(trait.codes, codes):
                naming.append(trait)
    return Found(joined_names(naming, n_runs), tuple(naming))


def joined_names(traits: Sequence[Trait], n_runs: int) -> Names:
    """Name each run by its values of some traits, joined by commas.

    What has no value is named, too: "sgd, no momentum".
    """
    shown = [
        [text or f"no {trait.name.rpartition('.')[2]}" for text in trait.shown] for trait in traits
    ]
    return tuple(", ".join(values[row] for values in shown) for row in range(n_runs))


def _some(values: Sequence[str]) -> str:
    """Write the first of several values, which may hold commas themselves."""
    shown = "; ".join(map(printable, values[:MAX_SHOWN]))
    return shown if len(values) <= MAX_SHOWN else f"{shown}; …"


def _values(trait: Trait) -> list[str]:
    return natural_order({text for text in trait.texts if text})


def differences(traits: Sequence[Trait]) -> str:
    """Write what runs differ in: names that can be typed, with some of their values.

    What all runs have goes first; what is there twice, as ``exp_name`` and
    ``logger.exp_name``, is there once.
    """
    once: dict[tuple[str, Names], Trait] = {}
    for trait in sorted(traits, key=lambda trait: None in trait.values):
        once.setdefault((trait.key, trait.values), trait)
    none = {trait: "; none" if None in trait.values else "" for trait in once.values()}
    shown = [f"{trait.name} ({_some(_values(trait))}{none[trait]})" for trait in none]
    return listed(shown, MAX_CANDIDATES)


def candidates_of(traits: Sequence[Trait]) -> tuple[Candidate, ...]:
    """Return what could be typed for the algorithm: each alone, then all together."""
    found = _distinct(traits)[:MAX_CANDIDATES]
    named = [(trait.name, _values(trait), trait.codes) for trait in found]
    if 1 < len(found) <= MAX_JOINED:
        codes = joint(found, len(found[0].values))
        names = natural_order({name for name in joined_names(found, len(codes)) if name})
        named.append((",".join(trait.name for trait in found), names, codes))
    return tuple(
        Candidate(name, tuple(values), tuple(np.bincount(codes).tolist()))
        for name, values, codes in named
    )


def _options(candidates: Sequence[Candidate]) -> str:
    if not candidates:
        return f"Say it by {argument('group_by')}."
    return " or ".join(candidate.described for candidate in candidates) + "."
