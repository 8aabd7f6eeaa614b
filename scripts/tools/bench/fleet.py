"""A server of many robots on a large index: 1,000,000 recordings of 200 robots, filled through the index's own insertion, before a
store that does not answer.

A page's time is the median of 200 questions over one connection.
"""

import json
import os
import statistics
import subprocess
import sys
import time

from tools.bench.measurement import MB, fail, run, say
from tools.table import at_most

TITLE = "A server of many robots"
PACKAGES = []
ROUNDS = None
HAS_QUICK = False

COUNT = 1_000_000
PAGES = 200
CASES = [
    ("a page of all robots", "/recordings?limit=100"), ("a page in the middle", "/recordings?limit=100&after={middle}"),
    ("a page of a robot", "/recordings?limit=100&robot=robot7"), ("a page of a camera", "/recordings?limit=100&camera=robot7:front"),
    ("a page of ready ones", "/recordings?limit=100&state=ready"), ("the cameras", "/cameras"),
    ("the cameras of a robot", "/cameras?robot=robot7"), ("an item", "/recordings/{first}.json"),
    ("a camera's day", "/cameras/robot7:front.json?from=1700000000&to=1700086400"),
]


def measure(scene):
    filler = os.path.join(os.path.dirname(scene.footage), "FleetBenchmark")
    if not os.access(filler, os.X_OK):
        fail(f"there is no {filler}: FOOTAGE_BENCH=1 swift build -c release --product FleetBenchmark makes it")
    scene.certificates("--name", "localhost")
    index = f"{scene.path('state')}/fleet.sqlite"
    say("filling the index")
    began = time.monotonic()
    subprocess.run([filler, index, f"{scene.folder}/robots", str(COUNT)], stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
    table = scene.table(f"{COUNT:,} recordings of 200 robots")
    table.row("filling the index", (time.monotonic() - began, "s"))
    table.row("its size on the disk", (os.path.getsize(index) / MB, "MB"))
    key = f"{scene.folder}/key"
    with open(key, "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write("nobody\nnothing\n")
    began = time.monotonic()
    with scene.serve(None, "--store", "http://127.0.0.1:9/bucket", "--store-key", key, "--robots", f"{scene.folder}/robots",
                     "--log-level", "error") as server:
        page = json.loads(server.get("/recordings?limit=100"))
        table.row("from the start to the first page", ((time.monotonic() - began) * 1000, "ms"), goal=at_most(1000))
        names = {"first": page["recordings"][0]["name"], "middle": page["next"]}
        for _ in range(50):
            names["middle"] = json.loads(server.get(f"/recordings?limit=1000&after={names['middle']}"))["next"] or names["middle"]
        for words, target in CASES:
            times = []
            for _ in range(PAGES):
                started = time.monotonic()
                server.get(target.format_map(names))
                times.append((time.monotonic() - started) * 1000)
            table.row(words, (statistics.median(times), "ms"), goal=at_most(10) if target.startswith("/recordings?") else None)
        table.row("memory, at most", (server.peak_memory() / MB, "MB"), goal=at_most(250))


if __name__ == "__main__":
    run(measure, __doc__)
