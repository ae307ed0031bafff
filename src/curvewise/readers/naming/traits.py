"""What runs may differ in: settings, and pieces of the names of folders and files.

``sac_HalfCheetah_s0_2024-05-01`` is a word, a task, a seed and a date. The names at one place
of all runs are taken apart together, so that pieces that belong together stand in one slot.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from curvewise.text import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from curvewise.readers.naming.config import Setting


_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_CLOCK = r"\d{1,2}[-_:.h]?\d{2}(?:[-_:.m]?\d{2}(?:[.,]\d+|[-_]\d{6})?)?"
# Settings people write next to their values: lr0.1, batch_size_32, depth3.
_SETTINGS = (
    "lr|learning_?rate|bs|batch_?size|batch|gamma|alpha|beta|eps|epsilon|tau|lambda|lam|wd|"
    "weight_?decay|dropout|depth|width|hidden|hidden_?size|layers|n_?layers|num_?layers|units|"
    "dim|heads|leaves|momentum|temp|temperature|ent|ent_?coef|clip|k|n_?envs|num_?envs|n_?steps|"
    "buffer|utd|epochs|warmup|noise|n_?estimators|trees|nodes|size"
)
# First words of settings of two words, as in batch_size=32.
_FIRST_WORDS = (
    "batch|learning|env|exp|n|num|hidden|weight|max|min|buffer|train|target|clip|ent|init|model|"
    "run|data|random|total|use|net|policy|value|replay|frame|action|reward"
)
# Tasks of two names, as the DeepMind control suite has them: walker_run, cartpole-swingup.
_DOMAINS = (
    "acrobot|ball_in_cup|cup|cartpole|cheetah|dog|finger|fish|hopper|humanoid|manipulator|"
    "pendulum|point_?mass|quadruped|reacher|stacker|swimmer|walker"
)
_DUTIES = (
    "(?:balance|swingup)(?:[-_]sparse)?|catch|easy|escape|fetch|hard|hop|spin|stand|swim|trot|"
    "turn[-_](?:easy|hard)|upright|walk"
)
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_START = r"(?<![^\W_])"
_END = r"(?![^\W_])"
# What ends a value of key=value: the next key, a date, or a sign between settings.
_VALUE_END = (
    rf"(?=$|[,;&\s\[\]()]|__|[-_](?:(?:{_FIRST_WORDS})_)*[^\W\d_][^\W_]*(?:\.[^\W_]+)*=|"
    r"_\d{4}-\d\d|_\d{8}|(?<=\d)_(?=[A-Za-z]))"
)

_PIECES = re.compile(
    rf"""
    (?P<pair>{_START}(?P<key>(?:(?:{_FIRST_WORDS})_)*[^\W\d_][^\W_]*(?:\.[^\W_]+)*)
        =(?P<value>.+?){_VALUE_END})
    |(?P<date>{_START}(?:
        (?:{_MONTHS})\d{{1,2}}_\d{{2}}-\d{{2}}-\d{{2}}(?:_[^\W_]+(?:\.[^\W_]+)*(?:-\d+)*(?![=]))?
        |\d{{4}}[-_.]\d{{1,2}}[-_.]\d{{1,2}}(?:[T_\s-]{{1,2}}{_CLOCK})?Z?
        |20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[T_-]?\d{{4,6}})?
        |[1-4]\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-_](?:[01]\d|2[0-3])(?:[0-5]\d){{2}}
        |\d{{2}}[-.]\d{{2}}[-.]20\d\d(?:[T_\s-]{{1,2}}{_CLOCK})?
        |\d{{2}}[-:]\d{{2}}[-:]\d{{2}}
        |1[4-9]\d{{8}}(?:\d{{3}})?(?:\.\d+)?
        ){_END})
    |(?P<id>{_START}(?:
        [0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}
        |(?!\d+e\d+{_END})(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{{5,}}
        ){_END})
    |(?P<order>{_START}(?P<counted>[Ss]eed|SEED|[Rr]un|[Tt]rial|[Ff]old|[Rr]ep|[Rr]epeat
        |[Rr]eplicate|[Rr]epetition|[Ss]plit|[Vv]ersion|[Jj]ob|s(?=\d))
        [-_\s\#.]?(?P<place>\d{{1,6}}){_END})
    |(?P<setting>{_START}(?P<name>(?i:{_SETTINGS}))(?P<glue>[-_]?)(?P<number>{_NUMBER}){_END})
    |(?P<task>{_START}(?:
        [A-Z][^\W_]*(?:-[A-Z0-9][^\W_]*)*-v\d+
        |(?i:{_DOMAINS})[-_](?i:{_DUTIES})
        |(?i:cheetah|dog|humanoid|quadruped|walker)[-_](?i:run)
        ){_END})
    |(?P<whole>{_START}(?<!\.){_NUMBER}{_END}(?!\.\d))
    |(?P<word>[^\s_,;\-+()\[\]=&]+(?:(?<=\de)-\d+)?)
    """,
    re.VERBOSE,
)
_CAPITALS = re.compile(r"([A-Z][A-Z0-9]+)-(?=.*[a-z])")
# Tasks that people name without a version.
_TASK_NAMES = words(
    """cartpole acrobot mountaincar mountaincarcontinuous pendulum lunarlander bipedalwalker
    frozenlake frozenlake8x8 taxi cliffwalking blackjack halfcheetah hopper walker walker2d ant
    humanoid humanoidstandup swimmer reacher pusher invertedpendulum inverteddoublependulum cheetah
    quadruped breakout pong seaquest qbert spaceinvaders beamrider enduro asterix freeway
    montezumarevenge mspacman alien amidar assault boxing mnist fashionmnist emnist kmnist cifar10
    cifar100 cifar svhn imagenet imagenet1k tinyimagenet stl10 digits iris celeba coco cityscapes
    caltech101 food101 flowers102 wikitext wikitext2 wikitext103 imdb squad glue sst2 sst5 mnli qnli
    qqp cola mrpc rte wnli stsb boolq agnews yelp trec dbpedia conll2003 shakespeare tinyshakespeare
    tinystories openwebtext enwik8 text8 ptb librispeech cora citeseer pubmed breastcancer
    californiahousing coinrun starpilot bigfish minigrid crafter procgen"""
)
# Folders that are named by what wrote the logs in them: tb, csv_logs.
_LOGGERS = re.compile(
    r"(?:tb|tensorboardx?|tfevents|csv|jsonl?|wandb|mlflow)(?:[-_]?(?:logs?|logger|runs?))?",
    re.IGNORECASE,
)
# The kinds of pieces that are not called as the groups of the pattern are.
_KINDS = {"date": "noise", "id": "noise", "order": "pair", "setting": "pair", "whole": "number"}
# The order of starting: it numbers runs, but says nothing about them.
_COUNTERS = {"version", "job"}
_RUN_WORDS = words("rep repeat replicate repetition")


@dataclass(frozen=True)
class _Piece:
    """A piece of a name: its kind, its text, what it is called, and where it stands."""

    kind: str
    text: str
    start: int
    end: int
    key: str = ""
    value: str = ""


def slots_of(names: Sequence[str | None]) -> list[Trait]:
    """Take names apart; return what stands where, called as the names say, if they do.

    Parameters
    ----------
    names : sequence of str or None
        Those at the same place of all runs.

    Examples
    --------
    >>> [(s.kind, s.name, s.values) for s in slots_of(["double_q_s1", "sarsa_s1"])]
    [('word', '', ('double_q', 'sarsa')), ('pair', 'seed', ('1', '1'))]
    """
    distinct = list(dict.fromkeys(name for name in names if name))
    place = {name: number for number, name in enumerate(distinct)}
    each_once = len(distinct) == sum(bool(name) for name in names)
    found = _distinct_slots(distinct, each_once=each_once) if distinct else []
    rows = [None if not name else place[name] for name in names]

    def spread(values: Names) -> Names:
        return tuple(None if row is None else values[row] for row in rows)

    return [Trait(s.name, s.kind, spread(s.values), spread(s.texts)) for s in found]


def _distinct_slots(names: list[str], *, each_once: bool) -> list[Trait]:
    parts = [name.split("__") for name in names]
    if len(parts[0]) > 1 and len({len(row) for row in parts}) == 1 and all(map(all, parts)):
        return _double_underscores(parts)
    numbered = (each_once and _counted_on(names)) or _stems_and_numbers(names, each_once=each_once)
    return numbered or _columns(names, [_pieces(name) for name in names])


def _double_underscores(parts: list[list[str]]) -> list[Trait]:
    """Take apart names such as CleanRL's ENV__algorithm__seed__time."""
    places = [tuple(column) for column in zip(*parts, strict=True)]
    whole = [all(value.isdecimal() for value in place) for place in places]
    dated = all(kinds_of(value) == ("noise",) for value in places[-1])
    if len(places) == 4 and dated and whole[:3] == [False, False, True]:
        kinds = (("env_id", "task"), ("exp_name", "word"), ("seed", "pair"), ("", "noise"))
        return [Trait(*kind, own, own) for kind, own in zip(kinds, places, strict=True)]
    return [slot for place in places for slot in slots_of(place)]


def _counted_on(names: list[str]) -> list[Trait]:
    """Take apart NAME, NAME_1, NAME_2, as loggers call a folder that is there already."""
    bare = set(names)
    matches = [re.fullmatch(r"(.*[^\d_\-.])[_-](\d+)", name) for name in names]
    found = [
        (match[1], match[2]) if match and match[1] in bare else (name, "0")
        for match, name in zip(matches, names, strict=True)
    ]
    stems, numbers = map(tuple, zip(*found, strict=True))
    if bare.issubset(stems) or not all(map(_are_counted, _numbers_of(stems, numbers))):
        return []
    return [*slots_of(stems), Trait("version", "noise", numbers, numbers)]


def _stems_and_numbers(names: list[str], *, each_once: bool) -> list[Trait]:
    """Take apart stems that all have the same numbers: adagrad_11, momentum_11, adagrad_23 ….

    Whatever a stem means elsewhere, it then names an algorithm. So does one whose numbers are
    glued to it and count: ppo1, ppo2, sac.1, sac.2. Names of several runs each are rather those of
    variants: of them only numbers after one and the same word are taken apart. Stems that share no
    number, such as resnet_18, resnet_34, vgg_11, vgg_16, may be so many models, and stay whole.
    """
    matches = [re.fullmatch(r"(.*[^\W\d_])([-_. ]?)(\d+)", name) for name in names]
    found = [match.groups() for match in matches if match]
    if len(found) < len(names):
        return []
    stems, signs, numbers = map(tuple, zip(*found, strict=True))
    sets = _numbers_of(stems, numbers)
    kinds = {kinds_of(name) for name in names}
    is_glued = "" in signs
    split = [*slots_of(stems), Trait("", "number", numbers, tuple(names) if is_glued else numbers)]
    may_be_run = all(kind[-1] not in {"task", "noise"} for kind in kinds)
    may_be_glued = each_once and kinds <= {("word",), ("pair",)}
    are_stems = len(sets) > 1 < min(map(len, sets)) and max(map(len, numbers)) <= 6
    if are_stems and may_be_run and (may_be_glued or not is_glued):
        if all(own == sets[0] for own in sets):
            return split
        counts = sorted(map(int, numbers))
        is_range = counts == list(range(counts[0], counts[0] + len(counts)))
        if each_once and not is_range and len(set(numbers)) == sum(map(len, sets)):
            return [Trait("", "word", tuple(names), tuple(names))]
    may_count = kinds == {("word",)} and {*signs} <= {"", "."} and (each_once or len(sets) == 1)
    return split if may_count and all(map(_are_counted, sets)) else []


def _numbers_of(stems: Sequence[str], numbers: Sequence[str]) -> list[set[str]]:
    """Return the numbers that each stem has."""
    sets = defaultdict(set)
    for stem, number in zip(stems, numbers, strict=True):
        sets[stem].add(number)
    return list(sets.values())


def _are_counted(numbers: set[str]) -> bool:
    """Whether numbers are 0, 1, 2 … or 1, 2, 3 …, two or more of them."""
    n = len(numbers)
    return n > 1 and {int(number[:10]) for number in numbers} in ({*range(n)}, {*range(1, n + 1)})


_DOT_BEFORE_SEED = re.compile(
    r"\.(?=(?:seed|run|trial|fold|rep)(?:=|[-_]?\d)|s\d+(?![^\W_]))", re.IGNORECASE
)


@lru_cache(maxsize=65536)
def _pieces(name: str) -> tuple[_Piece, ...]:
    """Take one name apart."""
    if _LOGGERS.fullmatch(name):
        return (_Piece("noise", name, 0, len(name)),)
    # dart.seed=5 and dart.s5 are a word and a seed, unlike model.lr=0.1.
    name = _DOT_BEFORE_SEED.sub("_", name)
    pieces: list[_Piece] = []
    for match in _PIECES.finditer(name):
        group, (start, end) = str(match.lastgroup), match.span()
        kind = _KINDS.get(group, group)
        key = match["key"] or (match["counted"] or match["name"] or "").lower()
        value = match["value"] or match["place"] or match["number"] or ""
        if group == "order":
            key = "seed" if key == "s" else "run" if key in _RUN_WORDS else key
            kind = "noise" if key in _COUNTERS else kind
        elif group == "word" and re.sub(r"\W", "", match[0]).lower() in _TASK_NAMES:
            kind = "task"
        elif group == "task" and (capitals := _CAPITALS.match(match[0])):
            # PPO-HalfCheetah-v4: what is written in capitals before the task is not part of it.
            pieces.append(_Piece("word", capitals[1], start, start + len(capitals[1])))
            start += capitals.end()
        pieces.append(_Piece(kind, name[start:end], start, end, key, value))
    return tuple(_with_long_tasks(name, pieces))


def _with_long_tasks(name: str, pieces: list[_Piece]) -> list[_Piece]:
    """Put together pieces that name a task only together: fashion-mnist, cifar-10."""
    found: list[_Piece] = []
    for piece in pieces:
        if found and piece.kind in {"word", "task", "number"}:
            before, between = found[-1], name[found[-1].end : piece.start]
            both = re.sub(r"[\W_]", "", before.text + piece.text).lower()
            # sst_2, but not cifar_10, whose number may be that of a run.
            is_apart = piece.kind == "number" and before.kind == "task"
            joins = between == "-" or (between in {"_", " "} and not is_apart)
            if joins and before.kind in {"word", "task"} and both in _TASK_NAMES:
                text = name[before.start : piece.end]
                found[-1] = _Piece("task", text, before.start, piece.end)
                continue
        found.append(piece)
    return found


def kinds_of(name: str) -> tuple[str, ...]:
    """Return the kinds of the pieces of one name, as in `Trait.kind`."""
    return tuple(piece.kind for piece in _pieces(name))


def _columns(names: list[str], rows: Sequence[Sequence[_Piece]]) -> list[Trait]:
    """Put the pieces of names side by side, from both ends if their numbers differ."""
    first = _aligned(rows)
    if len({len(row) for row in rows}) == 1 and first == len(rows[0]):
        last = 0
    else:
        first = _aligned(rows, constant_words=True)
        shortest = min(map(len, rows)) - first
        last = min(shortest, _aligned([row[::-1] for row in rows], constant_words=True))
        if first and rows[0][first - 1].kind == "word":
            # ppo and ppo_tuned: a name is whole where another goes on.
            first -= any(len(row) == first + last for row in rows)
    slots = _side_by_side(names, [row[:first] for row in rows])
    if last or first < max(map(len, rows)):
        middle = _between(names, [row[first : len(row) - last] for row in rows])
        slots.append(Trait("", "word", middle, middle))
    return slots + _side_by_side(names, [row[len(row) - last :] for row in rows])


def _aligned(rows: Sequence[Sequence[_Piece]], *, constant_words: bool = False) -> int:
    """Return how many pieces from the start are of the same kind in all names."""
    shortest = min(map(len, rows))
    for place in range(shortest):
        pieces = [row[place] for row in rows]
        if len({(piece.kind, piece.key) for piece in pieces}) > 1:
            return place
        if constant_words and pieces[0].kind == "word" and len({p.text for p in pieces}) > 1:
            return place
    return shortest


def _between(names: list[str], rows: Sequence[Sequence[_Piece]]) -> Names:
    """Return what is written from the first piece to the last, with brackets that it opens."""
    found: list[str | None] = []
    for name, pieces in zip(names, rows, strict=True):
        start, end = (pieces[0].start, pieces[-1].end) if pieces else (0, 0)
        for opening, closing in ("()", "[]"):
            is_open = name.count(opening, start, end) > name.count(closing, start, end)
            end += is_open and name.startswith(closing, end)
        found.append(name[start:end] if pieces else None)
    return tuple(found)


def _side_by_side(names: list[str], rows: Sequence[Sequence[_Piece]]) -> list[Trait]:
    """Make a slot of each place; words side by side that vary are one."""
    slots: list[Trait] = []
    place = 0
    while place < len(rows[0]):
        piece = rows[0][place]
        after = place + 1
        if piece.kind == "word":
            while after < len(rows[0]) and rows[0][after].kind == "word":
                after += 1
            words = range(place, after)
            varying = [at for at in words if len({row[at].text for row in rows}) > 1] or words
            whole = _between(names, [row[varying[0] : varying[-1] + 1] for row in rows])
            slots.append(Trait("", "word", whole, whole))
        else:
            texts = tuple(row[place].text for row in rows)
            values = tuple(row[place].value or row[place].text for row in rows)
            slots.append(Trait(_key(rows, place), piece.kind, values, texts))
        place = after
    return slots


def _key(rows: Sequence[Sequence[_Piece]], place: int) -> str:
    """Return what a piece is called; a number, by the word before it in all names."""
    if rows[0][place].kind != "number" or place == 0 or rows[0][place - 1].kind != "word":
        return rows[0][place].key
    before = {row[place - 1].text for row in rows}
    return before.pop().lower() if len(before) == 1 else ""


Codes = npt.NDArray[np.intp]
Names = tuple[str | None, ...]

# Where traits from inside a store stand: after all parts of the path.
AFTER_PATH = 10_000

_SEEDS = words("seed random_seed rng_seed rng random_state global_seed manual_seed base_seed seeds")
_RUNS = words(
    """run run_id run_number run_idx trial fold cv_fold rep repeat replicate repetition split_id
    fold_id"""
)
_TASKS = words(
    """env_id env_name environment_name environment env game env_key task task_name task_id dataset
    dataset_name data_set benchmark domain domain_name level level_name"""
)
_INNER_NAMES = words("name id type kind _target_ class class_name _name_")
# Settings that name an algorithm, the most telling first.
_TELLING = words(
    """algorithm algo algorithm_name algo_name alg agent agent_name method method_name variant
    optimizer optim opt optimizer_name model model_name architecture arch net network backbone
    base_model model_id model_name_or_path policy condition treatment strategy exp_name
    experiment_name experiment exp study name group run_group run_name display_name job_name
    trial_name loss lr learning_rate"""
)
# Those before are names; then numbers.
_N_NAMING = _TELLING.index("loss")
# Where runs are kept together, as in a folder.
_CONTAINERS = words("experiment experiment_name exp study group run_group")
# Names that people or tools compose of several facts, one for each run.
_JOINED_NAMES = words(
    """name run_name exp_name experiment_name display_name runname run_group group tag title
    task_name trial_name job_name"""
)
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
        "setting" for one of the configuration; else "word", "number", "pair" (a key and its
        value), "task", or "noise": dates, ids, hosts, the order of starting.
    values : tuple of str or None
        One for each run; None where a name has nothing there.
    texts : tuple of str or None
        The values as they are to be shown, with their key if it is written there.
    place : int
        Which part of the path it comes from, from 0; those inside a store come after; -1 for
        the configuration.
    """

    name: str
    kind: str
    values: Names
    texts: Names
    place: int = -1

    @cached_property
    def codes(self) -> Codes:
        """The values as integers, one for each distinct value; no value is a value too."""
        numbers = {value: number for number, value in enumerate(dict.fromkeys(self.values))}
        return np.array([numbers[value] for value in self.values], np.intp)

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
    def is_number_setting(self) -> bool:
        """Whether it is a setting whose values are numbers."""
        number = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
        known = (value for value in self.values if value is not None)
        return self.kind in {"setting", "pair"} and all(map(number.fullmatch, known))

    @cached_property
    def role(self) -> str:
        """What it can be: "seed", "run", "task", "noise", "length", or "" for an algorithm."""
        if self.kind not in {"setting", "pair"}:
            return self.kind if self.kind in {"noise", "task"} else ""
        known = [value for value in set(self.values) if value is not None]
        if self.key in _SEEDS:
            return "seed"
        if self.key in _RUNS:
            return "run" if all(len(value) < 12 for value in known) else "noise"
        if self.key in _TASKS:
            return "task"
        if self.key in _TELLING[:_N_NAMING]:
            return ""
        if _CIRCUMSTANCES.fullmatch(self.key) or self.name.lower().split(".")[0] in _TOOLS:
            return "noise"
        if all(re.match(r"(?:/|~/|\./|\.\./|[A-Za-z]:\\|[a-z]+://)", value) for value in known):
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
        if in_path and self.key not in _TELLING:
            return (1 if self.kind == "word" else 2), 0, in_path, self.name
        telling = _TELLING.index(self.key) if self.key in _TELLING else len(_TELLING)
        return (0 if telling < _N_NAMING else 2), telling, in_path, self.name

    @property
    def is_joined_name(self) -> bool:
        """Whether it is a name that people or tools give to runs, or a piece of one."""
        return self.place > AFTER_PATH or (self.kind == "setting" and self.key in _JOINED_NAMES)

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
    def shown(self) -> Names:
        """The values as names of algorithms."""
        if self.names_algorithms or self.kind == "word":
            return self.values
        last = self.name.rpartition(".")[2]
        key = f"{last}=" if self.kind in {"setting", "pair"} else ""
        return tuple(
            value if value is None else text if text and text != value else f"{key}{value}"
            for value, text in zip(self.values, self.texts, strict=True)
        )


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


def codes_of(values: Names) -> Codes:
    """Return values as integers, one for each distinct value."""
    return Trait("", "", values, values).codes


def n_groups(first: Codes, *others: Trait | Codes) -> int:
    """Return how many combinations of values there are."""
    return len(np.unique(joint([first, *others], len(first))))


def value_text(value: Setting | None) -> str | None:
    """Write a setting as text: the same for equal numbers; None stays what it is.

    >>> [value_text(v) for v in (True, 1, 1.0, 0.001, "adam")]
    ['true', '1', '1', '0.001', 'adam']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return None if value is None else str(value)


def traits_of(clues: Sequence[Clues]) -> list[Trait]:
    """Return all traits of runs: of the configuration, then of the path from its start.

    Parts of the path are called ``path1``, ``path2`` …; pieces of a part ``path2.1`` and so
    on, unless the names say what they are, as in ``lr=0.1``.
    """
    settings = _settings(clues)
    seeds = {trait.codes.tobytes() for trait in settings if trait.role == "seed"}
    composed: list[Trait] = []
    for trait in list(settings):
        if not trait.is_joined_name or len(clues) == 1 or trait.role:
            continue
        pieces = _traits_in(trait.values, trait.name, AFTER_PATH + 1)
        if trait.n_values == len(clues):
            composed += pieces
        elif trait.varies:
            # ppo_s1 on each task: of the whole name every seed would be an algorithm. Nor is
            # fold_3 of each model one.
            is_run = len(pieces) == 1 and pieces[0].role in {"seed", "run"}
            if is_run or any(piece.codes.tobytes() in seeds for piece in pieces):
                composed += pieces
                settings.remove(trait)
    path: list[Trait] = []
    for place, column in enumerate(_parts([c.path for c in clues])):
        path += _traits_in(column, f"path{place + 1}", place)
    keys = _traits_in([clue.key or None for clue in clues], "key", AFTER_PATH)
    return settings + path + keys + composed


def _settings(clues: Sequence[Clues]) -> list[Trait]:
    places: dict[str, int] = {}
    for clue in clues:
        for place, name in enumerate(clue.config):
            places[name] = min(place, places.get(name, place))
    traits = []
    # In the order of the configurations, whichever run comes first.
    for name in sorted(places, key=lambda name: (places[name], name)):
        column = [clue.config.get(name) for clue in clues]
        # Most settings are the same for all runs, and are written as text once.
        is_constant = all(value == column[0] for value in column)
        texts = [value_text(value) for value in column[: 1 if is_constant else None]]
        values = tuple(texts) * (len(column) // len(texts))
        traits.append(Trait(name, "setting", values, values))
    return traits


def _traits_in(names: Sequence[str | None], called: str, place: int) -> list[Trait]:
    """Return what stands where in names; what these do not call is called after their place."""
    slots, traits = slots_of(names), []
    for number, slot in enumerate(slots, 1):
        # A number at the end of a word is written with the word, as the whole name.
        is_whole = len(slots) == 1 or (slot.kind == "number" and slot.texts != slot.values)
        own = "" if slot.kind == "number" else slot.name
        name = own or (called if is_whole else f"{called}.{number}")
        traits.append(replace(slot, name=name, place=place))
    return traits


def _parts(paths: list[tuple[str, ...]]) -> list[list[str | None]]:
    """Put the parts of paths side by side; where depths differ, from both ends."""
    shortest = min(map(len, paths))
    if shortest == max(map(len, paths)):
        return [list(column) for column in zip(*paths, strict=True)]

    def alike(parts: list[str]) -> bool:
        kinds = {kinds_of(part) for part in parts}
        return len(set(parts)) == 1 or (len(kinds) == 1 and "word" not in kinds.pop())

    first = last = 0
    while first < shortest and alike([path[first] for path in paths]):
        first += 1
    while last < shortest - first and alike([path[-1 - last] for path in paths]):
        last += 1
    rows = [
        (*path[:first], "/".join(path[first : len(path) - last]) or None, *path[len(path) - last :])
        for path in paths
    ]
    return [list(column) for column in zip(*rows, strict=True)]
