"""Groups of options: dataclasses whose fields typer sees as options of a command.

``--help`` lists a command's own options first, then each group under its heading.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, get_type_hints

from curvewise.cli.plain_values import PlainCommand
from curvewise.cli.printing import exit_with_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["GroupedCommand", "with_option_groups"]

OWN = "Options"  # the heading of options without a group


class GroupedCommand(PlainCommand):
    """A command whose help lists options group by group."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, the command's own options, and the groups."""
        headings: dict[str, str] = getattr(self.callback, "headings", {})
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], OWN: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            names, text = record
            if parameter.param_type_name == "argument":
                # Its name says what it is; its type is the program's business.
                sections["Arguments"].append((names.partition(" <")[0], text))
            else:
                heading = headings.get(parameter.name or "", OWN)
                sections.setdefault(heading, []).append((names, text))
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose options typer can read, and whose errors are sentences.

    A parameter annotated with a dataclass is a group: typer is shown a parameter for each of
    its fields, and the command is called with the dataclass built from their values. A field
    is annotated as typer wants a parameter, ``Annotated[type, typer.Option(...)]``. The class's
    ``heading`` stands above its options in ``--help``.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: hint for name, hint in hints.items() if is_dataclass(hint)
    }

    @wraps(command)
    def flat(**values: Any) -> None:
        with exit_with_message(command.__name__, as_json=values.get("json", False)):
            built = {
                name: group(
                    **{field.name: values.pop(field.name) for field in fields(group)}
                )
                for name, group in groups.items()
            }
            command(**built, **values)

    parameters = [
        flat_parameter
        for parameter in signature(command).parameters.values()
        for flat_parameter in _flat_parameters(parameter, hints[parameter.name])
    ]
    # Typer asks for both; the command's own would show the groups.
    flat.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    flat.headings = {  # type: ignore[attr-defined]
        field.name: group.heading for group in groups.values() for field in fields(group)
    }
    flat.__annotations__ = {
        parameter.name: parameter.annotation for parameter in parameters
    }
    return flat


def _flat_parameters(parameter: Parameter, hint: Any) -> Iterator[Parameter]:
    """Yield the parameters of a group, or the parameter itself."""
    if not is_dataclass(hint):
        yield parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY)
        return
    hints = get_type_hints(hint, include_extras=True)
    for field in fields(hint):
        yield Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
