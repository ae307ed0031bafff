"""Learning curves of C4.5 from a 20-fold cross validation, as the papers compare them.

Piater, Cohen, Zhang & Atighetchi (1998), appendix: twenty curves, one for each fold, of the
accuracy on that fold. The paper states neither its training sizes nor its coding of chess
squares. Here there are twenty sizes, 5, 10, ... 100 per cent of the other folds, each sample
containing the smaller ones; files and ranks are coded as numbers and as names. Folds are
shuffled, and the training part of each fold is shuffled by a random stream of its own, so
that any fold can be repeated alone. The two kinds of chess curves share folds and samples.

    python -m studies.sources.cross_validation --seed 1998 --date YYYY-MM-DD

rewrites the curves stored in ``studies/data``, in about half a minute.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from curvewise import OptionError
from studies.sources import endgames, krk
from studies.sources.c45 import Domain, learn

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DOMAINS", "STEPS", "domain", "learning_curves", "stored_curves"]

DATA = Path(__file__).parents[1] / "data"
DOMAINS = {
    "chess_numeric": "king-rook-king, moves to mate; files and ranks are numbers",
    "chess_nominal": "king-rook-king, moves to mate; files and ranks are names",
    "tictactoe": "final boards of tic-tac-toe; has x won?",
}
N_FOLDS = 20
STEPS = tuple(range(5, 101, 5))  # per cent of the training part

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def domain(name: str) -> Domain:
    """Return one of the `DOMAINS`."""
    _check(name)
    if name == "tictactoe":
        attributes, classes = endgames.boards()
    else:
        attributes, classes = krk.positions()
    numeric = np.full(attributes.shape[1], name == "chess_numeric")
    return Domain(attributes, classes, numeric)


def learning_curves(
    domain: Domain, rng: np.random.Generator, *, folds: Iterable[int] = range(N_FOLDS)
) -> Floats:
    """Return the accuracies in per cent after each of the `STEPS`; (folds, steps)."""
    n_right, n_tested = _n_right(domain, rng, folds)
    return 100 * n_right / n_tested[:, None]


def stored_curves(name: str) -> Floats:
    """Return the stored curves of a domain, made by `learning_curves`; (20, 20)."""
    _check(name)
    record = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return 100 * np.array(record["n_right"]) / np.array(record["n_tested"])[:, None]


def _check(name: str) -> None:
    if name not in DOMAINS:
        msg = f"The domain must be one of {sorted(DOMAINS)}, not {name!r}."
        raise OptionError(msg)


def _n_right(
    domain: Domain, rng: np.random.Generator, folds: Iterable[int]
) -> tuple[Integers, Integers]:
    """Count the correctly classified objects of each fold after each step."""
    parts = np.array_split(rng.permutation(len(domain)), N_FOLDS)
    streams = rng.spawn(N_FOLDS)
    n_right, n_tested = [], []
    for fold in folds:
        tested = parts[fold]
        training = np.concatenate([*parts[:fold], *parts[fold + 1 :]])
        # Unshuffled, the small samples of all folds would be nearly the same.
        streams[fold].shuffle(training)
        trees = [learn(domain, training[: len(training) * step // 100]) for step in STEPS]
        attributes, classes = domain.attributes[tested], domain.classes[tested]
        n_right.append([(tree.classify(attributes) == classes).sum() for tree in trees])
        n_tested.append(len(tested))
    return np.array(n_right), np.array(n_tested)


def _record(name: str, seed: int, date: str) -> dict[str, object]:
    import numba

    n_right, n_tested = _n_right(domain(name), np.random.default_rng(seed), range(N_FOLDS))
    return {
        "about": f"C4.5, {N_FOLDS}-fold cross validation: objects classified right",
        "domain": DOMAINS[name],
        "made_by": "studies/sources/cross_validation.py",
        "seed": seed,
        "with": f"NumPy {np.__version__}, numba {numba.__version__}",
        "on": date,
        "steps": STEPS,
        "n_tested": n_tested.tolist(),
        "n_right": n_right.tolist(),
    }


def main() -> None:
    """Rewrite the stored curves."""
    parser = argparse.ArgumentParser(description="Store the learning curves of C4.5.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--date", required=True, help="today, for the provenance")
    arguments = parser.parse_args()
    DATA.mkdir(exist_ok=True)
    for name in DOMAINS:
        text = json.dumps(_record(name, arguments.seed, arguments.date), indent=1)
        # One curve per line keeps the file readable.
        text = re.sub(r"\[[\d,\s]+\]", lambda found: re.sub(r"\s+", " ", found[0]), text)
        path = DATA / f"{name}.json"
        path.write_text(f"{text}\n", encoding="utf-8")
        final = stored_curves(name)[:, -1]
        print(f"{path.name}: at the end {final.mean():.1f} per cent are right")


if __name__ == "__main__":
    main()
