"""Makes Documentation/benchmarks.md from what was recorded in Documentation/benchmarks: report [--check]

--check writes nothing, and exits with 1 where the page is another one.
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


def write_page():
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page())


def main():
    if not arguments(__doc__, options={"check": False}).check:
        write_page()
        return
    with open(PAGE, encoding="utf-8") as file:
        if file.read() != page():
            sys.exit(f"{PAGE} is not what the recorded measurements make: run python3 scripts/tools bench.report")


if __name__ == "__main__":
    main()
