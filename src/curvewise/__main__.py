"""The command, as ``curvewise`` and as ``python -m curvewise``."""

import os
import signal


def main() -> None:
    """Run the command; while it is still being imported, an interrupt ends it at once."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Nothing was begun yet. Python would show in which import it was.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from curvewise.cli import main as run

    run()


if __name__ == "__main__":
    main()
