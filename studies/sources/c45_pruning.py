"""Prune the decision tree of C4.5 by a pessimistic estimate of its errors.

Quinlan (1993), chapter 4. Each leaf is charged the errors of an upper confidence limit. A
test is replaced by a leaf, or by its largest branch ("subtree raising"), if the estimate for
that exceeds the estimate for the test by no more than a tenth of an error. This tolerance
and the limit follow Quinlan's program: the exact binomial limit for a leaf without errors,
otherwise an approximation with a normal deviate interpolated from a short table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.sources.c45_growing import (
    ATTRIBUTE,
    FIRST_BRANCH,
    LABEL,
    N_BRANCHES,
    THRESHOLD,
    count_classes,
    divide,
    most_frequent,
)
from studies.sources.compiling import compiled

if TYPE_CHECKING:
    from studies.sources.c45_growing import Floats, Grown, Integers

__all__ = ["prune", "upper_errors"]

CONFIDENCE = 0.25
ERROR_TOLERANCE = 0.1
DEVIATE = float(np.interp(CONFIDENCE, [0.2, 0.4], [0.84, 0.25]))


@compiled
def upper_errors(n_objects: int, n_errors: int) -> float:
    """Return the upper limit of the errors of a leaf on as many new objects.

    >>> rates = [upper_errors(n, e) / n for n, e in [(6, 0), (9, 0), (1, 0), (16, 1)]]
    >>> [round(rate, 3) for rate in rates]  # Quinlan (1993), section 4.2
    [0.206, 0.143, 0.75, 0.157]
    """
    if n_errors == 0:
        return n_objects * (1 - CONFIDENCE ** (1 / n_objects))
    if n_errors + 0.5 >= n_objects:
        return n_errors + 0.67 * (n_objects - n_errors)
    square, middle = DEVIATE**2, n_errors + 0.5
    spread = np.sqrt(square * (middle * (1 - middle / n_objects) + square / 4))
    return n_objects * (middle + square / 2 + spread) / (n_objects + square)


def prune(grown: Grown, attributes: Integers, classes: Integers) -> float:
    """Prune in place; return the estimated errors of the tree."""
    return _prune(*grown, attributes, classes)


@compiled
def _prune(
    nodes: Integers,
    order: Integers,
    starts: Integers,
    stops: Integers,
    attributes: Integers,
    classes: Integers,
) -> float:
    n_nodes, n_classes = len(nodes), 1 + max(classes)
    buffer = order.copy()
    raised = np.zeros(n_nodes, dtype=np.bool_)  # their objects are not yet sorted by branch
    estimates = np.zeros(n_nodes)
    as_leaves = np.zeros(n_nodes)
    counts = np.zeros((n_nodes, n_classes), dtype=np.int32)  # objects by node and class
    n_added = np.zeros(n_nodes, dtype=np.int64)
    # Branches are pruned before their node, so the node lies below them on the stack, marked
    # as done once its branches are pushed. (numba cannot cache recursive functions.)
    stack = np.zeros(2 * n_nodes, dtype=np.int64)
    done = np.zeros(2 * n_nodes, dtype=np.bool_)
    height = 1
    while height:
        height -= 1
        node = stack[height]
        start, stop, first = starts[node], stops[node], nodes[node, FIRST_BRANCH]
        if not done[height]:
            count_classes(counts[node], classes, order, start, stop)
            nodes[node, LABEL] = most_frequent(counts[node], nodes[node, LABEL])
            as_leaves[node] = _as_leaf(counts[node])
            estimates[node] = as_leaves[node]
            if nodes[node, ATTRIBUTE] >= 0:
                done[height] = True
                height += 1
                branches = range(first, first + nodes[node, N_BRANCHES])
                if raised[node]:
                    bounds = divide(nodes[node], attributes, order, buffer, start, stop)
                    for branch in branches:
                        starts[branch] = bounds[branch - first]
                        stops[branch] = bounds[branch - first + 1]
                        raised[branch] = True
                for branch in branches:
                    estimates[branch] = 0.0
                    counts[branch] = 0
                    if starts[branch] < stops[branch]:
                        stack[height] = branch
                        done[height] = False
                        height += 1
            continue

        as_tree, largest = 0.0, first
        for branch in range(first, first + nodes[node, N_BRANCHES]):
            as_tree += estimates[branch]
            if stops[branch] - starts[branch] >= stops[largest] - starts[largest]:
                largest = branch
        others = np.concatenate((order[start : starts[largest]], order[stops[largest] : stop]))
        as_branch = estimates[largest] + _added(
            nodes, largest, attributes, classes, others, counts, estimates, n_added
        )
        if as_leaves[node] <= min(as_branch, as_tree) + ERROR_TOLERANCE:
            nodes[node, ATTRIBUTE] = -1
            estimates[node] = as_leaves[node]
        elif as_branch <= as_tree + ERROR_TOLERANCE:
            # With the objects of the other branches added, it may be pruned further.
            for column in range(nodes.shape[1]):
                nodes[node, column] = nodes[largest, column]
            raised[node] = True
            done[height] = False
            height += 1
        else:
            estimates[node] = as_tree
    return estimates[0]


@compiled
def _as_leaf(totals: Integers) -> float:
    """Return the errors charged to a leaf with the given numbers of objects by class."""
    n_objects = totals.sum()
    return upper_errors(n_objects, n_objects - totals.max()) if n_objects else 0.0


@compiled
def _added(
    nodes: Integers,
    root: int,
    attributes: Integers,
    classes: Integers,
    others: Integers,
    counts: Integers,
    estimates: Floats,
    n_added: Integers,
) -> float:
    """Return the additional errors charged to a tree if the objects ``others`` are added.

    ``n_added`` is a buffer: zero for all nodes, before and after.
    """
    leaves = np.empty(len(others), dtype=np.int64)
    added = 0.0
    for index, row in enumerate(others):
        node = root
        while nodes[node, ATTRIBUTE] >= 0:
            value = attributes[row, nodes[node, ATTRIBUTE]]
            threshold = nodes[node, THRESHOLD]
            branch = value if threshold < 0 else np.int64(value > threshold)
            node = nodes[node, FIRST_BRANCH] + branch
        leaves[index] = node
        if n_added[node] == 0:
            added -= estimates[node]
        n_added[node] += 1
        counts[node, classes[row]] += 1
    for leaf in leaves:
        if n_added[leaf]:
            added += _as_leaf(counts[leaf])
            n_added[leaf] = 0
    for index, row in enumerate(others):
        counts[leaves[index], classes[row]] -= 1
    return added
