"""What every measurement has: a program, a folder that goes with it, certificates, and the tables that it makes.

A module of this folder is a measurement where it has these names:

    TITLE      its heading, and the first words of its documentation's section
    PACKAGES   of Debian, that it needs
    ROUNDS     how many it takes where nobody says; None where it has none
    HAS_QUICK  whether --quick makes it short, to see that it works
    measure    takes a Measurement
"""

import datetime
import json
import os
import platform
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile

from tools.arguments import arguments
from tools.server import Server
from tools.table import Table, markdown

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
KB, MB, KIB, MIB, GIB = 1000, 1_000_000, 1 << 10, 1 << 20, 1 << 30
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def say(words):
    print(words, file=sys.stderr, flush=True)


def fail(words):
    sys.exit(f"bench: {words}")


def output(command, timeout=60):
    """What a client prints."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, timeout=timeout).stdout
    except subprocess.CalledProcessError as error:
        fail(f"{command[0]} failed with {error.returncode}: {' '.join(command)}")
    except subprocess.TimeoutExpired:
        fail(f"{command[0]} did not end within {timeout} s: {' '.join(command)}")


class Measurement:
    """Which program is measured, in which folder, and the tables.

    footage: the program. folder: for all that is made. rounds, is_quick: as they were asked for.
    """

    def __init__(self, footage, folder, rounds, is_quick):
        self.footage, self.folder, self.rounds, self.is_quick = footage, folder, rounds, is_quick
        self.tables, self.peers, self.faults = [], {}, []

    def table(self, title, *columns):
        self.tables.append(Table(title, *columns))
        return self.tables[-1]

    def fault(self, words):
        """Something is not as it has to be, whatever was measured."""
        self.faults.append(words)
        say(f"bench: {words}")

    def certificates(self, *options, **environment):
        """Keys and certificates in `certs`, of a server on 127.0.0.1."""
        done = subprocess.run(
            [f"{ROOT}/scripts/gen-certs.sh", "--out", f"{self.folder}/certs", *(options or ("--name", "localhost", "--ip", "127.0.0.1"))],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | environment)
        if done.returncode != 0:
            fail(f"gen-certs.sh failed: {done.stdout.decode(errors='replace')}")

    def path(self, *names):
        """A folder that is there, within the measurement's."""
        path = os.path.join(self.folder, *names)
        os.makedirs(path, exist_ok=True)
        return path

    def serve(self, recordings, *options, **process):
        return Server(self.footage, self.folder, recordings, *options, **process)

    @property
    def pin(self):
        with open(f"{self.folder}/certs/server.pin") as file:
            return file.read().strip()


def release():
    """The name and version of this system."""
    try:
        named = platform.freedesktop_os_release()
        return f"{named['NAME'].split()[0]} {named.get('VERSION_ID', '')}".strip()
    except OSError:
        return platform.system()


def result(measurement, words):
    """What is written down of a measurement."""
    version = output([measurement.footage, "--version"]).decode().split(" (")[0]
    commit = output(["git", "-C", ROOT, "describe", "--always", "--dirty", "--exclude=*"]).decode().strip()
    return {
        "when": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), "footage": f"{version} of {commit}", "rounds": measurement.rounds,
        "on": {"processors": len(os.sched_getaffinity(0)), "architecture": platform.machine(), "system": release(),
               "openssl": ssl.OPENSSL_VERSION.split()[1]},
        "peers": measurement.peers, "words": words, "tables": [table.json() for table in measurement.tables],
    }


def end(which, _):
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + which)


def run(measure, words):
    """A measurement as a program: its tables on standard output, and 1 where a goal is missed."""
    given = arguments(words, "footage", "folder", options={"rounds": int, "quick": False, "json": str})
    for each in SIGNALS:
        signal.signal(each, end)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < 4096:
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096 if hard < 0 else min(4096, hard), hard))
    folder = tempfile.mkdtemp(prefix="footage-bench-", dir=given.folder)
    measurement = Measurement(os.path.abspath(given.footage), folder, given.rounds, given.quick)
    processors = os.sched_getaffinity(0)
    try:
        measure(measurement)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        print("\n\n".join(markdown(table.json()) for table in measurement.tables if table.rows), flush=True)
    os.sched_setaffinity(0, processors)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(result(measurement, words), file, ensure_ascii=False, indent=1)
            file.write("\n")
    missed = [what for table in measurement.tables for what in table.missed()]
    if missed or measurement.faults:
        fail(f"{len(missed)} goal(s) missed, {len(measurement.faults)} fault(s)")
