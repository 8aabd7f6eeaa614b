#!/usr/bin/env python3
"""Starts a server of many robots on an index that is there, and times it: bench_fleet.py FOOTAGE FOLDER

FOLDER holds `state`, `robots`, `key` and `certs`. Prints times, and exits with 1 where one is beyond its goal.
"""
import http.client
import json
import pathlib
import ssl
import statistics
import subprocess
import sys
import time

PAGES = 200
GOAL_PAGE_MS = 10
GOAL_START_S = 1
GOAL_MEMORY_MB = 250


def memory(process):
    """The most that it has had in memory, in MB, by the kernel's count."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    began = time.monotonic()
    process = subprocess.Popen(
        [program, "serve", "--store", "http://127.0.0.1:9/bucket", "--store-key", folder / "key",
         "--robots", folder / "robots", "--state", folder / "state", "--certs", folder / "certs",
         "--listen", "127.0.0.1:0", "--log-level", "error"],
        stdout=subprocess.PIPE, text=True)
    try:
        port = int(process.stdout.readline().rsplit(":", 1)[1].strip().rstrip("/"))
        context = ssl.create_default_context(cafile=folder / "certs" / "server.pem")
        connection = http.client.HTTPSConnection("localhost", port, context=context)
        connection.connect()

        def ask(target):
            started = time.monotonic()
            connection.request("GET", target)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, (target, answer.status, body[:200])
            return (time.monotonic() - started) * 1000, json.loads(body)

        first = ask("/recordings?limit=100")[1]
        start = time.monotonic() - began
        print(f"start, to the first page: {start * 1000:.0f} ms")
        failed = start > GOAL_START_S
        middle = first["next"]
        for _ in range(50):
            middle = ask(f"/recordings?limit=1000&after={middle}")[1]["next"] or middle
        cases = [
            ("all robots", "/recordings?limit=100"), ("in the middle", f"/recordings?limit=100&after={middle}"),
            ("a robot", "/recordings?limit=100&robot=robot7"), ("a camera", "/recordings?limit=100&camera=robot7:front"),
            ("ready ones", "/recordings?limit=100&state=ready"), ("cameras", "/cameras"),
            ("cameras of a robot", "/cameras?robot=robot7"),
            ("an item", "/recordings/" + first["recordings"][0]["name"] + ".json"),
            ("a camera's day", "/cameras/robot7:front.json?from=1700000000&to=1700086400"),
        ]
        for words, target in cases:
            times = sorted(ask(target)[0] for _ in range(PAGES))
            median = statistics.median(times)
            print(f"{words}: median {median:.1f} ms, p99 {times[int(PAGES * 0.99)]:.1f} ms")
            if target.startswith("/recordings?") and median > GOAL_PAGE_MS:
                failed = True
        used = memory(process)
        print(f"memory at most: {used:.0f} MB")
        failed = failed or used > GOAL_MEMORY_MB
    finally:
        process.terminate()
        process.wait()
    sys.exit(1 if failed else 0)


main()
