"""Runs the named measurements, and writes down the results.

Each measurement runs in its own process, prints its tables, and is written to .build/benchmarks/NAME.json. With --record the
results are also written to Documentation/benchmarks, and Documentation/benchmarks.md is made again from everything there.
"""

import argparse
import importlib
import os
import subprocess
import sys

from tools.arguments import Parser
from tools.bench.measurement import ROOT, fail, say
from tools.bench.report import RECORDED, write_page

NAMES = ["serving", "growth", "client", "far", "stalled", "ingest", "views", "page", "mse", "pacing", "retention", "fleet", "offload"]
# The clients' OpenSSL configuration of a measurement has to be there when its process begins.
CLIENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clients.cnf")


def module(name):
    return importlib.import_module(f"tools.bench.{name}")


def listed():
    width = max(map(len, NAMES))
    return "\n".join(f"  {name:<{width}}  {module(name).TITLE}" for name in NAMES) + f"\n  {'all':<{width}}  these, one after another"


def arguments():
    parser = Parser(
        prog="scripts/bench.sh", formatter_class=argparse.RawDescriptionHelpFormatter, description=f"{__doc__}\nNAME is one of\n{listed()}")
    parser.add_argument("names", nargs="+", metavar="NAME", choices=[*NAMES, "all"])
    parser.add_argument("--rounds", type=int, choices=range(1, 21), metavar="N", help="how often each comparison is measured, from 1 to 20")
    parser.add_argument("--quick", action="store_true", help="runs briefly, only to see that it works")
    parser.add_argument("--folder", default=os.environ.get("TMPDIR", "/tmp"), help="the folder for temporary files: on a disk, not tmpfs")
    parser.add_argument("--record", action="store_true", help="writes the results into Documentation")
    parser.add_argument("--packages", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--footage", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.names = [name for name in NAMES if name in given.names or "all" in given.names]
    # What would be ignored is refused; of several, some may have it.
    if given.rounds and all(module(name).ROUNDS is None for name in given.names):
        parser.error(f"{given.names[0]} has no rounds")
    if given.quick and not any(module(name).HAS_QUICK for name in given.names):
        parser.error(f"{given.names[0]} has no short form")
    if given.record and given.quick:
        parser.error("what is short is not written down")
    return given


def run_one(name, given):
    """Whether it met its goals."""
    measured = module(name)
    rounds = given.rounds or measured.ROUNDS or 1
    if given.quick and not given.rounds and measured.ROUNDS:
        rounds = 1
    written = os.path.join(ROOT, ".build/benchmarks", f"{name}.json")
    os.makedirs(os.path.dirname(written), exist_ok=True)
    if os.path.exists(written):
        os.remove(written)
    command = [
        sys.executable, f"{ROOT}/scripts/tools", f"bench.{name}", given.footage, given.folder, "--rounds", str(rounds), "--json", written,
        *(["--quick"] if given.quick and measured.HAS_QUICK else [])]
    environment = os.environ | ({"OPENSSL_CONF": CLIENTS} if name in ("serving", "growth") else {})
    say(f"measuring: {measured.TITLE}")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment)
    sys.stdout.write(f"{done.stdout.decode()}\n")
    sys.stdout.flush()
    if given.record and os.path.exists(written):
        with open(written, encoding="utf-8") as file, open(f"{RECORDED}/{name}.json", "w", encoding="utf-8") as target:
            target.write(file.read())
    return done.returncode == 0


def main():
    given = arguments()
    if given.packages:
        print(*sorted({package for name in given.names for package in module(name).PACKAGES}))
        return
    if given.record:
        os.makedirs(RECORDED, exist_ok=True)
    failed = [name for name in given.names if not run_one(name, given)]
    if given.record:
        write_page()
    if failed:
        fail(f"{', '.join(failed)}: a goal was missed, or the measurement failed: the reason is above")


if __name__ == "__main__":
    main()
