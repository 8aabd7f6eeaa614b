"""Runs a tool: python3 scripts/tools NAME ARGUMENT…

NAME is the path of a module in this folder, with dots: `check.graph` is check/graph.py. Its --help lists its arguments.
"""

import os
import runpy
import sys

if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit("usage: python3 scripts/tools NAME ARGUMENT…   (for example check.graph: scripts/tools/check/graph.py)")
name = sys.argv.pop(1)
sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
runpy.run_module(f"tools.{name}", run_name="__main__", alter_sys=True)
