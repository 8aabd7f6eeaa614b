"""How every tool takes its arguments: by position, and documented by the first lines of its module."""

import argparse
import sys


class Parser(argparse.ArgumentParser):
    """One that ends with 64 (EX_USAGE of sysexits.h) where it is called in another way, as the scripts do."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


def arguments(words, *names, options=None, **kinds):
    """The arguments of the program, as attributes.

    words: the module's documentation, for --help. names: words that have to be there; one that ends with `*` is a list of what is left.
    kinds: the same with what reads them, `int` for a number. options: by their names, what they take: a type, or False for a switch;
    without one they are None.
    """
    parser = Parser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in (name for name in names if not name.endswith("*")):
        parser.add_argument(name)
    for name, kind in kinds.items():
        parser.add_argument(name, type=kind)
    for name in (name for name in names if name.endswith("*")):
        parser.add_argument(name.removesuffix("*"), nargs="*")
    for name, kind in (options or {}).items():
        if kind is False:
            parser.add_argument(f"--{name}", action="store_true")
        else:
            parser.add_argument(f"--{name}", type=kind)
    return parser.parse_args()
