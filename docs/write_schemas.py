"""Write docs/schemas: what ``--json`` of every command prints, as JSON schemas."""

from __future__ import annotations

import json
from pathlib import Path

from curvewise.schemas import SCHEMAS, schema_of

PLACE = Path(__file__).parent / "schemas"


def main() -> None:
    """Write a file for each schema, and remove those of schemas that are no more."""
    PLACE.mkdir(exist_ok=True)
    for old in PLACE.glob("*.json"):
        old.unlink()
    for command in SCHEMAS:
        text = json.dumps(schema_of(command), indent=2, ensure_ascii=False)
        (PLACE / f"{command}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
