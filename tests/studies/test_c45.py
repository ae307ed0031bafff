from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

from curvewise import OptionError
from studies.sources.c45 import Domain, learn
from studies.sources.c45_pruning import upper_errors
from studies.sources.cross_validation import domain, learning_curves

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from studies.sources.c45 import Tree

Integers = npt.NDArray[np.integer]

OUTLOOK, TEMPERATURE, HUMIDITY, WINDY = range(4)
SUNNY, OVERCAST, RAIN = range(3)
# The "golf" data of Quinlan (1993), figure 1-1: outlook, temperature, humidity, windy, play.
GOLF = np.array(
    [
        (SUNNY, 85, 85, 0, 0),
        (SUNNY, 80, 90, 1, 0),
        (OVERCAST, 83, 78, 0, 1),
        (RAIN, 70, 96, 0, 1),
        (RAIN, 68, 80, 0, 1),
        (RAIN, 65, 70, 1, 0),
        (OVERCAST, 64, 65, 1, 1),
        (SUNNY, 72, 95, 0, 0),
        (SUNNY, 69, 70, 0, 1),
        (RAIN, 75, 80, 0, 1),
        (SUNNY, 75, 70, 1, 1),
        (OVERCAST, 72, 90, 1, 1),
        (OVERCAST, 81, 75, 0, 1),
        (RAIN, 71, 80, 1, 0),
    ]
)
NUMERIC = np.array([False, True, True, False])
Drawn = int | tuple[int, int, list["Drawn"]]


def drawn(tree: Tree, node: int = 0) -> Drawn:
    """A leaf as its class, a test as (attribute, threshold, branches)."""
    if tree.attribute[node] < 0:
        return int(tree.label[node])
    first = int(tree.first_branch[node])
    branches = [drawn(tree, first + i) for i in range(tree.n_branches[node])]
    return int(tree.attribute[node]), int(tree.threshold[node]), branches


def binary(rows: Sequence[tuple[int, ...]], *, numeric: bool = False) -> Domain:
    """Objects whose last number is their class."""
    table = np.array(rows)
    return Domain(table[:, :-1], table[:, -1], np.full(table.shape[1] - 1, numeric))


def noise(n: int, seed: int, *, numeric: bool) -> Domain:
    """Attributes that have nothing to do with the class, which is 0 nine times in ten."""
    rng = np.random.default_rng(seed)
    classes = (rng.random(n) < 0.1).astype(np.int64)
    return Domain(rng.integers(0, 4, (n, 5)), classes, np.full(5, numeric))


@pytest.mark.slow
def test_golf_gives_the_published_tree_and_error_estimate() -> None:
    tree = learn(Domain(GOLF[:, :4], GOLF[:, 4], NUMERIC))
    # 75 does not occur among the sunny days; it is the greatest value of all days up to
    # the middle of 70 and 85.
    sunny = (HUMIDITY, 75, [1, 0])
    rain = (WINDY, -1, [1, 0])
    assert drawn(tree) == (OUTLOOK, -1, [sunny, 1, rain])
    assert tree.size == 8
    assert tree.classify(GOLF[:, :4]).tolist() == GOLF[:, 4].tolist()
    # C4.5 prints "Estimate (38.5%)".
    assert round(100 * tree.estimated_errors / len(GOLF), 1) == 38.5


@pytest.mark.parametrize(
    ("n_objects", "n_errors", "rate"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)]
)
def test_error_limits_are_those_of_the_book(n_objects: int, n_errors: int, rate: float) -> None:
    """Quinlan (1993), section 4.2, the worked example."""
    assert round(upper_errors(n_objects, n_errors) / n_objects, 3) == rate


def test_a_limit_grows_with_the_errors_and_shrinks_with_the_objects() -> None:
    rates = np.array([upper_errors(50, e) / 50 for e in range(51)])
    assert (np.diff(rates) > 0).all()
    assert (rates[:-1] > np.arange(50) / 50).all()
    assert upper_errors(500, 50) / 500 < upper_errors(50, 5) / 50


@pytest.mark.slow
@pytest.mark.parametrize("numeric", [False, True])
def test_a_test_needs_two_branches_of_two_objects(numeric: bool) -> None:
    one = [(1, 1)]
    enough = learn(binary([(0, 0)] * 20 + one * 2, numeric=numeric))
    too_few = learn(binary([(0, 0)] * 21 + one, numeric=numeric))
    assert drawn(enough) == (0, 0 if numeric else -1, [0, 1])
    assert drawn(too_few) == 0


@pytest.mark.slow
def test_a_threshold_pays_for_the_values_it_was_chosen_from() -> None:
    classes = [0, 1, 0, 0, 1, 1, 0, 1]
    halves = [(value // 4, label) for value, label in enumerate(classes)]
    # Two values leave no choice: the gain is 1 - .811 bits. Among eight values choosing
    # costs log2(7) / 8 = .351 bits, which is more.
    assert drawn(learn(binary(halves, numeric=True))) == (0, 0, [0, 1])
    assert drawn(learn(binary(list(enumerate(classes)), numeric=True))) == 0


@pytest.mark.slow
def test_gain_ratio_prefers_the_test_of_fewer_branches() -> None:
    # Both separate the classes; the first needs eight branches for it.
    rows = [(i % 8, i % 2, i % 2) for i in range(32)]
    assert drawn(learn(binary(rows))) == (1, -1, [0, 1])


@pytest.mark.slow
def test_of_equal_tests_the_first_is_made() -> None:
    rows = [(i % 2, i % 2, i % 2) for i in range(20)]
    assert drawn(learn(binary(rows))) == (0, -1, [0, 1])


@pytest.mark.slow
@pytest.mark.parametrize("numeric", [False, True])
def test_noise_is_pruned_away(numeric: bool) -> None:
    sizes = [learn(noise(400, seed, numeric=numeric)).size for seed in range(5)]
    assert sizes == [1] * 5


@pytest.mark.slow
def test_what_cannot_be_learned_from_is_refused() -> None:
    with pytest.raises(
        OptionError, match="attributes of a domain must be whole numbers from 0 to 255, not -1"
    ):
        binary([(0, 1), (-1, 0)])
    with pytest.raises(OptionError, match=r"shape \(14, 3\) do not fit 14 classes and 4"):
        Domain(GOLF[:, :3], GOLF[:, 4], NUMERIC)


@pytest.mark.slow
def test_an_empty_branch_has_the_class_of_its_parent() -> None:
    rows = [(0, 0)] * 5 + [(1, 1)] * 8 + [(3, 0)] * 4
    tree = learn(binary(rows))
    assert drawn(tree) == (0, -1, [0, 1, 0, 0])


@dataclass
class Node:
    """A node of the obvious tree."""

    label: int
    test: tuple[int, int] | None = None
    branches: list[Node] = field(default_factory=list)

    def drawn(self) -> Drawn:
        if self.test is None:
            return self.label
        return *self.test, [branch.drawn() for branch in self.branches]


class Obvious:
    """C4.5 the slow way: recursive, object by object, from Quinlan's description."""

    def __init__(self, learned: Domain) -> None:
        self.domain = learned
        self.n_classes = int(learned.classes.max()) + 1
        self.n_raised = 0
        everything = np.arange(len(learned))
        self.root = self.grown(everything, 0)
        self.errors = self.pruned(self.root, everything)

    def entropy(self, values: Integers) -> float:
        shares = np.bincount(values) / len(values)
        return -sum(float(p * np.log2(p)) for p in shares if p)

    def split(self, rows: Integers, test: tuple[int, int]) -> list[Integers]:
        attribute, threshold = test
        values = self.domain.attributes[rows, attribute]
        if threshold >= 0:
            return [rows[values <= threshold], rows[values > threshold]]
        every = range(self.domain.attributes[:, attribute].max() + 1)
        return [rows[values == value] for value in every]

    def gain(self, rows: Integers, parts: list[Integers]) -> float:
        classes = self.domain.classes
        after = sum(len(p) * self.entropy(classes[p]) for p in parts if len(p))
        return self.entropy(classes[rows]) - after / len(rows)

    def candidates(self, rows: Integers) -> list[tuple[float, float, tuple[int, int]]]:
        """Gain, split information and test, for every attribute that allows one."""
        found = []
        least = min(max(0.1 * len(rows) / self.n_classes, 2), 25)
        for attribute, numeric in enumerate(self.domain.numeric):
            tests, cost, least_here = [(attribute, -1)], 0.0, 2.0
            if numeric:
                column = self.domain.attributes[:, attribute]
                here = np.unique(column[rows])
                tests = [
                    (attribute, column[column <= (low + high) / 2].max())
                    for low, high in pairwise(here)
                ]
                cost, least_here = np.log2(max(len(tests), 1)) / len(rows), least
            best = None
            for test in tests:
                parts = self.split(rows, test)
                if sum(len(part) >= least_here for part in parts) < 2:
                    continue
                gain = self.gain(rows, parts) - cost
                if best is None or gain > best[0] + 1e-9:
                    which = np.repeat(range(len(parts)), [len(part) for part in parts])
                    best = gain, self.entropy(which), test
            if best and (best[0] > 0 or not numeric):
                found.append(best)
        return found

    def grown(self, rows: Integers, parents_label: int) -> Node:
        if not len(rows):
            return Node(parents_label)
        counts = np.bincount(self.domain.classes[rows])
        node = Node(int(counts.argmax()))
        candidates = self.candidates(rows)
        if len(rows) < 4 or counts.max() == len(rows) or not candidates:
            return node
        average = np.mean([gain for gain, _, _ in candidates])
        best = -1.0
        for gain, split, test in candidates:
            if gain >= average - 1e-3 and gain / split > best + 1e-9:
                best, node.test = gain / split, test
        assert node.test is not None
        parts = self.split(rows, node.test)
        node.branches = [self.grown(part, node.label) for part in parts]
        if self.wrong(node, rows) >= len(rows) - counts.max():
            node.test = None
        return node

    def wrong(self, node: Node, rows: Integers) -> int:
        if node.test is None:
            return int((self.domain.classes[rows] != node.label).sum())
        parts = zip(node.branches, self.split(rows, node.test), strict=True)
        return sum(self.wrong(branch, part) for branch, part in parts)

    def as_leaf(self, rows: Integers) -> float:
        counts = np.bincount(self.domain.classes[rows])
        return upper_errors(len(rows), len(rows) - int(counts.max()))

    def estimate(self, node: Node, rows: Integers) -> float:
        if not len(rows):
            return 0.0
        if node.test is None:
            return self.as_leaf(rows)
        parts = zip(node.branches, self.split(rows, node.test), strict=True)
        return sum(self.estimate(branch, part) for branch, part in parts)

    def pruned(self, node: Node, rows: Integers) -> float:
        if not len(rows):
            return 0.0
        counts = np.bincount(self.domain.classes[rows], minlength=self.n_classes)
        if counts.max() > counts[node.label]:
            node.label = int(counts.argmax())
        if node.test is None:
            return self.as_leaf(rows)
        parts = self.split(rows, node.test)
        as_tree = sum(map(self.pruned, node.branches, parts))
        sizes = [len(part) for part in parts]
        largest = max(range(len(parts)), key=lambda place: (sizes[place], place))
        as_branch = self.estimate(node.branches[largest], rows)
        if self.as_leaf(rows) <= min(as_branch, as_tree) + 0.1:
            node.test = None
            return self.as_leaf(rows)
        if as_branch <= as_tree + 0.1:
            self.n_raised += 1
            raised = node.branches[largest]
            errors = self.pruned(raised, rows)
            node.label, node.test, node.branches = (raised.label, raised.test, raised.branches)
            return errors
        return as_tree


@pytest.mark.slow
def test_the_compiled_learner_is_the_obvious_one() -> None:
    rng = np.random.default_rng(1993)
    n_raised = n_tests = 0
    for case in range(60):
        attributes = rng.integers(0, rng.integers(2, 7, 4), (120, 4))
        signal = attributes[:, 0] + attributes[:, 1] * attributes[:, 2]
        classes = np.where(rng.random(120) < 0.2, rng.integers(0, 3, 120), signal % 3)
        learned = Domain(attributes, classes, rng.random(4) < case % 3 / 2)
        tree, obvious = learn(learned), Obvious(learned)
        assert drawn(tree) == obvious.root.drawn()
        assert tree.estimated_errors == pytest.approx(obvious.errors)
        n_raised += obvious.n_raised
        n_tests += tree.size > 1
    assert n_raised > 10
    assert n_tests > 40


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "accuracy", "tolerance", "folds"),
    [
        ("chess_numeric", 81, 2, [0, 1]),
        ("chess_nominal", 57, 2, [0, 1]),
        ("tictactoe", 85, 3, range(20)),
    ],
)
def test_the_papers_domains_are_learned_as_well_as_c45_learns_them(
    name: str, accuracy: float, tolerance: float, folds: Iterable[int]
) -> None:
    curves = learning_curves(domain(name), np.random.default_rng(0), folds=folds)
    assert curves[:, -1].mean() == pytest.approx(accuracy, abs=tolerance)
    assert curves[:, 0].mean() < curves[:, 9].mean() < curves[:, 19].mean()
