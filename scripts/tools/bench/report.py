"""Makes Documentation/benchmarks.md, and the three numbers in the README, from the measurements in Documentation/benchmarks.

--check writes nothing, and exits with 1 if a page differs.
"""

import importlib
import json
import os
import sys

from tools.arguments import arguments
from tools.bench.measurement import ROOT
from tools.table import markdown

RECORDED = os.path.join(ROOT, "Documentation/benchmarks")
PAGE = os.path.join(ROOT, "Documentation/benchmarks.md")
README = os.path.join(ROOT, "README.md")
BEGIN, END = "<!-- from Documentation/benchmarks -->\n", "<!-- until here -->\n"
# A sentence, with the cells of a measurement's row.
NUMBERS = [
    ("serving", "bulk, one connection, processor time", "Serving recordings takes {1} of processor time; nginx takes {0}."),
    ("ingest", "ingest of 8 GiB, 100,000 samples", "Taking in a recording of 8 GiB takes {0}."),
    ("views", "ten hours over 8 Mbit/s and 50 ms: to the first picture of the film",
     "Over a link of 8 Mbit/s and 50 ms, the first picture of a recording of ten hours is there after {0}."),
]
HEAD = """# What it costs

Every figure on this page was written by `scripts/bench.sh --record NAME`, which measures on the machine that it runs on: the ratios and
the bounds say more than the times. Each measurement makes what it needs, and removes it. Where a goal is missed, the table says so.

This page is made from the files in [`benchmarks`](benchmarks): change those by measuring, and nothing here by hand.
"""


def section(name, recorded):
    title = importlib.import_module(f"tools.bench.{name}").TITLE
    on, peers = recorded["on"], recorded["peers"]
    rounds = f"{recorded['rounds']} rounds" if recorded["rounds"] > 1 else "one round"
    beside = "".join(f", {peer} {version}" for peer, version in sorted(peers.items()))
    where = (f"`scripts/bench.sh {name}`, {rounds}, {recorded['when']}, {recorded['footage']}: {on['processors']} processors of "
             f"{on['architecture']}, {on['system']}, OpenSSL {on['openssl']}{beside}.")
    tables = "\n\n".join(markdown(table) for table in recorded["tables"])
    return f"## {title}\n\n{recorded['words'].strip()}\n\n{where}\n\n{tables}\n"


def page():
    from tools.bench.measure import NAMES
    sections = []
    for name in NAMES:
        path = f"{RECORDED}/{name}.json"
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                sections.append(section(name, json.load(file)))
    return "\n".join([HEAD, *sections])


def cells(name, what):
    """The cells of a recorded row."""
    with open(f"{RECORDED}/{name}.json", encoding="utf-8") as file:
        return next(row["cells"] for table in json.load(file)["tables"] for row in table["rows"] if row["what"].strip() == what)


def readme(text):
    head, rest = text.split(BEGIN)
    numbers = "".join(f"- {words.format(*cells(name, what))}\n" for name, what, words in NUMBERS)
    return f"{head}{BEGIN}{numbers}{END}{rest.split(END)[1]}"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_page():
    write(PAGE, page())
    write(README, readme(read(README)))


def main():
    if not arguments(__doc__, options={"check": False}).check:
        write_page()
        return
    if read(PAGE) != page() or read(README) != readme(read(README)):
        sys.exit(f"{PAGE} or the README does not match the recorded measurements: run python3 scripts/tools bench.report")


if __name__ == "__main__":
    main()
