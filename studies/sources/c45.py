"""C4.5, the decision tree learner whose learning curves the papers compare.

Quinlan (1993), with the treatment of thresholds of release 8, Quinlan (1996):

- a test on a nominal attribute has a branch for each value; a test on a numeric attribute
  asks whether it exceeds a threshold, which is a value of the training objects;
- among the tests of at least average gain, the one with the highest gain ratio is chosen. At
  least two of its branches must have two objects; both sides of a threshold need a tenth of
  the objects per class, but no less than 2 and no more than 25;
- log₂(distinct values - 1) / objects is subtracted from the gain of a threshold;
- the tree is pruned, with subtree raising, at a confidence of 25 per cent.

Where the book leaves a choice, this follows Quinlan's program (tolerances, the confidence
limit, collapsing useless tests before pruning), with two exceptions. The cost of a threshold
follows the formula of the article, whereas the program counts only thresholds it tried. Of
equally good tests the first is chosen, whatever the rounding. Missing values, weights,
grouped values and attributes with very many values are not supported.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from curvewise import OptionError

__all__ = ["Domain", "Tree", "learn"]

N_VALUES = 256

Integers = npt.NDArray[np.integer]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Domain:
    """Objects to learn from and to classify.

    ``attributes`` (n, n_attributes) and ``classes`` (n,) are integers from 0 to 255;
    ``numeric`` says which attributes are ordered numbers.
    """

    attributes: Integers = field(repr=False)
    classes: Integers = field(repr=False)
    numeric: Booleans

    def __post_init__(self) -> None:
        # The compiled functions index by value without bounds checks and are compiled for
        # one memory layout. Bytes keep all objects in the processor's cache.
        for name in ("attributes", "classes"):
            values = np.asarray(getattr(self, name))
            if values.size and not 0 <= values.min() <= values.max() < N_VALUES:
                msg = (
                    f"The {name} of a domain must be whole numbers from 0 to "
                    f"{N_VALUES - 1}, not {values.min()} to {values.max()}."
                )
                raise OptionError(msg)
            object.__setattr__(self, name, np.ascontiguousarray(values, dtype=np.uint8))
        if self.attributes.shape != (len(self), len(self.numeric)):
            msg = (
                f"Attributes of shape {self.attributes.shape} do not fit {len(self)} classes "
                f"and {len(self.numeric)} attributes said to be numeric or not."
            )
            raise OptionError(msg)

    def __len__(self) -> int:
        return len(self.classes)


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree; each array has an element per node, the root first.

    A node with ``attribute`` -1 is a leaf. Otherwise it tests that attribute and sends an
    object to node ``first_branch`` plus the value if the attribute is nominal, or plus 1 if
    the value exceeds ``threshold``.
    """

    attribute: Integers = field(repr=False)
    threshold: Integers = field(repr=False)  # -1: the attribute is nominal
    first_branch: Integers = field(repr=False)
    n_branches: Integers = field(repr=False)
    label: Integers = field(repr=False)
    estimated_errors: float  # pessimistic estimate for as many new objects

    @property
    def size(self) -> int:
        """The number of nodes, leaves included, without those that were pruned."""
        level, size = np.zeros(1, dtype=np.int64), 0
        while len(level):
            size += len(level)
            tests = level[self.attribute[level] >= 0]
            n_branches = self.n_branches[tests]
            ends = n_branches.cumsum()
            indices = np.arange(n_branches.sum()) - np.repeat(ends - n_branches, n_branches)
            level = np.repeat(self.first_branch[tests], n_branches) + indices
        return size

    def classify(self, attributes: Integers) -> Integers:
        """Return the class of each object."""
        nodes = np.zeros(len(attributes), dtype=np.int64)
        rows = np.arange(len(attributes))
        while len(rows):
            at = nodes[rows]
            rows, at = rows[self.attribute[at] >= 0], at[self.attribute[at] >= 0]
            values = attributes[rows, self.attribute[at]]
            threshold = self.threshold[at]
            branch = np.where(threshold < 0, values, values > threshold)
            nodes[rows] = self.first_branch[at] + branch
        return self.label[nodes]


def learn(domain: Domain, objects: Integers | None = None) -> Tree:
    """Learn a pruned tree from the given rows of a domain, or from all of them."""
    from studies.sources.c45_growing import grow
    from studies.sources.c45_pruning import prune

    rows = np.arange(len(domain)) if objects is None else objects
    grown = grow(domain.attributes, domain.classes, domain.numeric, rows)
    errors = prune(grown, domain.attributes, domain.classes)
    attribute, threshold, first_branch, n_branches, label = grown.nodes.T
    return Tree(attribute, threshold, first_branch, n_branches, label, errors)
