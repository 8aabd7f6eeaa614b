#!/usr/bin/env python3
"""Runs the tests that are built, several processes at a time: run_tests.py PRODUCTS LOGS [--filter REGEX | --changed COMMIT]

A target is a process of its own, with the deadlines of its tests to itself. Where tests block while they wait for a program, or
compute for long, they would keep those waiting that await: there each suite is a process. A test that waits needs no processor,
so more processes run at a time than there are cores. What took longest the last time begins first; what compares times for a
release comes last, alone.
With --changed only those targets run that are downstream of a file that differs from a commit.

Prints a line for each process, and at the end the tests that were skipped, with the reason, and those that failed, the first error of
each, and the command that runs just those. Whole outputs are in LOGS. Exits with 1 where a test failed, crashed, did not end or is not
there, where none ran, and, with FOOTAGE_RELEASE=1, where one was skipped.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Targets whose tests start programs and wait for them, or go through many cases while others have deadlines.
SUITE_BY_SUITE = {"FootageClientTests", "FootageTests", "FootageMediaTests", "PageTests", "ProvisioningTests"}
# These drive one browser each, which takes a core and more.
ONE_AT_A_TIME = {"PageTests"}
# What compares times with what a link allows, where a release is tried: it has the machine to itself, after all others.
ALONE = {"FootageTests.FarSeekTests"} if os.environ.get("FOOTAGE_RELEASE") == "1" else set()
# What begins first in a clone where nothing has been run yet.
LONG = ["FootageClientTests", "FootageTests.FarSeekTests", "FootageTests.RecordingLifeTests", "FootageMediaTests.DamageTests"]
# Files of no target: by their beginnings, the targets that read them. What stands nowhere is read by no test.
READERS = {
    "Package.swift": None, "Tests/Fixtures/": None, "scripts/gen-certs.sh": None, "scripts/gen-certs/": None,
    "scripts/make-": None, "scripts/tools/run_tests.py": None, "scripts/": {"ProgramTests", "ProvisioningTests", "FootageTests"},
    ".ci/": {"ProgramTests"}, "Tests/ApplePlatform/Documentation/": {"FootageClientTests"},
    "Documentation/": {"FootageAPITests", "FootageServerTests", "FootageTests"}, "Tests/Fuzz/Corpus/": {"FuzzTests"},
    "README.md": {"FootageClientTests"},
}
# For one process. What takes long takes ten times as long.
LIMIT_SECONDS = 9_000 if "FOOTAGE_SOAK" in os.environ else 1_200

ROOT = pathlib.Path(__file__).resolve().parents[2]
running, lock = set(), threading.Lock()


def changed_targets(commit):
    """The targets of tests downstream of what differs from a commit, files that git does not know included."""
    def lines(*command):
        return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    files = lines("git", "diff", "--no-renames", "--name-only", commit, "--") + lines("git", "ls-files", "--others", "--exclude-standard")
    package = json.loads("\n".join(lines("scripts/lib/swift-tool", "package", "dump-package")))["targets"]
    folders, users = {}, {}
    for target in package:
        default = "Tests" if target["type"] == "test" else "Sources"
        folders[(target.get("path") or f"{default}/{target['name']}") + "/"] = target["name"]
        for dependency in target["dependencies"]:
            [(_, value)] = dependency.items()
            users.setdefault(value[0], set()).add(target["name"])
    every = {target["name"] for target in package if target["type"] == "test"}
    reached, waiting = set(), []
    for file in files:
        owner = max((folder for folder in folders if file.startswith(folder)), key=len, default=None)
        if owner:
            waiting.append(folders[owner])
            continue
        reader = max((start for start in READERS if file.startswith(start)), key=len, default=None)
        if reader:
            waiting += every if READERS[reader] is None else READERS[reader]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += users.get(name, ())
    return sorted(reached & every)


class Unit:
    """A process: a target, or one suite of it."""

    def __init__(self, target, suite, tests):
        self.target, self.suite, self.tests = target, suite, tests
        self.name = f"{target}.{suite}" if suite else target
        self.skipped = []
        self.failures, self.count, self.seconds, self.processor = [], 0, 0.0, 0.0


def runner(products, target):
    """A program for each target as swiftbuild makes them, or the native build system's one for all."""
    own = products / f"{target}-test-runner"
    return own if own.exists() else products / "footagePackageTests.xctest"


def listed(products, target):
    """The names of a target's tests, `TARGET.SUITE/TEST`."""
    answer = subprocess.run([runner(products, target), "--testing-library", "swift-testing", "--list-tests"],
                            stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    return [line for line in answer.stdout.splitlines() if line.startswith(f"{target}.")]


def units_of(products, target, pattern):
    every = listed(products, target)
    if not every:
        sys.exit(f"run_tests: {runner(products, target)} has no test of {target}")
    tests = [name for name in every if not pattern or re.search(pattern, name)]
    if not tests:
        return []
    if target not in SUITE_BY_SUITE:
        return [Unit(target, None, tests)]
    suites = {}
    for name in tests:
        suites.setdefault(name.split("/")[0].split(".", 1)[1].split("/")[0], []).append(name)
    return [Unit(target, suite, names) for suite, names in suites.items()]


def run(unit, products, logs, pattern):
    """Runs it and notes what failed."""
    log, events = logs / f"{unit.name}.log", logs / f"{unit.name}.jsonl"
    events.unlink(missing_ok=True)
    command = [runner(products, unit.target), "--testing-library", "swift-testing",
               "--event-stream-version", "0", "--event-stream-output-path", events]
    filters = [f"^{re.escape(unit.name)}/"] if unit.suite else []
    if pattern:
        # The runner's filters are alternatives, so the tests are named.
        filters = [f"^{re.escape(name)}" for name in unit.tests]
    for each in filters:
        command += ["--filter", each]
    began = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   env=dict(os.environ, NO_COLOR="1"), start_new_session=True)
    with lock:
        running.add(process.pid)
    late = threading.Event()

    def end():
        late.set()
        os.killpg(process.pid, signal.SIGKILL)
    limit = threading.Timer(LIMIT_SECONDS, end)
    limit.start()
    _, waited, usage = os.wait4(process.pid, 0)
    limit.cancel()
    # What tests that crashed have left: programs have groups of their own in the same session.
    subprocess.run(["pkill", "-KILL", "--session", str(process.pid)], check=False)
    process.returncode = os.waitstatus_to_exitcode(waited)
    with lock:
        running.discard(process.pid)
    unit.seconds = time.monotonic() - began
    unit.processor = usage.ru_utime + usage.ru_stime
    status = None if late.is_set() else process.returncode
    judge(unit, status, log, events)


def judge(unit, status, log, events):
    names, open_tests, ended, failed = {}, {}, False, {}
    text = events.read_text(encoding="utf-8", errors="replace") if events.exists() else ""
    # Not splitlines(), which also splits at characters that stand in the names of tests.
    for line in filter(None, text.split("\n")):
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue  # cut off by a crash
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                names[payload["id"]] = payload.get("displayName", payload["name"])
            continue
        test = payload.get("testID")
        if payload["kind"] == "testStarted" and test in names:
            open_tests[test] = True
        elif payload["kind"] == "testEnded" and test in names:
            open_tests.pop(test, None)
            unit.count += 1
        elif payload["kind"] == "testSkipped":
            unit.skipped.append((test, "; ".join(message["text"] for message in payload["messages"])))
        elif payload["kind"] == "issueRecorded" and not payload["issue"].get("isKnown"):
            place = payload["issue"].get("sourceLocation") or {}
            words = "; ".join(message["text"] for message in payload["messages"])
            failed.setdefault(test or unit.name, f"{place.get('fileID', unit.name)}:{place.get('line', 0)}: {words}")
        elif payload["kind"] == "runEnded":
            ended = True
    unit.failures += failed.items()
    if status is None or not ended or (status != 0 and not failed):
        why = f"did not end within {LIMIT_SECONDS} s" if status is None else f"ended with status {status}"
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
        # Who was under way when it crashed or hung.
        for test in open_tests or [unit.name]:
            unit.failures.append((test, f"{unit.name} {why} while this ran; the end of {log}:\n{tail}"))
    elif unit.count + sum(test in names for test, _ in unit.skipped) < len(unit.tests):
        unit.failures.append((unit.name, f"{len(unit.tests)} tests were asked for, and {unit.count} ran"))


def in_order(units, logs):
    """What took longest the last time first; in a new clone the long targets, and then suites that wait between targets that compute."""
    try:
        before = json.loads((logs / "seconds.json").read_text())
    except (OSError, ValueError):
        before = {}
    places = {}
    for waits in (False, True):
        group = [unit for unit in units if (unit.target in SUITE_BY_SUITE) == waits]
        places.update({unit.name: index / len(group) for index, unit in enumerate(group)})

    def key(unit):
        long = LONG.index(unit.name) if unit.name in LONG else len(LONG)
        return unit.name in before, -before.get(unit.name, 0.0), long, places[unit.name]
    return before, sorted(units, key=key)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("products", type=pathlib.Path)
    arguments.add_argument("logs", type=pathlib.Path)
    arguments.add_argument("--filter", dest="pattern")
    arguments.add_argument("--changed")
    options = arguments.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    logs = options.logs.resolve()
    logs.mkdir(parents=True, exist_ok=True)
    products = options.products.resolve()
    targets = sorted(path.name for path in (ROOT / "Tests").glob("*Tests") if path.is_dir())
    if options.changed is not None:
        targets = changed_targets(options.changed)
        print(f"changed since {options.changed}: {', '.join(targets) or 'nothing that affects a test'}")
    units = [unit for target in targets for unit in units_of(products, target, options.pattern)]
    before, units = in_order(units, logs)
    fixtures = tempfile.TemporaryDirectory(prefix="footage-fixtures-")
    os.environ["FOOTAGE_FIXTURES"] = fixtures.name
    # `openssl x509` reads the system's authorities whenever it starts, and no test asks them.
    os.environ.update(SSL_CERT_FILE="/dev/null", SSL_CERT_DIR="/dev/null")
    began = time.monotonic()

    def work(unit):
        run(unit, products, logs, options.pattern)
        state = f"{len(unit.failures)} failed" if unit.failures else "passed"
        with lock:
            print(f"{time.monotonic() - began:6.0f} s  {unit.name}: {unit.count} tests, {state}, {unit.seconds:.1f} s, {unit.processor:.1f} s of processor time",
                  flush=True)
        return unit

    def work_alone(queue):
        return [work(unit) for unit in queue]

    queues = [[unit for unit in units if unit.target == target] for target in sorted(ONE_AT_A_TIME)]
    others = [unit for unit in units if unit.target not in ONE_AT_A_TIME and unit.name not in ALONE]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2 * (os.cpu_count() or 2)) as pool:
        try:
            futures = [pool.submit(work_alone, queue) for queue in queues if queue] + [pool.submit(work, unit) for unit in others]
            for future in futures:
                future.result()
            pool.submit(work_alone, [unit for unit in units if unit.name in ALONE]).result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            with lock:
                for process in running:
                    os.killpg(process, signal.SIGKILL)
            raise

    fixtures.cleanup()
    before.update({unit.name: unit.seconds for unit in units if not options.pattern})
    (logs / "seconds.json").write_text(json.dumps(before, indent=1, sort_keys=True))
    skipped = [(test, words) for unit in units for test, words in unit.skipped]
    for test, words in skipped:
        print(f"skipped: {test}: {words}", file=sys.stderr)
    failures = [(test, words) for unit in units for test, words in unit.failures]
    count = sum(unit.count for unit in units)
    for test, words in failures:
        print(f"\n✘ {test}\n  {words}", file=sys.stderr)
    for unit in units:
        if unit.failures:
            seeds = re.findall(r"^.*FOOTAGE_SEED=\d+$", (logs / f"{unit.name}.log").read_text(errors="replace"), re.MULTILINE)
            for seed in seeds:
                print(f"{unit.name}: {seed}", file=sys.stderr)
    if failures:
        names = sorted({"/".join(test.split("/")[:-1]) or test for test, _ in failures})
        pattern = "|".join("^" + re.escape(name).replace("'", ".").replace("\\ ", " ") for name in names)
        print(f"\nto run these again: scripts/test.sh --filter '{pattern}'", file=sys.stderr)
    if count == 0 and targets:
        print("no test ran", file=sys.stderr)
    processor = sum(unit.processor for unit in units)
    print(f"in {time.monotonic() - began:.0f} s, with {processor:.0f} s of processor time", file=sys.stderr)
    failed = len({test for test, _ in failures})
    print(f"{max(count - failed, 0)} passed, {failed} failed, {len(skipped)} skipped")
    if skipped and os.environ.get("FOOTAGE_RELEASE") == "1":
        print("a release must also pass the tests that were skipped", file=sys.stderr)
        return 1
    return 1 if failures or count == 0 and targets else 0


sys.exit(main())
