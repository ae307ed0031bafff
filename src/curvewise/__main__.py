"""Run the command with ``python -m curvewise``."""

from curvewise.cli import main

main()
