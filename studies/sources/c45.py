"""C4.5, the decision tree learner whose learning curves the papers compare.

Quinlan (1993), with the treatment of thresholds of release 8, Quinlan (1996):

- a test on a nominal attribute has a branch for each value, one on a numeric attribute
  asks whether it exceeds a threshold, which is a value of the training objects;
- of the tests whose gain is at least average, that of the highest gain ratio is made; at
  least two of its branches must have two objects, and both sides of a threshold a tenth
  of the objects per class, if that is more than 2, up to 25;
- from the gain of a threshold log₂(distinct values - 1) / objects is subtracted;
- the tree is pruned, with subtree raising, at a confidence of 25 per cent.

Where the book leaves a choice, it is that of Quinlan's program (tolerances, the confidence
limit, collapsing useless tests before pruning), with two exceptions: thresholds are charged
by the article's formula, whereas the program counts only those it tried, and of equally
good tests the first is made, whichever way rounding goes. Missing values, weights, grouped
values and attributes of very many values are not treated.
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

    Attributes and classes are small whole numbers from 0 on, (n, n_attributes) and (n,);
    ``numeric`` says which attributes have an order.
    """

    attributes: Integers = field(repr=False)
    classes: Integers = field(repr=False)
    numeric: Booleans

    def __post_init__(self) -> None:
        # Compiled functions look values up without asking, and know one layout of arrays;
        # as bytes, all objects stay near the processor.
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
    """A decision tree; its arrays have an element per node, the root being the first.

    A node tests ``attribute``, unless that is -1, and sends an object to
    ``first_branch`` plus the value, or plus 1 if the value exceeds ``threshold``.
    """

    attribute: Integers = field(repr=False)
    threshold: Integers = field(repr=False)  # -1: the attribute is nominal
    first_branch: Integers = field(repr=False)
    n_branches: Integers = field(repr=False)
    label: Integers = field(repr=False)
    estimated_errors: float  # on as many new objects, pessimistically

    @property
    def size(self) -> int:
        """How many nodes there are, leaves included; cut ones do not count."""
        level, size = np.zeros(1, dtype=np.int64), 0
        while len(level):
            size += len(level)
            tests = level[self.attribute[level] >= 0]
            n_branches = self.n_branches[tests]
            ends = n_branches.cumsum()
            places = np.arange(n_branches.sum()) - np.repeat(
                ends - n_branches, n_branches
            )
            level = np.repeat(self.first_branch[tests], n_branches) + places
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
    """Learn a pruned tree from some objects of a domain, given by their rows, or from all."""
    from studies.sources.c45_growing import grow
    from studies.sources.c45_pruning import prune

    rows = np.arange(len(domain)) if objects is None else objects
    grown = grow(domain.attributes, domain.classes, domain.numeric, rows)
    errors = prune(grown, domain.attributes, domain.classes)
    attribute, threshold, first_branch, n_branches, label = grown.nodes.T
    return Tree(attribute, threshold, first_branch, n_branches, label, errors)
