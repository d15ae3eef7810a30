"""Start: the command line when there are arguments, else the window."""

import sys


def main() -> int:
    """Run Poolwright and return its exit status."""
    if len(sys.argv) > 1:
        from poolwright.cli.main import run

        return run(sys.argv[1:])
    from poolwright.ui.application import open_window

    return open_window()


if __name__ == "__main__":
    sys.exit(main())
