"""Grow the decision tree of C4.5: choose the test of each node, and divide its objects.

Quinlan (1993), chapter 2, and Quinlan (1996) for thresholds; compiled. Attributes are small
integers, so objects are counted by value and class instead of being sorted, and entropies
are sums of n log₂ n from a precomputed table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from studies.sources.compiling import compiled

__all__ = [
    "ATTRIBUTE",
    "FIRST_BRANCH",
    "LABEL",
    "N_BRANCHES",
    "THRESHOLD",
    "Grown",
    "count_classes",
    "divide",
    "grow",
    "most_frequent",
]

# Columns of ``nodes``: the attribute tested (-1 in a leaf), the threshold (-1 if nominal), the
# first of the branches, which are adjacent rows, their number, and the most frequent class.
ATTRIBUTE, THRESHOLD, FIRST_BRANCH, N_BRANCHES, LABEL = range(5)

MIN_OBJECTS = 2
MAX_REQUIRED = 25
EPSILON = 1e-3
# Differences up to this are ties, so that rounding does not choose between equal tests.
TIE = 1e-9

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.integer]
Booleans = npt.NDArray[np.bool_]


class Grown(NamedTuple):
    """An unpruned tree; the objects of node i are ``order[starts[i] : stops[i]]``."""

    nodes: Integers
    order: Integers
    starts: Integers
    stops: Integers


def grow(attributes: Integers, classes: Integers, numeric: Booleans, objects: Integers) -> Grown:
    """Return the unpruned tree learned from the rows ``objects``."""
    n_values = attributes.max(axis=0).astype(np.int64) + 1
    n_classes = int(classes.max()) + 1
    occurs = np.zeros((len(numeric), n_values.max()), dtype=np.bool_)
    occurs[np.arange(len(numeric)), attributes[objects]] = True
    n = np.arange(len(objects) + 1.0)
    table = n * np.log2(np.maximum(n, 1))
    # Every test has two branches of two objects or more, which bounds the number of nodes.
    n_branches = np.where(numeric, 2, n_values)
    capacity = 1 + len(objects) // MIN_OBJECTS * int(n_branches.max())
    nodes = np.zeros((capacity, 5), dtype=np.int32)
    order = objects.astype(np.int32)
    starts, stops = _grow(
        nodes, attributes, classes, numeric, n_branches, n_classes, occurs, table, order
    )
    return Grown(nodes[: len(starts)].copy(), order, starts, stops)


@compiled
def _grow(
    nodes: Integers,
    attributes: Integers,
    classes: Integers,
    numeric: Booleans,
    n_branches: Integers,
    n_classes: int,
    occurs: Booleans,
    table: Floats,
    order: Integers,
) -> tuple[Integers, Integers]:
    """Fill ``nodes`` breadth first; return the start and stop of each node's objects."""
    starts = np.zeros(len(nodes), dtype=np.int64)
    stops = np.zeros(len(nodes), dtype=np.int64)
    errors = np.zeros(len(nodes), dtype=np.int64)
    counts = np.zeros((len(numeric), occurs.shape[1], n_classes), dtype=np.int32)
    totals = np.zeros(n_classes, dtype=np.int64)
    buffer = order.copy()
    stops[0] = len(order)
    nodes[0, LABEL] = 0
    n_nodes, node = 1, 0
    while node < n_nodes:
        start, stop, n_here = starts[node], stops[node], stops[node] - starts[node]
        nodes[node, ATTRIBUTE] = -1
        if n_here:  # an empty node keeps the class of its parent
            count_classes(totals, classes, order, start, stop)
            nodes[node, LABEL] = most_frequent(totals, 0)
            errors[node] = n_here - totals[nodes[node, LABEL]]
        if errors[node] and n_here >= 2 * MIN_OBJECTS:
            n_present = _count(counts, attributes, classes, totals, order, start, stop)
            tested, nodes[node, THRESHOLD] = _best_test(
                counts, n_present, n_here, n_classes, numeric, occurs, table
            )
            nodes[node, ATTRIBUTE] = tested
        if nodes[node, ATTRIBUTE] >= 0:
            nodes[node, FIRST_BRANCH] = n_nodes
            nodes[node, N_BRANCHES] = n_branches[tested]
            bounds = divide(nodes[node], attributes, order, buffer, start, stop)
            for branch in range(n_branches[tested]):
                starts[n_nodes], stops[n_nodes] = bounds[branch], bounds[branch + 1]
                nodes[n_nodes, LABEL] = nodes[node, LABEL]
                n_nodes += 1
        node += 1
    _collapse(nodes, errors, n_nodes)
    return starts[:n_nodes].copy(), stops[:n_nodes].copy()


@compiled
def count_classes(
    totals: Integers, classes: Integers, order: Integers, start: int, stop: int
) -> None:
    """Set ``totals`` to the number of objects ``order[start:stop]`` of each class."""
    totals[:] = 0
    for index in range(start, stop):
        totals[classes[order[index]]] += 1


@compiled
def most_frequent(totals: Integers, otherwise: int) -> int:
    """Return the most frequent class, and ``otherwise`` if that is equally frequent."""
    best = otherwise
    for label in range(len(totals)):
        if totals[label] > totals[best]:
            best = label
    return best


@compiled
def _count(
    counts: Integers,
    attributes: Integers,
    classes: Integers,
    totals: Integers,
    order: Integers,
    start: int,
    stop: int,
) -> int:
    """Count objects by attribute, value and class; return how many classes are present.

    Only classes that are present get a column: small nodes have few of them.
    """
    n_attributes, _, n_classes = counts.shape
    indices = np.zeros(n_classes, dtype=np.int64)
    n_present = 0
    for label in range(n_classes):
        if totals[label]:
            indices[label] = n_present
            n_present += 1
    counts[:, :, :n_present] = 0
    for index in range(start, stop):
        row = order[index]
        label = indices[classes[row]]
        for attribute in range(n_attributes):
            counts[attribute, attributes[row, attribute], label] += 1
    return n_present


@compiled
def divide(
    node: Integers, attributes: Integers, order: Integers, buffer: Integers, start: int, stop: int
) -> Integers:
    """Sort the objects ``order[start:stop]`` of a node by branch; return the bounds."""
    attribute, threshold = node[ATTRIBUTE], node[THRESHOLD]
    bounds = np.zeros(node[N_BRANCHES] + 1, dtype=np.int64)
    for index in range(start, stop):
        value = attributes[order[index], attribute]
        branch = value if threshold < 0 else np.int64(value > threshold)
        bounds[branch + 1] += 1
        buffer[index] = order[index]
    bounds[0] = start
    for branch in range(1, len(bounds)):
        bounds[branch] += bounds[branch - 1]
    following = bounds.copy()
    for index in range(start, stop):
        value = attributes[buffer[index], attribute]
        branch = value if threshold < 0 else np.int64(value > threshold)
        order[following[branch]] = buffer[index]
        following[branch] += 1
    return bounds


@compiled
def _best_test(
    counts: Integers,
    n_present: int,
    n_objects: int,
    n_classes: int,
    numeric: Booleans,
    occurs: Booleans,
    table: Floats,
) -> tuple[int, int]:
    """Return the attribute and threshold of the best gain ratio among average or better gains."""
    n_attributes = len(numeric)
    gains = np.zeros(n_attributes)
    splits = np.zeros(n_attributes)
    thresholds = np.full(n_attributes, -1)
    totals = np.zeros(n_present, dtype=np.int64)
    below = np.zeros(n_present, dtype=np.int64)
    before = table[n_objects]
    for label in range(n_present):
        for value in range(counts.shape[1]):
            totals[label] += counts[0, value, label]
        before -= table[totals[label]]
    # Quinlan's program requires more objects on both sides of a threshold in large nodes.
    required = min(max(0.1 * n_objects / n_classes, MIN_OBJECTS), MAX_REQUIRED)
    n_possible, total_gain = 0, 0.0
    for attribute in range(n_attributes):
        by_value = counts[attribute]
        if numeric[attribute]:
            below[:] = 0
            gain, split, threshold = _numeric_test(
                by_value, totals, below, before, required, occurs[attribute], table
            )
            thresholds[attribute] = threshold
        else:
            gain, split = _nominal_test(by_value, n_present, n_objects, before, table)
        gains[attribute], splits[attribute] = gain, split
        if gain >= 0:
            n_possible += 1
            total_gain += gain
    best, best_ratio = -1, -1.0
    for attribute in range(n_attributes):
        fair = gains[attribute] >= total_gain / max(n_possible, 1) - EPSILON
        if gains[attribute] >= 0 and fair and splits[attribute] > EPSILON:
            ratio = gains[attribute] / splits[attribute]
            if ratio > best_ratio + TIE:
                best, best_ratio = attribute, ratio
    return best, thresholds[best]


@compiled
def _nominal_test(
    by_value: Integers, n_present: int, n_objects: int, before: float, table: Floats
) -> tuple[float, float]:
    """Return the gain and split information of a test by value; gain -1 if not allowed."""
    after, split, n_reasonable = 0.0, table[n_objects], 0
    for value in range(len(by_value)):
        n_branch = 0
        for label in range(n_present):
            n_branch += by_value[value, label]
            after -= table[by_value[value, label]]
        after += table[n_branch]
        split -= table[n_branch]
        n_reasonable += n_branch >= MIN_OBJECTS
    if n_reasonable < 2:
        return -1.0, 0.0
    return max(before - after, 0.0) / n_objects, split / n_objects


@compiled
def _numeric_test(
    by_value: Integers,
    totals: Integers,
    below: Integers,
    before: float,
    required: float,
    occurs: Booleans,
    table: Floats,
) -> tuple[float, float, int]:
    """Return the gain and split information of the best threshold, and the threshold.

    ``below`` is a buffer of zeros for the counts by class up to the threshold.
    """
    n_objects = totals.sum()
    best_after, n_best_below, last_below, first_above = np.inf, 0, -1, -1
    n_below, n_distinct = 0, 0
    for value in range(len(by_value)):
        n_value = 0
        for label in range(len(totals)):
            n_value += by_value[value, label]
            below[label] += by_value[value, label]
        if n_value == 0:
            continue
        n_below += n_value
        n_distinct += 1
        if first_above < 0 <= last_below:
            first_above = value
        n_above = n_objects - n_below
        if n_below < required or n_above < required:
            continue
        after = table[n_below] + table[n_above]
        for label in range(len(totals)):
            after -= table[below[label]] + table[totals[label] - below[label]]
        if after < best_after - n_objects * TIE:
            best_after, n_best_below, last_below, first_above = after, n_below, value, -1
    if last_below < 0:
        return -1.0, 0.0, -1
    # Quinlan (1996): the choice of the threshold costs log₂(distinct values - 1) bits.
    gain = (before - best_after - np.log2(n_distinct - 1)) / n_objects
    if gain <= 0:
        return -1.0, 0.0, -1
    # The threshold is the greatest occurring value up to the middle of the gap.
    threshold = (last_below + first_above) // 2
    while not occurs[threshold]:
        threshold -= 1
    split = table[n_objects] - table[n_best_below] - table[n_objects - n_best_below]
    return gain, split / n_objects, threshold


@compiled
def _collapse(nodes: Integers, errors: Integers, n_nodes: int) -> None:
    """Replace tests that classify their objects no better than a leaf by leaves."""
    for node in range(n_nodes - 1, -1, -1):
        if nodes[node, ATTRIBUTE] < 0:
            continue
        below = 0
        for branch in range(nodes[node, N_BRANCHES]):
            below += errors[nodes[node, FIRST_BRANCH] + branch]
        if below >= errors[node]:
            nodes[node, ATTRIBUTE] = -1
        else:
            errors[node] = below
