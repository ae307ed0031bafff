"""Numbers, p-values, steps, lists and names as text; names from data are escaped here."""

from __future__ import annotations

import html
import math
import re
import unicodedata
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text: a short way to write lists of names."""
    return tuple(text.split())


def pairs(text: str) -> dict[str, str]:
    """Return a mapping from every other word of a text to the word after it."""
    found = text.split()
    return dict(zip(found[::2], found[1::2], strict=True))


MIN_SHORT_STEP = 10_000  # steps from here on may end in k, M, G or T

# Whether the reader types flags of the command or arguments of Python.
_names_flags: ContextVar[bool] = ContextVar("names_flags", default=False)
# Flags that are not simply the argument with dashes.
_FLAGS = pairs(
    """n_shuffles --shuffles  n_resamples --resamples  n_splits --splits  n_jobs --jobs
    rng --seed  start --from  stop --to  how --align  n_runs --runs
    n_experiments --experiments  n_algorithms --algorithms  sizes --size  kind --effect
    colours --colour  coefficients --coefficient"""
)
_COMMANDS = pairs(
    "compare_pairs pairs  check_criteria criteria  scan inspect  estimate_power power"
)
# Values that the command calls otherwise.
_VALUES = {("question", "algorithm"): "height", ("question", "interaction"): "shape"}
_SWITCHES = {
    ("exact", True): "--exact",
    ("exact", False): "--sampled",
    ("higher_is_better", False): "--lower-is-better",
    ("higher_is_better", True): "--higher-is-better",
    ("pool", False): "--no-pool",
}


@contextmanager
def naming_flags() -> Iterator[None]:
    """Name options as flags of the command, not as arguments, inside the with block."""
    token = _names_flags.set(True)
    try:
        yield
    finally:
        _names_flags.reset(token)


def argument(name: str, value: object = None) -> str:
    """Write an option as the reader would type it, with a value if one is given.

    >>> argument("n_shuffles"), argument("spread", "unequal"), argument("exact", False)
    ('n_shuffles', 'spread="unequal"', 'exact=False')
    >>> with naming_flags():
    ...     argument("n_shuffles"), argument("spread", "unequal"), argument("exact", False)
    ('--shuffles', '--spread unequal', '--sampled')
    """
    if not _names_flags.get():
        shown = f'"{value}"' if isinstance(value, str) else value
        return name if value is None else f"{name}={shown}"
    if isinstance(value, bool):
        return _SWITCHES.get((name, value), f"--{name.replace('_', '-')}")
    flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
    if isinstance(value, str):
        value = _VALUES.get((name, value), value)
    return flag if value is None else f"{flag} {value}"


def call(function: str, **options: object) -> str:
    """Write a call of a function, or the command that asks the same.

    >>> call("compare_pairs", adjust="max-t")
    'compare_pairs(adjust="max-t")'
    >>> with naming_flags():
    ...     call("compare_pairs", adjust="max-t")
    'curvewise pairs --adjust max-t'
    """
    shown = [argument(name, value) for name, value in options.items()]
    if not _names_flags.get():
        return f"{function}({', '.join(shown)})"
    return " ".join(["curvewise", _COMMANDS.get(function, function), *shown])


def in_python(text: str) -> str:
    """Return what only readers who write Python need to know; nothing for the others."""
    return "" if _names_flags.get() else text


def everything() -> str:
    """Name the place where all of a result is: the method, or the flag."""
    return "--json" if _names_flags.get() else "`to_dict()`"


def did_you_mean(name: str, available: Iterable[str], *, most: int = 20) -> str:
    """Say what there is to choose from, and which of it looks like what was meant.

    >>> did_you_mean("agnet", ["agent", "run"])
    "there are 'agent', 'run'; did you mean 'agent'?"
    """
    names = list(available)
    lowered = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), lowered, n=1)
    hint = f"; did you mean {lowered[close[0]]!r}?" if close else "."
    return f"there are {quoted(names, most)}{hint}" if names else "there are none."


def quoted(names: Sequence[str], most: int = 6) -> str:
    """Write names in quotes, of too many only the first.

    >>> quoted(["A", "B", "C"], most=2)
    "'A', 'B' and 1 more"
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def plural(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> plural(1, "run"), plural(1_200, "run"), plural(2, "batch")
    ('1 run', '1,200 runs', '2 batches')
    """
    ending = "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}{ending}"


def capitalised(text: str) -> str:
    """Begin a sentence: the first letter large, and all others as they are.

    >>> capitalised("run 'x' of 'PPO'")
    "Run 'x' of 'PPO'"
    """
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Write names as a list in a sentence, of too many only the first.

    >>> listed(["A"]), listed(["A", "B", "C"]), listed(["A", "B", "C"], most=2)
    ('A', 'A, B and C', 'A, B and 1 more')
    """
    shown = [printable(name) for name in names[:most]]
    if len(names) > len(shown):
        return f"{', '.join(shown)} and {len(names) - len(shown)} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def percent(share: float) -> str:
    """Write a share, such as a confidence, as a percentage.

    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * share:.6g}%"


def step_text(step: float, least: float = MIN_SHORT_STEP) -> str:
    """Write a step as people do, and never rounded.

    From ``least`` on it ends in k, M, G or T if no more than four digits are left then.

    >>> [step_text(x) for x in (39_000_000.0, 12_500, 9_999_900.0, 8000, 0.05, -math.inf)]
    ['39M', '12.5k', '9999900', '8000', '0.05', '-inf']
    """
    if abs(step) >= least:
        for factor, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
            if abs(step) >= factor:
                shown = f"{step / factor:.4g}"
                if abs(float(shown)) < 1_000 and float(shown) * factor == step:
                    return f"{shown}{letter}"
                break
    return str(int(step)) if float(step).is_integer() else f"{step:.12g}"


def about_step(step: float) -> str:
    """Write a step at which something was found; between logged ones it is rounded.

    >>> about_step(9_999_900.0), about_step(164.338461538), about_step(0.05)
    ('9999900', '164.3', '0.05')
    """
    if float(step).is_integer():
        return step_text(step)
    return f"{step:.4g}" if abs(step) < 1e4 else f"{step:.0f}"


def p_short(pvalue: float) -> str:
    """Write a p-value for a sentence, with two significant digits.

    Where these would round it to a usual level of significance, it has three.

    >>> [p_short(p) for p in (0.69841, 0.0197, 0.00794, 0.000012, 1.0, 0.05, 0.0502)]
    ['0.70', '0.020', '0.0079', '1.2e-05', '1.0', '0.050', '0.0502']
    """
    if pvalue >= 1e-4:
        text = f"{pvalue:#.2g}"
        rounded = float(text) in {0.1, 0.05, 0.01, 0.001} and float(text) != pvalue
        return p_text(pvalue) if rounded else text
    return f"{pvalue:.1e}" if pvalue > 0 else "< 1e-300"


def number_text(value: float) -> str:
    """Write a number with four significant digits, or a digit per power of ten.

    >>> [number_text(x) for x in (1234567.8, 42.4242, -0.012345, 0.0, float("inf"))]
    ['1234568', '42.42', '-0.01235', '0', 'inf']
    """
    if math.isinf(value) or value == 0:
        return f"{value:.0f}"
    size = _power_of_ten(value)
    return f"{value:.3e}" if size > 9 or size < -5 else f"{value:.{max(0, 3 - size)}f}"


def _power_of_ten(value: float) -> int:
    """Return the power of ten of a number as it is written: of 0.99999 it is that of 1.000."""
    return int(f"{value:.3e}".partition("e")[2])


def threshold_text(value: float) -> str:
    """Write a score that was given, or computed, without digits that say nothing.

    >>> [threshold_text(x) for x in (10.0, 17.6432, 0.5, 1234567.8, 0.0)]
    ['10', '17.64', '0.5', '1234568', '0']
    """
    text = number_text(value)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def column_texts(values: Sequence[float | None], decimals: int = 2) -> list[str]:
    """Write a column of numbers with the same decimals throughout.

    The largest has four significant digits, and at least so many decimals. Numbers of which no
    digit would be left are written with a power of ten.

    >>> column_texts([490.6, None, 148848.4]), column_texts([490.6, 148848.4], decimals=0)
    (['490.60', '', '148848.40'], ['491', '148848'])
    """
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(known, default=0.0)
    size = _power_of_ten(largest)
    style = ".4e" if size > 8 or size < -5 else f".{max(decimals, 3 - size)}f"

    def text(value: float | None) -> str:
        if value is None:
            return ""
        if math.isinf(value):
            return number_text(value)
        shown = f"{value:{style}}"
        # What is small beside the others is not 0, unless rounding made it.
        hidden = not float(shown) and abs(value) > 1e-12 * largest
        return f"{value:.1e}" if hidden else shown

    return [text(value) for value in values]


def interval_text(interval: tuple[float, float]) -> str:
    """Write an interval.

    >>> interval_text((0.5, float("inf")))
    '0.5000 to inf'
    """
    low, high = interval
    if low == -math.inf and high == math.inf:
        return "no limits"
    return f"{number_text(low)} to {number_text(high)}"


def p_text(pvalue: float) -> str:
    """Write a p-value with the digits that matter.

    >>> [p_text(p) for p in (0.69841, 0.05, 0.00794, 0.000012, 1.0)]
    ['0.698', '0.0500', '0.00794', '1.2e-05', '1.000']
    """
    if pvalue >= 0.0995:
        return f"{pvalue:.3f}"
    if pvalue >= 1e-4:
        return f"{pvalue:#.3g}"
    return f"{pvalue:.1e}" if pvalue > 0 else "< 1e-300"


def printable(text: str) -> str:
    r"""Spell out control characters, so that a name cannot steer a terminal.

    >>> print(printable("red \x1b[31m"))
    red \x1b[31m
    """
    return "".join(
        character
        if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else character.encode("unicode_escape").decode()
        for character in text
    )


def shortened(name: str, most: int = 40) -> str:
    """Write a name with at most this many characters, control characters spelt out.

    Of a long name both ends are kept, since names tend to differ there.

    >>> shortened("proximal policy optimisation, seed 3", most=15)
    'proxima… seed 3'
    """
    shown = printable(name)
    if len(shown) > most:
        shown = f"{shown[: most // 2]}…{shown[len(shown) - (most - 1) // 2 :]}"
    return shown


def encodable(text: str) -> str:
    r"""Spell out what no encoding has, such as bytes of a file name that are not UTF-8.

    >>> encodable("caf\udce9") == r"caf\udce9"
    True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def shown_value(value: object, most: int = 80) -> str:
    """Write a value as Python does, for a message; a long one is cut.

    >>> shown_value("DQN"), shown_value(10**5000)
    ("'DQN'", 'an int of 16610 bits')
    """
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()  # as a number or a text, not as NumPy's own
    try:
        shown = repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits
        bits = value.bit_length() if isinstance(value, int) else 0
        return f"an int of {bits} bits" if bits else f"a {type(value).__name__}"
    if re.search(r"<.* at 0x[0-9a-f]+>", shown):  # an address says nothing
        return f"a {type(value).__name__}"
    return encodable(shortened(shown, most))


def markdown_text(text: str) -> str:
    """Escape what Markdown, or HTML inside it, would act on."""
    escaped = re.sub(r"([\\`*_{}\[\]<>|#~$])", r"\\\1", printable(text))
    # A name such as "1. base" or "- x" must not begin a list.
    escaped = re.sub(r"^(\d*)([-+.)])(?=\s|$)", r"\1\\\2", escaped)
    return escaped.replace("&", "&amp;")


_LATEX = pairs(
    r"""\ \textbackslash{}  { \{  } \}  $ \$  & \&  % \%  # \#  _ \_  ~ \textasciitilde{}
    ^ \textasciicircum{}  < \textless{}  > \textgreater{}  | \textbar{}  " ''  × $\times$
    ✓ $\surd$  – --  … \ldots{}  − $-$  ± $\pm$  ≤ $\leq$  ≥ $\geq$  → $\to$  ² $^2$
    ω $\omega$  α $\alpha$"""
)


def latex_text(text: str) -> str:
    r"""Escape what LaTeX would act on.

    >>> print(latex_text("A_1 & 50 %"))
    A\_1 \& 50 \%
    """
    escaped = "".join(_LATEX.get(character, character) for character in printable(text))
    # After a row's end, a bracket or star would be taken for an argument of it.
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def html_text(text: str) -> str:
    """Escape what a browser would act on."""
    return html.escape(printable(text))
