"""Names of folders and files taken apart: what varies between runs, and what it may mean.

``sac_HalfCheetah_s0_2024-05-01`` is a word, a task, a seed and a date. The names at one place
of all runs are taken apart together, so that pieces that belong together stand in one slot.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Slot", "kinds_of", "slots_of", "words"]


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text: a short way to write lists of names."""
    return tuple(text.split())


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
_TASKS = words(
    "cartpole acrobot mountaincar mountaincarcontinuous pendulum lunarlander "
    "bipedalwalker frozenlake frozenlake8x8 taxi cliffwalking blackjack halfcheetah "
    "hopper walker walker2d ant humanoid humanoidstandup swimmer reacher pusher "
    "invertedpendulum inverteddoublependulum cheetah quadruped breakout pong seaquest "
    "qbert spaceinvaders beamrider enduro asterix freeway montezumarevenge mspacman "
    "alien amidar assault boxing mnist fashionmnist emnist kmnist cifar10 cifar100 "
    "cifar svhn imagenet imagenet1k tinyimagenet stl10 digits iris celeba coco "
    "cityscapes caltech101 food101 flowers102 wikitext wikitext2 wikitext103 imdb squad "
    "glue sst2 sst5 mnli qnli qqp cola mrpc rte wnli stsb boolq agnews yelp trec dbpedia "
    "conll2003 shakespeare tinyshakespeare tinystories openwebtext enwik8 text8 ptb "
    "librispeech cora citeseer pubmed breastcancer californiahousing coinrun starpilot "
    "bigfish minigrid crafter procgen"
)
# Folders that are named by what wrote the logs in them: tb, csv_logs.
_LOGGERS = re.compile(
    r"(?:tb|tensorboardx?|tfevents|csv|jsonl?|wandb|mlflow)(?:[-_]?(?:logs?|logger|runs?))?",
    re.IGNORECASE,
)
# The order of starting: it numbers runs, but says nothing about them.
_COUNTERS = {"version", "job"}
_RUNS = {"rep", "repeat", "replicate", "repetition"}


@dataclass(frozen=True)
class _Piece:
    """A piece of a name: its kind, its text, what it is called, and where it stands."""

    kind: str
    text: str
    start: int
    end: int
    key: str = ""
    value: str = ""


@dataclass(frozen=True)
class Slot:
    """What stands at one place of the names of all runs.

    Attributes
    ----------
    kind : str
        "word", "number", "pair" (a key and its value), "task", or "noise": dates, ids, hosts,
        the order of starting.
    key : str
        What it is called, where the names say so.
    values : tuple of str or None
        One for each run; None where a name has nothing there.
    texts : tuple of str or None
        The values as they are written, with their key if it is written there.
    """

    kind: str
    key: str
    values: tuple[str | None, ...]
    texts: tuple[str | None, ...]


def slots_of(names: Sequence[str | None]) -> list[Slot]:
    """Take names apart; return what stands where.

    Parameters
    ----------
    names : sequence of str or None
        Those at the same place of all runs.

    Examples
    --------
    >>> [(s.kind, s.key, s.values) for s in slots_of(["double_q_s1", "sarsa_s1"])]
    [('word', '', ('double_q', 'sarsa')), ('pair', 'seed', ('1', '1'))]
    """
    distinct = list(dict.fromkeys(name for name in names if name))
    place = {name: number for number, name in enumerate(distinct)}
    each_once = len(distinct) == sum(bool(name) for name in names)
    found = _distinct_slots(distinct, each_once=each_once) if distinct else []
    rows = [None if not name else place[name] for name in names]

    def spread(values: tuple[str | None, ...]) -> tuple[str | None, ...]:
        return tuple(None if row is None else values[row] for row in rows)

    return [Slot(s.kind, s.key, spread(s.values), spread(s.texts)) for s in found]


def _distinct_slots(names: list[str], *, each_once: bool) -> list[Slot]:
    parts = [name.split("__") for name in names]
    if (
        len(parts[0]) > 1
        and len({len(row) for row in parts}) == 1
        and all(map(all, parts))
    ):
        return _double_underscores(parts)
    counted = _counted(names, each_once=each_once)
    return counted or _columns(names, _with_hashes([list(_pieces(n)) for n in names]))


def _with_hashes(rows: list[list[_Piece]]) -> list[list[_Piece]]:
    """Take 77469 for a hash, too, where 8709c stands in other names."""
    if len({len(row) for row in rows}) > 1:
        return rows
    for place in range(len(rows[0])):
        pieces = [row[place] for row in rows]
        is_hash = len({len(piece.text) for piece in pieces}) == 1 and all(
            re.fullmatch("[0-9a-f]{5,}", piece.text) for piece in pieces
        )
        if is_hash and any(piece.kind == "noise" for piece in pieces):
            for row in rows:
                row[place] = replace(row[place], kind="noise", key="", value="")
    return rows


def _double_underscores(parts: list[list[str]]) -> list[Slot]:
    """Take apart names such as CleanRL's ENV__algorithm__seed__time."""
    places = [tuple(column) for column in zip(*parts, strict=True)]
    if len(places) >= 3:
        whole = [all(value.isdecimal() for value in place) for place in places]
        dated = all(kinds_of(value) == ("noise",) for value in places[-1])
        if len(places) == 4 and whole[2] and dated and not whole[0] and not whole[1]:
            task, algorithm, seed, time = places
            return [
                Slot("task", "env_id", task, task),
                Slot("word", "exp_name", algorithm, algorithm),
                Slot("pair", "seed", seed, seed),
                Slot("noise", "", time, time),
            ]
    return [slot for place in places for slot in slots_of(place)]


def _counted(names: list[str], *, each_once: bool) -> list[Slot]:
    """Take apart NAME, NAME_1, NAME_2, or ppo1, ppo2, sac.1, sac.2; nothing for other names.

    Names of several runs each are rather those of variants: of them only numbers after one
    and the same word are taken apart.
    """
    bare = set(names)
    matches = [re.fullmatch(r"(.*[^\d_\-.])[_-](\d+)", name) for name in names]
    matches = [match if match and match[1] in bare else None for match in matches]
    stems = [
        match[1] if match else name for match, name in zip(matches, names, strict=True)
    ]
    numbers = tuple(match[2] if match else "0" for match in matches)
    if each_once and any(matches) and _is_counted(stems, numbers):
        return [*slots_of(stems), Slot("noise", "version", numbers, numbers)]
    glued = [re.fullmatch(r"(.*[^\W\d_])\.?(\d+)", name) for name in names]
    stems = [match[1] for match in glued if match]
    numbers = tuple(match[2] for match in glued if match)
    if len(stems) < len(names) or not (each_once or len(set(stems)) == 1):
        return []
    if all(kinds_of(name) == ("word",) for name in names) and _is_counted(stems, numbers):
        return [*slots_of(stems), Slot("number", "", numbers, tuple(names))]
    return []


def _is_counted(stems: Sequence[str], numbers: Sequence[str]) -> bool:
    """Whether the numbers of each stem are 0, 1, 2 … or 1, 2, 3 …, two or more of them."""
    counts = defaultdict(list)
    for stem, number in zip(stems, numbers, strict=True):
        counts[stem].append(int(number) if len(number) < 10 else -1)
    return all(
        len(found) > 1
        and sorted(found) in (list(range(len(found))), list(range(1, len(found) + 1)))
        for found in counts.values()
    )


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
        kind, text = match.lastgroup or "", match[0]
        start, end = match.span()
        if match["pair"]:
            piece = _Piece("pair", text, start, end, match["key"], match["value"])
        elif match["date"] or match["id"]:
            piece = _Piece("noise", text, start, end)
        elif match["order"]:
            key = match["counted"].lower()
            key = "seed" if key == "s" else "run" if key in _RUNS else key
            kind = "noise" if key in _COUNTERS else "pair"
            piece = _Piece(kind, text, start, end, key, match["place"])
        elif match["setting"]:
            piece = _Piece(
                "pair", text, start, end, match["name"].lower(), match["number"]
            )
        elif match["task"]:
            # PPO-HalfCheetah-v4: what is written in capitals before the task is not part of it.
            capitals = _CAPITALS.match(text)
            if capitals:
                pieces.append(
                    _Piece("word", capitals[1], start, start + len(capitals[1]))
                )
                start += capitals.end()
            piece = _Piece("task", name[start:end], start, end)
        elif match["whole"]:
            piece = _Piece("number", text, start, end)
        elif re.sub(r"\W", "", text).lower() in _TASKS:
            piece = _Piece("task", text, start, end)
        else:
            piece = _Piece("word", text, start, end)
        pieces.append(piece)
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
            if joins and before.kind in {"word", "task"} and both in _TASKS:
                text = name[before.start : piece.end]
                found[-1] = _Piece("task", text, before.start, piece.end)
                continue
        found.append(piece)
    return found


def kinds_of(name: str) -> tuple[str, ...]:
    """Return the kinds of the pieces of one name, as in `Slot.kind`."""
    return tuple(piece.kind for piece in _pieces(name))


def _columns(names: list[str], rows: list[list[_Piece]]) -> list[Slot]:
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
        middle = [
            _between(name, row[first : len(row) - last])
            for name, row in zip(names, rows, strict=True)
        ]
        slots.append(Slot("word", "", tuple(middle), tuple(middle)))
    return slots + _side_by_side(names, [row[len(row) - last :] for row in rows])


def _aligned(rows: list[list[_Piece]], *, constant_words: bool = False) -> int:
    """Return how many pieces from the start are of the same kind in all names."""
    shortest = min(map(len, rows))
    for place in range(shortest):
        pieces = [row[place] for row in rows]
        if len({(piece.kind, piece.key) for piece in pieces}) > 1:
            return place
        if (
            constant_words
            and pieces[0].kind == "word"
            and len({p.text for p in pieces}) > 1
        ):
            return place
    return shortest


def _between(name: str, pieces: list[_Piece]) -> str | None:
    """Return what is written from the first piece to the last, with brackets that it opens."""
    if not pieces:
        return None
    start, end = pieces[0].start, pieces[-1].end
    for opening, closing in ("()", "[]"):
        is_open = name.count(opening, start, end) > name.count(closing, start, end)
        end += is_open and name.startswith(closing, end)
    return name[start:end]


def _side_by_side(names: list[str], rows: list[list[_Piece]]) -> list[Slot]:
    """Make a slot of each place; words side by side that vary are one."""
    slots: list[Slot] = []
    place = 0
    while place < len(rows[0]):
        piece = rows[0][place]
        after = place + 1
        if piece.kind == "word":
            while after < len(rows[0]) and rows[0][after].kind == "word":
                after += 1
            varying = [
                at
                for at in range(place, after)
                if len({row[at].text for row in rows}) > 1
            ] or [place, after - 1]
            texts = tuple(
                _between(name, row[varying[0] : varying[-1] + 1])
                for name, row in zip(names, rows, strict=True)
            )
            slots.append(Slot("word", "", texts, texts))
        else:
            texts = tuple(row[place].text for row in rows)
            values = tuple(row[place].value or row[place].text for row in rows)
            slots.append(Slot(piece.kind, _key(rows, place), values, texts))
        place = after
    return slots


def _key(rows: list[list[_Piece]], place: int) -> str:
    """Return what a piece is called; a number, by the word before it in all names."""
    piece = rows[0][place]
    if piece.kind != "number" or place == 0 or rows[0][place - 1].kind != "word":
        return piece.key
    words = {row[place - 1].text for row in rows}
    return words.pop().lower() if len(words) == 1 else ""
