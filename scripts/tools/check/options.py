"""Compares Documentation/reference/options.md with the program's own help, or writes it: check.options PROGRAM [--write]."""

import pathlib
import re
import subprocess
import sys

from tools.arguments import arguments

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "Documentation/reference/options.md"
HEAD = """# Options

Every command and every option, as `footage COMMAND --help` shows them. This page is made from the program
(`python3 scripts/tools check.options PROGRAM --write`), and a test compares the two.

A value in brackets is the default.

"""


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def commands(text):
    """Their names, in the program's order."""
    return re.findall(r"^  ([a-z]+)  +\S", text, re.MULTILINE)


def escaped(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def section(name, text):
    lines, parts, options = text.rstrip("\n").splitlines(), [], []
    for line in lines:
        option = re.match(r"  ((?:-\w, )?--?[\w-]+(?: .*?)?)  +(\S.*)$", line)
        if option:
            options.append(f"| `{option[1].strip().replace('|', chr(92) + '|')}` | {escaped(option[2])} |")
        elif line.startswith("usage:") or line.startswith("       "):
            parts.append(f"    {line}")
        elif re.match(r"\S.* {2,}\S", line):
            # A table of verbs.
            parts.append(f"    {line}")
        else:
            parts.append(escaped(line))
    body = re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).strip("\n")
    body = re.sub(r"(?m)^(    .*)\n(?=\S)", r"\1\n\n", body)
    body = re.sub(r"(?m)^(\S.*)\n(?=    )", r"\1\n\n", body)
    table = "| option | meaning |\n|---|---|\n" + "\n".join(options) + "\n" if options else ""
    return f"## footage {name}\n\n{body}\n\n{table}"


def page(program):
    return HEAD + "\n".join(section(name, help_of(program, name)) for name in commands(help_of(program)))


def main():
    given = arguments(__doc__, "program", options={"write": False})
    made = page(given.program)
    if given.write:
        PAGE.write_text(made, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == made:
        return 0
    return f"{PAGE} does not match {given.program}: run python3 scripts/tools check.options {given.program} --write"


if __name__ == "__main__":
    sys.exit(main())
