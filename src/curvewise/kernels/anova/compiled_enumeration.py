"""Every relabelling of two algorithms, counted in compiled code.

A relabelling is a mask of bits, and the left side of formula (2) of `compiled_rule` a sum of
coefficients, one for each pair of runs in the mask. These are rounded to integers, so that sums
of 32 bits, which wrap around, are the same in whatever order they are added up; what is near a
bound is counted again in double precision.

The runs are cut in three, so that a mask has three parts x, y and z. With Q for the sum over
pairs in a part, and a·b for the sum over pairs of a run in a and one in b, the sum is

    (Q(x) + Q(z) + x·z) + x·y + (z·y + Q(y)).

For given x and z the first term is a number, and the others are a row each, over the middle
parts y that complete the number of runs: such y stand side by side, so that a relabelling
costs two additions and no look-up. From one x to the next a single run is put in or taken out
(a Gray code), which changes the rows by a row of its own.
"""

from __future__ import annotations

import numpy as np

from curvewise.kernels.anova.compiled_shuffles import recount
from curvewise.kernels.anova.compiled_signs import LANES, N_FORMS, count_negative
from curvewise.kernels.compiling import OPTIONS, njit
from curvewise.kernels.relabelling.compiled_draws import U, n_bits

__all__ = ["FORM_ROWS", "count_thirds"]

# The statistics counted here. Heights are not: they are counted by halves (`subset_sums`).
FORM_ROWS = (0, 2, 3, 4)


@njit(**OPTIONS)
def _toggle(x, run, forms, by_middle, by_last, own, rows, bases):
    """Put a run into part x, or take it out; return the new x.

    Adds to ``own``, which is Q(x), to ``rows``, x·y, and to ``bases``, in which x·z is.
    """
    bit = 1 << run
    others = x & ~bit
    put_in = others == x
    for form in range(N_FORMS):
        change = np.int64(forms[form, run, run])
        for other in range(len(by_middle)):
            if (others >> other) & 1:
                change += forms[form, run, other]
        own[form] += change if put_in else -change
    middle, last = by_middle[run], by_last[run]
    if put_in:
        for place in range(len(rows)):
            rows[place] += middle[place]
        for place in range(len(bases)):
            bases[place] += last[place]
    else:
        for place in range(len(rows)):
            rows[place] -= middle[place]
        for place in range(len(bases)):
            bases[place] -= last[place]
    return x ^ bit


@njit(**OPTIONS)
def count_thirds(
    first, last, cuts, n_first, names_fixed, forms, by_middle, by_last, last_middle, middle,
    starts, rows, bases, width, coordinates, scale, slopes, bounds,
):  # fmt: skip
    """Count every relabelling whose part x is number ``first`` up to, and without, ``last``.

    ``forms`` has the coefficients of pairs of runs, (N_FORMS, n_runs, n_runs), both of i, j and
    j, i together; ``by_middle`` those of each run of x with all y, ``by_last`` with all z, and
    ``last_middle`` z·y + Q(y) of each z. ``middle`` lists the parts y: those of n runs from
    ``starts[n]`` up to ``starts[n + 1]``, where each begins with a vector of its own and has -1
    for places that are left over. ``rows``, filled with 0, and ``bases``, with Q(z) less the
    bound less the margin, are room for this one call. Sums from 0 up to ``width`` are near
    the bound.

    When ``names_fixed``, the last run is always in the first group, so that of two mirror images
    one is counted. Of heights nothing is counted.
    """
    counts = np.zeros(5, dtype=np.int64)
    cut, cut_2 = cuts
    length, n_last = len(middle), len(last_middle)
    own = np.zeros(N_FORMS, dtype=np.int64)
    base = np.empty(N_FORMS, dtype=np.int32)
    negative = np.zeros(N_FORMS * LANES, dtype=np.int32)
    n_judged = 0
    # Where the parts y of so many runs end, without those places that are left over.
    ends = starts[1:].copy()
    for n_y in range(len(ends)):
        while middle[ends[n_y] - 1] < 0:
            ends[n_y] -= 1
    x, wanted = 0, first ^ (first >> 1)
    for run in range(cut):
        if (wanted >> run) & 1:
            x = _toggle(x, run, forms, by_middle, by_last, own, rows, bases)
    for number in range(first, last):
        if number > first:
            run = 0
            while not (number >> run) & 1:
                run += 1
            x = _toggle(x, run, forms, by_middle, by_last, own, rows, bases)
        n_x = np.int64(n_bits(U(x)))
        # The last run is the highest bit of z: the upper half of them has it.
        for z in range(n_last // 2 if names_fixed else 0, n_last):
            # So many runs y must have to make n_first with x and z.
            n_y = n_first - n_x - np.int64(n_bits(U(z)))
            if n_y < 0 or n_y >= len(ends):
                continue
            for form in range(N_FORMS):
                base[form] = own[form] + bases[form * n_last + z]
            begin, end, others = starts[n_y], ends[n_y], last_middle[z]
            if not count_negative(
                rows, others, (length, begin, end), base, width, negative
            ):
                n_judged += end - begin
                continue
            for start in range(begin, end, LANES):
                stop = min(start + LANES, end)
                if not count_negative(
                    rows, others, (length, start, stop), base, width, negative
                ):
                    n_judged += stop - start
                    continue
                # One by one, and from the coordinates where integers do not decide.
                for place in range(start, stop):
                    near = False
                    for form in range(N_FORMS):
                        at = form * length + place
                        total = np.int32(rows[at] + others[at] + base[form])
                        near |= 0 <= total < width
                    if near:
                        mask = U(x) | (U(middle[place]) << U(cut)) | (U(z) << U(cut_2))
                        recount(mask, coordinates, scale, slopes, bounds, counts)
                        continue
                    for form in range(N_FORMS):
                        at = form * length + place
                        total = np.int32(rows[at] + others[at] + base[form])
                        counts[FORM_ROWS[form]] += total >= 0
        for form in range(N_FORMS):
            for lane in range(LANES):
                counts[FORM_ROWS[form]] -= negative[form * LANES + lane]
        negative[:] = 0
    for form in range(N_FORMS):
        counts[FORM_ROWS[form]] += n_judged
    counts[1] = 0
    return counts
