"""Measure what common steps and failing runs do, and write docs/alignment.md."""

from __future__ import annotations

from studies.alignment.page import page_text
from studies.measured_page import write_measured_page


def main() -> None:
    """Measure, and write the page."""
    what = "what common steps and failing runs do"
    write_measured_page("alignment", what, page_text, n_sets=1_000)


if __name__ == "__main__":
    main()
