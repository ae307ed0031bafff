"""What tells runs apart: their places, their names, their configurations, as traits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from curvewise.readers.naming.name_pieces import kinds_of, slots_of, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from curvewise.readers.naming.configurations import Setting
    from curvewise.readers.naming.name_pieces import Slot

__all__ = ["AFTER_PATH", "Clues", "Trait", "joint", "tells", "traits_of", "value_text"]

Codes = npt.NDArray[np.intp]

# Where traits from inside a store stand: after all parts of the path.
AFTER_PATH = 10_000

_SEEDS = words(
    "seed random_seed rng_seed rng random_state global_seed manual_seed base_seed seeds"
)
_RUNS = {"run", "run_id", "run_number", "run_idx", "trial", "fold", "cv_fold", "rep"}
_RUNS |= {"repeat", "replicate", "repetition", "split_id", "fold_id"}
_TASKS = words(
    "env_id env_name environment_name environment env game env_key task task_name "
    "task_id dataset dataset_name data_set benchmark domain domain_name level "
    "level_name"
)
_INNER_NAMES = {"name", "id", "type", "kind", "_target_", "class", "class_name", "_name_"}
# Settings that name an algorithm, the most telling first.
_TELLING = words(
    "algorithm algo algorithm_name algo_name alg agent agent_name method method_name "
    "variant optimizer optim opt optimizer_name model model_name architecture arch "
    "net network backbone base_model model_id model_name_or_path policy condition treatment "
    "strategy exp_name experiment_name experiment exp study name group run_group run_name "
    "display_name job_name trial_name loss lr learning_rate"
)
# Those before are chosen for what was trained; then names that are given to some runs together.
_N_PROPER = _TELLING.index("exp_name")
_N_NAMING = _TELLING.index("loss")
# Where runs are kept together, as in a folder.
_CONTAINERS = {"experiment", "experiment_name", "exp", "study", "group", "run_group"}
# Names that people or tools compose of several facts, one for each run.
_COMPOSED = {"name", "run_name", "exp_name", "experiment_name", "display_name", "runname"}
_COMPOSED |= {"run_group", "group", "tag", "title", "task_name", "trial_name", "job_name"}
# How long training was and how often it was logged: not what was trained.
_LENGTHS = re.compile(
    r"(?:(?:n|num|max|total|eval|log|save|train|test)_)*(?:time_?steps|steps|epochs?|iters?|"
    r"iterations|frames|updates|rounds|episodes|eval_freq|freq|frequency|interval|every|"
    r"eval_episodes|total_timesteps)"
)
# What differs between runs for reasons that have nothing to do with what was trained.
_CIRCUMSTANCES = re.compile(
    r"(?:.*_)?(?:path|paths|dir|dirs|directory|folder|folders|file|filename|hostname|host|hash|"
    r"sha|commit|uuid|uid|id|pid|port|url|uri|timestamp|datetime|date|duration|runtime|device|"
    r"devices|gpu|gpus|cuda|workers|threads|jobs|checkpoint|ckpt|logdir|debug|video|ip|user|"
    r"username|tags|verbose|wandb|tensorboard|slurm|tag)(?:_\d+)?"
    r"|(?:start|end|wall|run|created|elapsed)_?(?:time|at)|time|started|finished|node|git|root|"
    r"output|workdir|cwd|cpu|cpus|n_?jobs|notes?|comment|description|command|cmd|argv|"
    r"verbosity|resume|render|track|entity|project|project_name|python|python_version|version|"
    r"rank|local_rank|storage|status|state|best|results?|score|final_score"
)
_TOOLS = words("hydra wandb mlflow git slurm system sys host meta logging")


@dataclass(frozen=True)
class Clues:
    """What is known of a run before anything is inferred.

    Attributes
    ----------
    path : tuple of str
        The parts of its place below the root; of a file without its ending.
    key : str
        Its name inside a store that holds several.
    labels : mapping
        What the log itself says it is: "algorithm", "run", "task", "block".
    config : mapping
        The configuration, flat.
    has_points : bool
        Whether it has any; a run without a point does not help to tell others apart.
    root : str
        The name of the folder that its place is below.
    """

    path: tuple[str, ...]
    key: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Setting] = field(default_factory=dict)
    has_points: bool = True
    root: str = ""

    @property
    def place(self) -> str:
        """Where the run is, for messages."""
        return "#".join(filter(None, ["/".join(self.path), self.key])) or "the run"


@dataclass(frozen=True, eq=False)
class Trait:
    """Something that may differ between runs.

    Attributes
    ----------
    name : str
        What it is called, and what can be typed to choose it.
    kind : str
        "setting" for one of the configuration; else as in `Slot.kind`.
    values : tuple of str or None
        One for each run.
    texts : tuple of str or None
        The values as they are to be shown.
    place : int
        Which part of the path it comes from, from 0; those inside a store come after; -1 for
        the configuration.
    """

    name: str
    kind: str
    values: tuple[str | None, ...]
    texts: tuple[str | None, ...]
    place: int = -1

    @cached_property
    def codes(self) -> Codes:
        """The values as integers, one for each distinct value; no value is a value too."""
        numbers: dict[str | None, int] = {}
        return np.array(
            [numbers.setdefault(value, len(numbers)) for value in self.values], np.intp
        )

    @cached_property
    def n_values(self) -> int:
        """How many distinct values there are."""
        return len(set(self.values))

    @property
    def varies(self) -> bool:
        """Whether runs differ in it."""
        return self.n_values > 1

    @cached_property
    def key(self) -> str:
        """The last part of the name that says something, in small letters."""
        parts = re.split(r"[./]", self.name.lower().replace("-", "_").replace(" ", "_"))
        inner = len(parts) > 1 and parts[-1] in _INNER_NAMES
        return parts[-2] if inner else parts[-1]

    @cached_property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        return all(value is None or value.isdecimal() for value in self.values)

    @cached_property
    def is_measured(self) -> bool:
        """Whether it is a setting whose values are numbers."""
        number = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
        known = [value for value in self.values if value is not None]
        return self.kind in {"setting", "pair"} and all(map(number.fullmatch, known))

    @cached_property
    def role(self) -> str:
        """What it can be: "seed", "run", "task", "noise", "length", or "" for an algorithm."""
        if self.kind in {"noise", "task"}:
            return self.kind
        if self.kind in {"setting", "pair"}:
            return self._role_by_name()
        return ""

    def _role_by_name(self) -> str:
        known = [value for value in set(self.values) if value is not None]
        if self.key in _SEEDS:
            return "seed"
        if self.key in _RUNS:
            return "run" if all(len(value) < 12 for value in known) else "noise"
        if self.key in _TASKS:
            return "task"
        if self.key in _TELLING[:_N_NAMING]:
            return ""
        if (
            _CIRCUMSTANCES.fullmatch(self.key)
            or self.name.lower().split(".")[0] in _TOOLS
        ):
            return "noise"
        if all(
            re.match(r"(?:/|~/|\./|\.\./|[A-Za-z]:\\|[a-z]+://)", value)
            for value in known
        ):
            return "noise"
        if all(set(kinds_of(value)) == {"noise"} for value in known[:100]):
            return "noise"
        return "length" if _LENGTHS.fullmatch(self.key) else ""

    @cached_property
    def rank(self) -> tuple[int, int, bool, str]:
        """How telling it is as the name of an algorithm: small is telling.

        Of the same name a setting goes first: the path may hold a shortened copy of it.
        """
        in_path = self.kind != "setting"
        if self.kind == "setting" or self.key in _TELLING:
            telling = _TELLING.index(self.key) if self.key in _TELLING else len(_TELLING)
            if telling < _N_NAMING:
                return 0, telling, in_path, self.name
            return 2, telling, in_path, self.name
        return (1 if self.kind == "word" else 2), 0, in_path, self.name

    @property
    def is_proper(self) -> bool:
        """Whether it is a setting that says what was trained: an agent, an optimizer."""
        return self.kind == "setting" and self.key in _TELLING[:_N_PROPER]

    @property
    def is_composed(self) -> bool:
        """Whether it is a name that people or tools give to runs, or a piece of one."""
        return self.place > AFTER_PATH or (
            self.kind == "setting" and self.key in _COMPOSED
        )

    @property
    def is_place(self) -> bool:
        """Whether it is where runs are kept: a part of the path, an experiment, a study."""
        in_path = 0 <= self.place <= AFTER_PATH and self.kind in {"word", "number"}
        return in_path or (self.kind == "setting" and self.key in _CONTAINERS)

    @property
    def names_algorithms(self) -> bool:
        """Whether its values can stand for algorithms by themselves: names, not numbers."""
        return self.rank[0] < 2

    @cached_property
    def shown(self) -> tuple[str | None, ...]:
        """The values as names of algorithms."""
        if self.names_algorithms or self.kind == "word":
            return self.values
        last = self.name.rpartition(".")[2]
        return tuple(
            None
            if value is None
            else text
            if text and text != value
            else f"{last}={value}"
            if self.kind in {"setting", "pair"}
            else value
            for value, text in zip(self.values, self.texts, strict=True)
        )

    def of(self, rows: Sequence[int]) -> Trait:
        """Return the trait of some of the runs."""
        values = tuple(self.values[row] for row in rows)
        texts = tuple(self.texts[row] for row in rows)
        return Trait(self.name, self.kind, values, texts, self.place)


def joint(traits: Iterable[Trait | Codes], n_runs: int) -> Codes:
    """Return codes that are equal where all traits are."""
    codes: Codes = np.zeros(n_runs, np.intp)
    for trait in traits:
        other = trait.codes if isinstance(trait, Trait) else trait
        pairs = codes * (int(other.max(initial=0)) + 1) + other
        codes = np.unique(pairs, return_inverse=True)[1].astype(np.intp)
    return codes


def tells(codes: Codes, trait: Trait | Codes) -> bool:
    """Whether runs that are equal in codes are equal in a trait."""
    both = joint([codes, trait], len(codes))
    return int(both.max(initial=0)) == int(joint([codes], len(codes)).max(initial=0))


def value_text(value: Setting) -> str:
    """Write a setting as text: the same for equal numbers.

    >>> [value_text(v) for v in (True, 1, 1.0, 0.001, "adam")]
    ['true', '1', '1', '0.001', 'adam']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def traits_of(clues: Sequence[Clues]) -> list[Trait]:
    """Return all traits of runs: of the configuration, then of the path from its start.

    Parts of the path are called ``path1``, ``path2`` …; pieces of a part ``path2.1`` and so
    on, unless the names say what they are, as in ``lr=0.1``.
    """
    settings = _settings(clues)
    seeds = {trait.codes.tobytes() for trait in settings if trait.role == "seed"}
    composed: list[Trait] = []
    for trait in list(settings):
        if not trait.is_composed or len(clues) == 1 or trait.role:
            continue
        pieces = _from_slots(slots_of(trait.values), trait.name, AFTER_PATH + 1)
        if trait.n_values == len(clues):
            composed += pieces
        elif trait.varies and any(
            piece.codes.tobytes() in seeds
            or (len(pieces) == 1 and piece.role in {"seed", "run"})
            for piece in pieces
        ):
            # ppo_s1 on each task: of the whole name every seed would be an algorithm. Nor is
            # fold_3 of each model one.
            composed += pieces
            settings.remove(trait)
    path: list[Trait] = []
    for place, column in enumerate(_parts([c.path for c in clues])):
        path += _from_slots(slots_of(column), f"path{place + 1}", place)
    keys = _from_slots(slots_of([clue.key or None for clue in clues]), "key", AFTER_PATH)
    return settings + path + keys + composed


def _settings(clues: Sequence[Clues]) -> list[Trait]:
    columns: dict[str, list[Any]] = {}
    places: dict[str, int] = {}
    for row, clue in enumerate(clues):
        for place, (name, value) in enumerate(clue.config.items()):
            column = columns.get(name)
            if column is None:
                column = columns[name] = [None] * len(clues)
                places[name] = place
            elif place < places[name]:
                places[name] = place
            column[row] = value
    traits = []
    # In the order of the configurations, whichever run comes first.
    for name in sorted(columns, key=lambda name: (places[name], name)):
        column = columns[name]
        if all(value == column[0] for value in column) and column[0] is not None:
            text: str | None = value_text(column[0])
            values: tuple[str | None, ...] = (text,) * len(column)
        else:
            values = tuple(
                None if value is None else value_text(value) for value in column
            )
        traits.append(Trait(name, "setting", values, values))
    return traits


def _from_slots(slots: list[Slot], name: str, place: int) -> list[Trait]:
    traits = []
    for number, slot in enumerate(slots, 1):
        called = "" if slot.kind == "number" else slot.key
        # A number at the end of a word is written with the word, as the whole name.
        is_whole = len(slots) == 1 or (
            slot.kind == "number" and slot.texts != slot.values
        )
        called = called or (name if is_whole else f"{name}.{number}")
        traits.append(Trait(called, slot.kind, slot.values, slot.texts, place))
    return traits


def _parts(paths: list[tuple[str, ...]]) -> list[list[str | None]]:
    """Put the parts of paths side by side; where depths differ, from both ends."""
    shortest, longest = min(map(len, paths)), max(map(len, paths))
    if shortest == longest:
        return [list(column) for column in zip(*paths, strict=True)]

    def alike(parts: list[str]) -> bool:
        if len(set(parts)) == 1:
            return True
        kinds = {kinds_of(part) for part in parts}
        return len(kinds) == 1 and "word" not in kinds.pop()

    first = 0
    while first < shortest and alike([path[first] for path in paths]):
        first += 1
    last = 0
    while last < shortest - first and alike([path[-1 - last] for path in paths]):
        last += 1
    starts: list[list[str | None]] = [[path[at] for path in paths] for at in range(first)]
    middle = ["/".join(path[first : len(path) - last]) or None for path in paths]
    ends: list[list[str | None]] = [[p[at - last] for p in paths] for at in range(last)]
    return [*starts, list(middle), *ends]
