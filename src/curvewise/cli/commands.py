"""Commands that read, ask one question, and print: a function each."""

from __future__ import annotations

import json as json_format
import sys
import webbrowser
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

import curvewise
from curvewise.cli.command import (
    CurveOutput,
    Output,
    Reading,
    Shuffling,
    Simulating,
    asks,
    check_stated,
    named_numbers,
    numbers_of,
    typed_options,
)
from curvewise.cli.terminal import chosen_style, note, print_json, progress, save_plots, show
from curvewise.errors import MissingPackageError, refuse
from curvewise.rendering.figures import check_figure_path
from curvewise.text import did_you_mean, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.questions.transfer.result import Transfer, Transfers


Window = tuple[float, float]
# The options of `monitor` that are the same at every look.
PLAN = words("seed n_batches batch_size spending alpha n_shuffles")


@asks("scan")
def inspect(
    paths: tuple[Path, ...], *, json: bool = False, markdown: bool = False, **asked: Any
) -> None:
    """Which runs, algorithms, tasks and metrics are in PATH?

    What cannot be read is listed as well. Formats are recognised by what files hold.
    Algorithms, runs and tasks are inferred from configurations and paths; the first lines say
    from what, and --group-by, --run-by and --task overrule it.

    Example: curvewise inspect runs/

    Parameters
    ----------
    paths
        A table (CSV, TSV, Parquet, JSON lines, NPZ), or training logs: folders, files, patterns.
    json
        Print what was found as JSON, and nothing else.
    markdown
        Print Markdown.
    """
    style = chosen_style(json=json, markdown=markdown)
    with progress("reading"):
        found = curvewise.scan(paths, **asked)
    if style == "json":
        print_json(found.to_dict())
    else:
        show([found], style)


@asks("overview")
def compare(reading: Reading, shuffling: Shuffling, output: CurveOutput, **asked: Any) -> None:
    """Do the curves in PATH differ, in height or in shape?

    PATH is a folder of training logs, or a table with one row per run and step (long form),
    or one row per run and a column per step (wide form). What is what in it is recognised,
    and said. Whole curves are shuffled among the algorithms, so no assumption is made about
    how scores along a curve depend on each other.

    If the curves differ overall, a line after the verdict says where and, with more than
    two algorithms, another says which may be the best.

    Examples: curvewise compare runs/ --metric eval/mean_reward;
    curvewise compare runs.csv --only DQN --only Rainbow --plot figure.png
    """
    curves = reading.curves()
    with shuffling.working():
        found = curvewise.overview(curves, **asked, **shuffling.options)
    output.tell(found.comparison, curves=curves, lines=found.lines(), record=found.to_dict())


@asks("locate", without="windows")
def locate(
    reading: Reading,
    shuffling: Shuffling,
    output: CurveOutput,
    *,
    window: Window | None = None,
    plot_windows: Path | None = None,
    **asked: Any,
) -> None:
    """At which steps do the curves in PATH differ?

    Also from when at the latest, until when, and in which windows. Every p allows for all the
    steps, or windows, that were looked at. What is said follows the test at each step, and
    does not wait for the overall test of compare. --from and --to cut the curves before
    anything is tested; --window asks about a part of what is left.

    Example: curvewise locate runs.csv --only DQN --only Rainbow --plot where.png

    Parameters
    ----------
    window
        Ask about this window of steps: do the curves differ somewhere in it, on average over it,
        and does the gap change within it? Each p allows for having chosen it by looking.
    plot_windows
        Save a map of p over all windows.
    """
    if plot_windows is not None:
        check_figure_path(plot_windows)  # before any work is done
    curves = reading.curves()
    if window is not None:
        curves.window(*window)  # raises for a window without steps, before any work
    with shuffling.working():
        found = curvewise.locate(curves, **asked, **shuffling.options)
    lines: dict[str, str] = {}
    record: dict[str, Any] = {}
    if window is not None:
        from curvewise.questions.locate.tell import window_line

        tested = found.window(*window)
        lines["Window"] = window_line(tested, found.sampling)
        record["window"] = tested.to_dict()
    output.save(found, curves)
    if plot_windows is not None:
        save_plots({plot_windows: lambda: curvewise.plot_window_maps(found)})
    output.show(found, lines=lines, record=record)
    if plot_windows is not None:
        note(f"Figure saved as {plot_windows}")


@asks("compare_pairs")
def pairs(
    reading: Reading, shuffling: Shuffling, output: Output, *, alpha: float, **asked: Any
) -> None:
    """Which algorithms in PATH differ, and which may be the best?

    Every pair is compared on its own curves, in height and in shape, and p is adjusted for
    the number of pairs. The algorithm with the best mean is compared with each of the
    others. --checkpoint FILE keeps the counts of the best in FILE.best.

    Example: curvewise pairs runs.csv --adjust holm --plot pairs.png
    """
    curves = reading.curves()
    with shuffling.working():
        found = curvewise.compare_pairs(curves, alpha=alpha, **asked, **shuffling.options)
        adjust: Any = "bonferroni" if found.adjust == "holm" else found.adjust
        best = curvewise.best(curves, adjust=adjust, alpha=alpha, **shuffling.options_of_best)
    output.tell(found, best, curves=curves, record={"best": best.to_dict()})


@asks("contrast", without="weights")
def contrast(
    reading: Reading,
    shuffling: Shuffling,
    output: Output,
    *,
    coefficients: Annotated[tuple[str, ...], "-c", "--coefficient", "NAME=NUMBER"],
    over: Literal["mean", "trend", "area"] = "mean",
    window: Window | None = None,
    **asked: Any,
) -> None:
    """Is a weighted sum of algorithms in PATH different from zero?

    Example: curvewise contrast runs.csv -c Rainbow=1 -c DQN=-0.5 -c C51=-0.5

    Parameters
    ----------
    coefficients
        Coefficient of an algorithm; repeat for each. They sum to 0.
    over
        What is taken of each curve: its mean, its slope, or the area under it.
    window
        Take the mean over these steps only.
    """
    numbers: dict[str, float] = {}
    for text in coefficients:
        read = named_numbers([text])
        if not isinstance(read, dict):
            msg = f"{text!r} is not a coefficient; write NAME=NUMBER, such as DQN=-0.5."
            raise click.BadParameter(msg)
        numbers |= read
    if len(numbers) < len(coefficients):
        refuse("An algorithm is given twice; give each algorithm one coefficient.", "coefficients")
    weights: Any = None if over == "mean" else over
    if window is not None:
        if weights is not None:
            text = f"--window is for the mean; for the {over} of some steps use --from and --to."
            refuse(text, "window")
        weights = ("window", *window)
    curves = reading.curves()
    with shuffling.working():
        found = curvewise.contrast(curves, numbers, weights=weights, **asked, **shuffling.options)
    output.tell(found, curves=curves)


@asks("transfer")
def transfer(
    reading: Reading,
    shuffling: Shuffling,
    output: Output,
    *,
    optimum: Annotated[tuple[str, ...], "SCORE"] = (),
    **asked: Any,
) -> None:
    """How much does one condition in PATH gain on another?

    Nine learning-comparison metrics, each with an interval, a p-value and a sentence that
    says what it means; the one to quote is marked. With --task COLUMN each task is measured by
    itself.

    Example: curvewise transfer runs.csv --control scratch --experimental pretrained

    Parameters
    ----------
    optimum
        The best possible score; with --task also TASK=SCORE, repeated.
    """
    optima = named_numbers(optimum) if optimum else None
    task = reading.asked["task"]
    if optimum and (optima is None or (isinstance(optima, dict) and task is None)):
        msg = "--optimum must be a score or, with --task, TASK=SCORE for each task."
        raise click.BadParameter(msg)
    if asked["window"] is not None and asked["until_asymptote"] is not None:
        refuse("--window and --until-asymptote both end the window; choose one.", "window")
    options: dict[str, Any] = {"optimum": optima, **asked, **shuffling.options}
    if not reading.asked["only"]:
        # The runs of others shall not decide at which steps these two are compared.
        only = [asked["control"], asked["experimental"]]
        reading = replace(reading, asked={**reading.asked, "only": only})
    curves: Curves | None = None
    found: Transfer | Transfers
    tasks: Mapping[str, Curves] = {} if task is None else reading.tables(curvewise.read_tasks)
    if len(tasks) > 1:
        with shuffling.working():
            found = curvewise.transfer_many(tasks, **options)
    else:
        curves = next(iter(tasks.values()), None) or reading.curves()
        with shuffling.working():
            found = curvewise.transfer(curves, **options)
    output.tell(found, curves=curves)


@asks("check_criteria")
def criteria(output: Output, *, criterion: str | None = None, rng: int = 0) -> None:
    """Which learning-comparison metric meets which of ten criteria?

    The criteria are those of Gorski & Laird (2009). The figure shows the curves that decide
    a criterion or, when none is named, those that decide otherwise than the paper.

    Parameters
    ----------
    criterion
        One of them: defined, consistent, meaningful, unitless, distinguishing, independent,
        parameter-free, similar, degenerate, testable.
    """
    from curvewise.questions.criteria.ask import CRITERIA

    if criterion is not None and criterion.lower() not in CRITERIA:
        close = did_you_mean(criterion, CRITERIA)
        refuse(f"No criterion is called {criterion!r}; {close}", "criterion")
    found = curvewise.check_criteria(rng=rng)
    if criterion is not None:
        found = found.select(criterion)
    output.tell(found)


@asks("estimate_power", without="effect sizes")
def power(
    reading: Reading,
    simulating: Simulating,
    output: Output,
    *,
    n_runs: Annotated[tuple[str, ...], "N,N,…"] = (),
) -> None:
    """How often would an experiment find a difference?

    Experiments are simulated from the spread of the pilot runs in PATH, and tested as by
    curvewise compare. --size takes several sizes, joined by commas, as --runs does.

    Example: curvewise power pilots.csv --effect lift --size 2 --unit sd --runs 5,10,20

    Parameters
    ----------
    n_runs
        Runs of each algorithm, joined by commas, or repeated.  [default: 5,10,20]
    """
    # What is no whole number is refused by name, with the others.
    numbers: list[Any] = [
        int(number) if number.is_integer() else number
        for number in numbers_of("runs", n_runs or ["5,10,20"])
    ]
    options = simulating.options
    curves = reading.curves()
    with progress("simulating"):
        found = curvewise.estimate_power(curves, n_runs=numbers, sizes=simulating.sizes, **options)
    output.tell(found)


@asks("plan")
def plan(
    reading: Reading,
    simulating: Simulating,
    output: Output,
    *,
    question: Literal["height", "shape", "overall"] = "height",
    **asked: Any,
) -> None:
    """How many runs does it take to find a difference?

    Experiments whose runs vary as the pilot runs in PATH are simulated with more runs, or
    fewer, until curvewise compare would claim it in enough of them.

    Example: curvewise plan pilots.csv --effect lift --size 300 --plot plan.png

    Parameters
    ----------
    question
        Which difference compare is to claim: in height, in shape, or any (overall).
    """
    from curvewise.inference.result import EFFECTS

    if len(simulating.sizes or []) > 1:
        refuse("--size must be one number here; 'curvewise power' takes several.", "size")
    options = simulating.options
    effect = next(name for name, words in EFFECTS.items() if words.noun == question)
    curves = reading.curves()
    with progress("simulating"):
        found = curvewise.plan(curves, question=effect, **asked, **options)
    output.tell(found)


@asks("calibrate", without="algorithm")
def calibrate(reading: Reading, output: Output, *, rng: int = 0, **asked: Any) -> None:
    """How often would common tests cry wolf on the runs in PATH?

    The runs of each algorithm are split in two halves at random, as if they were two
    algorithms, and tested: by the conventional F test, and by t-tests at every step, of the
    final score and of the area. There is no difference to find. --only NAME takes one algorithm.

    Example: curvewise calibrate runs.csv --only PPO
    """
    curves = reading.curves()
    with progress("splitting"):
        found = curvewise.calibrate(curves, rng=rng, **asked)
    output.tell(found, curves=curves)


@dataclass(frozen=True, kw_only=True)
class BatchReading(Reading):
    """What is read; the blocks of the curves are their batches.

    Parameters
    ----------
    block
        Column, or key of the configuration, with the batch of each run. Batches come in the
        order of their names: 2 before 10, dates as they follow.
    """

    block: Annotated[str | None, "--batch", "COL"] = None

    @property
    def selection(self) -> dict[str, Any]:
        """The arguments of read()."""
        return {**super().selection, "block": self.block}


@asks("scenario monitor", without="on batch")
def monitor(
    reading: BatchReading,
    output: Output,
    *,
    seed: int | None = None,
    effect: Annotated[str | None, "KIND"] = None,
    size: float | None = None,
    plan_file: Path | None = None,
    **asked: Any,
) -> None:
    """May I stop, or do the algorithms in PATH need more runs?

    Runs come in batches, with a look after each; PATH has all runs so far. The plan (batches,
    their size, spending, alpha, shuffles, seed) is fixed before the first look, and the same at
    every look.

    Example: curvewise monitor runs.csv --batch week --n-batches 5 --batch-size 4 --seed 1
    --plan-file plan.json, and later curvewise monitor runs.csv --batch week --plan-file plan.json

    Parameters
    ----------
    seed
        What relabellings are drawn from; the same at every look.  [required, unless --plan-file
        has it]
    effect
        The smallest difference worth finding: lift, stretch, speed, or a, b, c, d (the papers'
        modifications). Where it has little chance to be found, stopping is advised.
    size
        Its size; with --effect.
    plan_file
        Write the plan to this file at the first look, and take it from there at later ones;
        another one is refused.
    """
    from curvewise.questions.monitor.ask import known_plan

    check_stated(effect, size)
    unit = asked.pop("unit")
    if effect is not None and size is not None:
        asked["effect"] = curvewise.scenario(effect, size, unit=unit)
    asked["seed"] = seed
    # What is not typed is in the file of earlier looks.
    known = {} if plan_file is None else known_plan(plan_file)
    asked |= {name: known[name] for name in PLAN if name in known and name not in typed_options()}
    if asked["seed"] is None:
        msg = "Give one at the first look; at later ones it must be the same."
        raise click.BadParameter(msg, param_hint="'--seed'")
    curves = reading.curves()
    with progress("shuffling"):
        found = curvewise.monitor(curves, plan_file=plan_file, **asked)
    output.tell(found, curves=curves)


def schema(command: str | None = None) -> None:
    """Print the JSON schema of what a command prints with --json.

    Without a command, list the schemas. They are of draft 2020-12. The first key of what --json
    prints, "schema", names the one that describes it.

    Example: curvewise schema compare > compare.schema.json

    Parameters
    ----------
    command
        Whose --json; error: the line on standard error if there is no result.
    """
    from curvewise.schemas import SAME_AS, SCHEMAS, schema_name, schema_of

    known = {**SCHEMAS, **SAME_AS}
    if command is None:
        click.echo("\n".join(f"{name:<10} {schema_name(name)}" for name in known))
    elif command not in known:
        refuse(f"There is no schema of {command!r}; {did_you_mean(command, known)}", "")
    else:
        click.echo(json_format.dumps(schema_of(command), indent=2, ensure_ascii=False))


@dataclass(frozen=True, kw_only=True)
class DemoOutput(CurveOutput):
    """How the result is printed, with a figure in any case.

    Parameters
    ----------
    plot
        Where to save the figure.
    """

    plot: Path | None = Path("curvewise-demo.png")

    def __post_init__(self) -> None:
        try:
            super().__post_init__()
        except MissingPackageError as error:
            note(f"Without its figure. {error}")
            object.__setattr__(self, "plot", None)


@asks("overview", whole=False)
def demo(output: DemoOutput, *, report: bool = False, rng: int = 0) -> None:
    """Compare embedded curves: a verdict, a table, a figure.

    They are of TD(0) learning tic-tac-toe with three learning rates.

    Parameters
    ----------
    report
        Write a report to explore, curvewise-demo.html, and show it in the browser.
    """
    curves = curvewise.load_example("tictactoe")
    if report:
        _write_report(curves, rng)
    found = curvewise.overview(curves, rng=rng)
    output.tell(found.comparison, curves=curves, lines=found.lines(), record=found.to_dict())
    note("On your own curves: curvewise compare PATH  (curvewise compare --help)")
    terminal = output.printed == "terminal"
    asks_for_it = "Explore it as a report in the browser?"
    if terminal and not report and _can_show() and click.confirm(asks_for_it, True, err=True):
        _write_report(curves, rng)


def _write_report(curves: Curves, seed: int) -> None:
    from curvewise.cli.report import ReportFile
    from curvewise.reports.ask import ask

    file = ReportFile(
        output=Path("curvewise-demo.html"), open_it=True, asked={"step_name": "games"}
    )
    results = ask({"": curves}, {"rng": seed}, windows=[""])
    title = "Three learning rates of TD(0) on tic-tac-toe"
    made = {"Command": "curvewise demo --report"}
    file.write(curves, *results, title=title, made=made)


def _can_show() -> bool:
    """Tell whether a person sits at a terminal that has a browser beside it."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return False
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    # Of just this class are those that show pages in the terminal itself.
    return type(browser) is not webbrowser.GenericBrowser
