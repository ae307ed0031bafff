"""A page for each public name, made of its docstring, and one that lists all of them.

The names are those of ``src/curvewise/__init__.pyi``, grouped by the folder that they come from, so
that none can be forgotten.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import curvewise
from curvewise.cli import COMMANDS
from docs.building.writing import write_if_changed

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx

__all__ = ["group", "public_names", "setup", "write_pages"]

STUB = Path(curvewise.__file__).with_suffix(".pyi")
# Titles of the groups that are no question; those of questions are their docstrings.
TITLES = {
    "readers": "Reading files and folders",
    "data": "Curves, tasks and runs",
    "reports": "Reports",
    "rendering": "Drawing and tables",
    "inference": "Parts of results, and simulated experiments",
    "describe": "What was found, in words",
    "errors": "Errors",
}


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for pages; link names in docstrings."""
    app.connect("config-inited", lambda app, _: write_pages(Path(app.srcdir)))
    app.connect("autodoc-skip-member", _is_inherited_from_outside)
    app.connect("autodoc-process-signature", _without_fields)
    app.add_role("public", public_role)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def public_names() -> dict[str, str]:
    """Return the public names, each with the module that it comes from."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: statement.module or ""
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


def group(module: str) -> str:
    """Return the folder that a name is listed under: a question, or a layer."""
    layer, _, rest = module.partition(".")
    return rest.partition(".")[0] if layer == "questions" else layer


def write_pages(docs: Path) -> None:
    """Write generated/python: a page for each name, and one that lists them."""
    names = public_names()
    groups: dict[str, list[str]] = {}
    for name, module in names.items():
        groups.setdefault(group(module), []).append(name)
    folder = docs / "generated" / "python"
    lines = [
        "Python names",
        "============",
        "",
        "All of them are attributes of ``curvewise``: ``import curvewise as cw``, then ``cw.compare``.",
        "Other modules may change without notice.",
        "",
    ]
    first = ["readers", "data"]
    last = ["reports", "rendering", "inference", "errors"]
    questions = sorted(set(groups) - {*first, *last}, key=_as_commands)
    for part in [*first, *questions, *last]:
        title = _title(part)
        rows = [
            line
            for name in sorted(groups[part], key=_functions_first)
            for line in (f"   * - :py:obj:`~curvewise.{name}`", f"     - {_summary(name)}")
        ]
        lines += [
            title,
            "-" * len(title),
            "",
            ".. list-table::",
            "   :widths: 30 70",
            "",
            *rows,
            "",
        ]
    lines += [".. toctree::", "   :hidden:", "", *(f"   {name}" for name in sorted(names))]
    write_if_changed(folder / "index.rst", lines)
    for name in names:
        write_if_changed(folder / f"{name}.rst", _page(name))


def _page(name: str) -> list[str]:
    value = getattr(curvewise, name)
    lines = [name, "=" * len(name), "", ".. currentmodule:: curvewise", ""]
    if inspect.isclass(value):
        return [*lines, f".. autoclass:: {name}", "   :members:", "   :inherited-members:"]
    return [*lines, f".. autofunction:: {name}"]


def _as_commands(question: str) -> tuple[int, str]:
    """Sort as the commands are listed, what has no command after them."""
    commands = list(COMMANDS)
    place = commands.index(question) if question in commands else len(commands)
    return place, question


def _title(part: str) -> str:
    if part in TITLES:
        return TITLES[part]
    about = inspect.getdoc(import_module(f"curvewise.questions.{part}")) or ""
    return about.splitlines()[0].rstrip(".")


def _summary(name: str) -> str:
    about = inspect.getdoc(getattr(curvewise, name)) or ""
    return " ".join(about.partition("\n\n")[0].split())


def _functions_first(name: str) -> tuple[bool, bool, str]:
    value = getattr(curvewise, name)
    return inspect.isclass(value), name.startswith("plot_"), name


def _is_inherited_from_outside(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what classes inherit from tuple, Mapping or Exception."""
    # Of a property and the like, the function behind it; of a method in C, its class.
    for behind in ("fget", "func", "__objclass__"):
        member = getattr(member, behind, None) or member
    module = getattr(member, "__module__", None)
    if what == "class" and module is not None and not module.startswith("curvewise"):
        return True
    return None


def _without_fields(
    app: Sphinx, what: str, name: str, member: Any, *others: Any
) -> tuple[str, None] | None:
    """Leave out the arguments of classes that users do not make: their fields are attributes."""
    if is_dataclass(member) and "Parameters\n" not in (member.__doc__ or ""):
        return "", None
    return None


def public_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, **others: Any
) -> tuple[list[Node], list[Node]]:
    """Link a public name, or an attribute of one; show anything else as code."""
    from docutils import nodes
    from sphinx.addnodes import pending_xref

    first, _, attribute = text.partition(".")
    code = nodes.literal(rawtext, text)
    if first in public_names():
        # Fields of data stand in a list of their class, and have no place of their own.
        owned = inspect.getattr_static(getattr(curvewise, first), attribute, None)
        described = inspect.isfunction(owned) or isinstance(
            owned, (property, cached_property, classmethod, staticmethod)
        )
        link = pending_xref(
            rawtext,
            code,
            refdomain="py",
            reftype="obj",
            reftarget=f"curvewise.{text if described else first}",
            refexplicit=True,
            refdoc=inliner.document.settings.env.docname,
        )
        return [link], []
    return [code], []
