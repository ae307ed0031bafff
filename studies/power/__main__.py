"""Measure how much the tests find, and write docs/measured-power.md."""

from __future__ import annotations

from studies.measured_page import write_measured_page
from studies.power.page import page_text


def main() -> None:
    """Measure, and write the page."""
    write_measured_page(
        "power", "how much the tests find", page_text, n_sets=300, page="measured-power"
    )


if __name__ == "__main__":
    main()
