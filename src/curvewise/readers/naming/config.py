"""Configurations in files beside logs: params.json, hparams.yaml, Hydra's, and the like."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvewise.data.tables import natural_order
from curvewise.errors import CurvesError, refuse
from curvewise.readers.walk import File
from curvewise.text import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


Setting = str | int | float | bool

MAX_SIZE = 2**22
MAX_DEPTH = 20
MAX_SETTINGS = 5_000
MAX_TEXT = 500
MAX_LIST = 50
# How deep YAML may be nested for the fast loader, which does not check the stack.
MAX_FAST_DEPTH = 500
MAX_SLOW_SIZE = 2**18  # for the other loader, which takes a minute for some MiB
MAX_NODES = 100_000  # of YAML, each as often as aliases and merges repeat it
MAX_BITS = 1_024  # of a whole number: longer ones are no settings, and cannot be printed

# Names without their endings, in the order in which they are trusted.
_STEMS = words(
    """params config variant args hparams hyperparameters hyperparams hyper_params flags
    train_config training_config training_args exp_config experiment_config run_config cfg conf
    settings options arguments parameters model_config"""
)
_ENDINGS = (".json", ".yaml", ".yml", ".toml")
# Folders inside that of a run which hold nothing but its configuration.
_FOLDERS = ("config", "configs", "conf", "files", "cfg")
_HYDRA = ".hydra"
_WANDB_KEYS = {"wandb_version", "_wandb"}
# How Python writes an object without a text of its own, and where it was in memory.
_OBJECT = re.compile(r"<.*>", re.DOTALL)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def is_configuration(name: str) -> bool:
    """Whether a file of this name is a configuration, so that no format takes it for a log.

    >>> is_configuration("hparams.yaml"), is_configuration("metrics.json")
    (True, False)
    """
    stem, dot, ending = name.lower().removesuffix(".gz").rpartition(".")
    return stem in _STEMS and dot + ending in _ENDINGS


class Configurations:
    """The configurations of runs, each file read once.

    Those of folders above a run count as well, up to the root; what is nearer to the run goes
    first. They are read from folders as they are on disk, so that it does not matter whether
    a folder, or only the logs in it, were asked for.

    Parameters
    ----------
    root : Path
        The folder that all runs share.
    taken : collection of Path
        Files that are logs, or parts of them.
    """

    def __init__(self, root: Path, taken: Collection[Path] = ()) -> None:
        self._root = _absolute(root)
        self._taken = {_absolute(path) for path in taken}
        self._known: dict[Path, tuple[dict[str, Setting], list[str]]] = {}

    def of(self, folder: Path, stem: str | None = None) -> tuple[dict[str, Setting], list[str]]:
        """Return the configuration of a run, and notes on files that could not be read.

        Parameters
        ----------
        folder : Path
            That of the run, or the one that holds the file that is the run.
        stem : str, optional
            The name of that file without its ending: ``STEM.yaml`` or ``STEM_config.json``
            beside it is read too.

        Returns
        -------
        settings : dict
            Flat; the names of nested settings are joined by dots.
        notes : list of str
        """
        own = _absolute(folder)
        found = [_of_files(self._files_of_stem(own, stem))] if stem else []
        for above in (own, *own.parents):
            if above not in self._known:
                self._known[above] = _of_files(self._files_of_folder(above))
            found.append(self._known[above])
            if above == self._root or self._root not in above.parents:
                break
        notes = [note for _, said in found for note in said]
        return _first_of([settings for settings, _ in found]), notes

    def _files_of_stem(self, folder: Path, stem: str) -> list[File]:
        names = [stem, *(f"{stem}{sign}{known}" for sign in "_-." for known in _STEMS[:6])]
        paths = [folder / (name + ending) for name in names for ending in _ENDINGS]
        return [File(path) for path in paths if self._is_free(path)]

    def _files_of_folder(self, folder: Path) -> list[File]:
        """Return the configurations in a folder, and in those below it that are its own."""
        hydra = [folder / _HYDRA / name for name in ("config.yaml", "overrides.yaml")]
        files = [File(path) for path in hydra if self._is_free(path)]
        files += self._configurations_in(folder)
        # The zoo of stable-baselines3: CartPole-v1_3/CartPole-v1/args.yml.
        named_after = re.fullmatch(r"(.+)_\d+", folder.name)
        for name in natural_order(_names_in(folder)):
            own = named_after is not None and name == named_after[1]
            if own or name.lower() in _FOLDERS:
                files += self._configurations_in(folder / name)
        return files

    def _configurations_in(self, folder: Path) -> list[File]:
        paths = [folder / name for name in _names_in(folder) if is_configuration(name)]
        found = {File(p).name.lower(): File(p) for p in paths if self._is_free(p)}
        order = [stem + ending for stem in _STEMS for ending in _ENDINGS]
        return [found[name] for name in order if name in found]

    def _is_free(self, path: Path) -> bool:
        return path not in self._taken and os.path.isfile(path)  # noqa: PTH113 (never raises)


def _absolute(path: Path) -> Path:
    """Return a path from the top, without dots; links stay as they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 (names, not paths)
    except OSError:
        return []


def flattened(config: Mapping[Any, Any]) -> dict[str, Setting]:
    """Flatten a nested configuration: names are joined by dots, lists become text.

    What is null is left out, and so is what is nested or listed without end. Where an object
    was in memory is no setting: of ``<function tanh at 0x7f3a>`` the address is left out, and
    what is under the name of an object, as Spinning Up writes it, is under the name above.

    >>> flattened({"optimizer": {"name": "adam", "lr": 0.1}, "layers": [64, 64], "x": None})
    {'optimizer.name': 'adam', 'optimizer.lr': 0.1, 'layers': '[64, 64]'}
    """
    settings: dict[str, Setting] = {}
    for visited, (name, value) in enumerate(_leaves(config, "", 0)):
        if visited >= 10 * MAX_SETTINGS or len(settings) >= MAX_SETTINGS:
            break
        if isinstance(value, bool | int | float) and not _is_huge(value):
            settings[name] = value
        elif isinstance(value, str):
            settings[name] = _ADDRESS.sub("", value[:MAX_TEXT])
        elif value is not None:
            settings[name] = _ADDRESS.sub("", _short_text(value))
    return settings


def _leaves(value: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        yield name, value
    elif depth < MAX_DEPTH:
        for key, inner in value.items():
            own = "" if name and _OBJECT.fullmatch(str(key)) else str(key)
            yield from _leaves(inner, ".".join(filter(None, [name, own])), depth + 1)


def _is_huge(value: Any) -> bool:
    return isinstance(value, int) and value.bit_length() > MAX_BITS


def _short_text(value: Any) -> str:
    """Write a list as text, of a long or deep one only the beginning."""

    def cut(inner: Any, depth: int) -> Any:
        if isinstance(inner, dict):
            inner = list(inner.items())
        if isinstance(inner, list | tuple | set | frozenset):
            if depth == 0:
                return "…"
            return [cut(item, depth - 1) for item in list(inner)[:MAX_LIST]]
        if _is_huge(inner):
            return hex(inner)
        plain = isinstance(inner, bool | int | str) or inner is None
        return inner if plain or (isinstance(inner, float) and math.isfinite(inner)) else str(inner)

    return json.dumps(cut(value, 2), ensure_ascii=False)[:MAX_TEXT]


def _first_of(several: Iterable[dict[str, Setting]]) -> dict[str, Setting]:
    """Put settings together; what several have is as the first of them has it."""
    settings: dict[str, Setting] = {}
    for name, value in (setting for own in several for setting in own.items()):
        settings.setdefault(name, value)
    return settings


def _of_files(files: list[File]) -> tuple[dict[str, Setting], list[str]]:
    found: list[dict[str, Setting]] = []
    notes: list[str] = []
    for file in files:
        try:
            found.append(flattened(_plain(_document(file), file)))
        except (OSError, ValueError, RecursionError, CurvesError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            if isinstance(error, RecursionError):
                reason = "it is nested too deeply"
            what = f"the configuration {file.path.name} cannot be read and was left out"
            notes.append(f"{what} ({reason[:200]})")
    return _first_of(found), notes


def _document(file: File) -> Any:
    content, is_cut = file.content() if file.size <= MAX_SIZE else (b"", False)
    if is_cut:
        refuse("it is cut")
    if max(file.size, len(content)) > MAX_SIZE:
        refuse(f"it is larger than {MAX_SIZE // 2**20} MiB")
    text = content.decode("utf-8-sig")
    if not text.strip():
        return {}
    name = file.name.lower()
    if name.endswith(".json"):
        return json.loads(text)
    if name.endswith(".toml"):
        import tomllib

        return tomllib.loads(text)
    return load_yaml(text)


def _plain(document: Any, file: File) -> Mapping[Any, Any]:
    """Return the settings in a document: W&B's without their wrapping, overrides as settings."""
    if document is None:
        return {}
    if isinstance(document, list) and file.path.parent.name == _HYDRA:
        pairs = (str(item).lstrip("+~").partition("=") for item in document)
        return {key: value for key, _, value in pairs}
    if not isinstance(document, dict):
        refuse("it holds no named settings")
    inner = {key: value for key, value in document.items() if key not in _WANDB_KEYS}
    wrappings = [value for value in inner.values() if isinstance(value, dict)]
    is_wrapped = len(wrappings) == len(inner) > 0 and all("value" in w for w in wrappings)
    if is_wrapped and (len(inner) < len(document) or all("desc" in w for w in wrappings)):
        return {key: value["value"] for key, value in inner.items()}
    return document


def _n_nodes(node: Any, known: dict[int, float]) -> float:
    """Count the nodes below one, each as often as it is there once aliases are followed."""
    if id(node) not in known:
        known[id(node)] = math.inf  # as long as it is inside itself
        below = node.value if isinstance(getattr(node, "value", None), list) else []
        flat = (part for each in below for part in (each if type(each) is tuple else (each,)))
        known[id(node)] = 1 + sum(_n_nodes(part, known) for part in flat)
    return known[id(node)]


def load_yaml(text: str) -> Any:
    """Load YAML without running anything: tags of Python become plain mappings and lists."""
    import yaml

    openings = text.count("[") + text.count("{")
    deepest = max(len(indent) for indent in re.findall(r"^[ \-?:]*", text, re.MULTILINE))
    is_shallow = openings < MAX_FAST_DEPTH and deepest < MAX_FAST_DEPTH
    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    base: Any = fast if is_shallow else yaml.SafeLoader
    if not is_shallow and len(text) > MAX_SLOW_SIZE:
        refuse("it is nested too deeply, or too long, to be settings")

    class Loader(base):  # type: ignore[misc]
        """A safe loader that knows tags it does not act on."""

        def get_single_node(self) -> Any:
            node = super().get_single_node()
            if _n_nodes(node, {}) > MAX_NODES:
                refuse("its aliases repeat more than settings can be")
            return node

    def plain(loader: Any, suffix: str, node: Any) -> Any:
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            items = loader.construct_sequence(node, deep=True)
            if suffix.endswith("OrderedDict") and len(items) == 1:
                return {pair[0]: pair[1] for pair in items[0] if len(pair) == 2}
            return items
        # An object without arguments: its name is what it is, as in !!python/name:torch.tanh.
        value = loader.construct_scalar(node)
        return value or suffix.rpartition(":")[2]

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", plain)
    Loader.add_multi_constructor("!", plain)
    try:
        return yaml.load(text, Loader)  # noqa: S506 (a safe loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        refuse(where + str(getattr(error, "problem", None) or "not YAML"))
    except (TypeError, LookupError, AttributeError, ArithmeticError) as error:
        # A mapping whose key is a list, an OrderedDict of something else, a date that is none.
        refuse(f"not settings: {error}")
