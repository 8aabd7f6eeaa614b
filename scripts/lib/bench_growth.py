"""The second half of scripts/bench.sh, with the arguments of the first: what Footage costs as the work grows.

Each row compares Footage with itself, and the first also with nginx, whose cost grows alike. All servers of a row run at
once, on the same processors, and are measured in turn, for some seconds, over and over: what else the machine does then
falls on all of them. A figure is the median.
"""

import calendar
import http.client
import os
import shutil
import signal
import statistics
import subprocess
import time

import bench_serve as bench
from bench_serve import FOOTAGE, GIB, KIB, MIB, QUICK, WORK, fail, number, say

TURNS = 3 if QUICK else 7
NAMES = 1000 if QUICK else 10_000
CONNECTION_COUNTS = (1, 8, 64, 512)
SLOW_READ_MILLISECONDS = 50

rows = []


def row(what, figures):
    rows.append((what, figures))
    say(f"  {what}: {figures}")


class Footage(bench.Server):
    """`footage serve` over a folder of its own."""

    def __init__(self, folder, threads=1, environment=None):
        self.name, self.asks_for_certificates = "Footage", False
        self.begun = time.monotonic()
        self.process = bench.start(
            [FOOTAGE, "serve", "--recordings", folder, "--certs", f"{WORK}/certs", "--listen", "127.0.0.1:0",
             "--threads", str(threads), "--max-connections", "4096", "--log-level", "warning"],
            environment=environment, stdout=subprocess.PIPE)
        address = self.process.stdout.readline().decode()
        if not address:
            self.process.wait()
            fail("footage serve did not start: what it says stands above")
        self.port = int(address.rstrip("/\n").rsplit(":", 1)[1])
        self.url = f"https://127.0.0.1:{self.port}{bench.PATH}"

    def wait_until_all_are_ready(self, count):
        deadline = time.monotonic() + 120
        while f'"recordings":{count}' not in self.get("/health"):
            if time.monotonic() > deadline:
                fail(f"{count} recordings are not there after two minutes: {self.get('/health')}")
            time.sleep(0.1)
        self.wait_until_it_serves()

    def get(self, path):
        return bench.output(["curl", "-sf", "--cacert", bench.AUTHORITY, f"https://127.0.0.1:{self.port}{path}"]).decode()

    def spread(self):
        """Loops are there to run side by side: from now on they may, on the clients' processor too."""
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            os.sched_setaffinity(int(thread), bench.PROCESSORS[:2])

    def loop_seconds(self):
        """Processor time of each loop's thread."""
        folder = f"/proc/{self.process.pid}/task"
        seconds = []
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/comm") as file:
                is_loop = file.read().startswith("footage-loop")
            if is_loop:
                with open(f"{folder}/{thread}/schedstat") as file:
                    seconds.append(int(file.read().split()[0]) / 1e9)
        return seconds


def age(path):
    """What is younger than ten seconds could still be being written."""
    os.utime(path, (time.time() - 3600,) * 2)


def folder(name):
    path = f"{WORK}/growth/{name}"
    os.makedirs(path)
    return path


def clip():
    """The recording's first bytes as a small recording of their own: its tables, and no room for their samples."""
    path = f"{WORK}/growth/clip.mp4"
    if not os.path.exists(path):
        bench.output(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25", "-t", "1", "-c:v",
                      "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart", path])
        age(path)
    return path


def with_names(count, name="names"):
    """A folder of so many recordings; one of them is asked for."""
    path = folder(f"{name}-{count}")
    shutil.copy2(clip(), f"{path}/bench.mp4")
    for index in range(count - 1):
        shutil.copy2(clip(), f"{path}/{index}.mp4")
    return path


def of_size(size):
    """A recording of so many bytes, most of which are a hole in the file, in a box that players skip."""
    path = folder(f"size-{size}")
    shutil.copy2(clip(), f"{path}/bench.mp4")
    with open(f"{path}/bench.mp4", "r+b") as file:
        start = file.seek(0, os.SEEK_END)
        file.write((1).to_bytes(4, "big") + b"free" + (size - start).to_bytes(8, "big"))
        file.truncate(size)
    age(f"{path}/bench.mp4")
    return path


def request_costs(cases, has_many_handshakes=False):
    """CPU-µs a request, case by case: (server, connections, size as for `bench.wrk`, bytes an answer has)."""

    def work(case, seconds):
        server, connections, size, expected = case
        before = server.processor_seconds()
        requests = bench.wrk(server, seconds, 1, size, expected, connections)
        return server.processor_seconds() - before, requests

    costs = [[] for _ in cases]
    # The first turn fills caches.
    for turn in range(TURNS + 1):
        for case, values in zip(cases, costs):
            cost, requests = work(case, 2)
            if has_many_handshakes:
                # A short run has as many of them.
                short, few = work(case, 1)
                cost, requests = cost - short, requests - few
            if turn:
                values.append(cost / requests * 1e6)
    return [statistics.median(values) for values in costs]


def compared(labels, costs, unit):
    parts = [f"{label}: {number(cost)}" for label, cost in zip(labels, costs)]
    return f"{'; '.join(parts)} {unit} (most by least ×{max(costs) / min(costs):.2f})"


def connections():
    path = folder("connections")
    shutil.copy2(bench.RECORDING, f"{path}/bench.mp4")
    with Footage(path) as server, bench.Server("nginx") as other:
        server.wait_until_all_are_ready(1)
        cases = [(each, count, 0, 2) for count in CONNECTION_COUNTS for each in (server, other)]
        costs = request_costs(cases, has_many_handshakes=True)
    row("probe by number of connections", compared(CONNECTION_COUNTS, costs[::2], "CPU-µs"))
    row("the same, of nginx", compared(CONNECTION_COUNTS, costs[1::2], "CPU-µs"))


def names():
    with Footage(with_names(10)) as few, Footage(with_names(NAMES)) as many:
        few.wait_until_all_are_ready(10)
        many.wait_until_all_are_ready(NAMES)
        costs = request_costs([(server, bench.CONNECTIONS, 0, 2) for server in (few, many)])
    row("probe by number of recordings", compared(("10", f"{NAMES:,}"), costs, "CPU-µs"))


DAY = 1440


def with_day(others):
    """A camera's day of a recording a minute, and so many of its other recordings, a minute each as well."""
    path = folder(f"day-{others}")
    shutil.copy2(clip(), f"{path}/bench.mp4")
    os.makedirs(f"{path}/rear")
    minute = f"{WORK}/growth/minute.mp4"
    if not os.path.exists(minute):
        bench.output(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=1", "-t", "60", "-c:v",
                      "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart", minute])
        age(minute)
    day = calendar.timegm((2025, 11, 20, 0, 0, 0))
    for begins in [day + 60 * index for index in range(DAY)] + [day - 60 * index for index in range(1, others + 1)]:
        shutil.copy2(minute, f"{path}/rear/{time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime(begins))}.mp4")
    return path


def timelines():
    """What a camera's day costs to be answered, in all threads and through TLS."""
    target = "/cameras/rear.json?from=2025-11-20T00:00:00Z&to=2025-11-21T00:00:00Z"
    counts = (0, NAMES)
    with Footage(with_day(0)) as alone, Footage(with_day(NAMES)) as among:
        costs, length = {alone: [], among: []}, 0
        for server, others in zip((alone, among), counts):
            server.wait_until_all_are_ready(DAY + others + 1)
        for turn in range(TURNS + 1):
            for server, values in costs.items():
                probe = bench.Probe(server)
                before = server.processor_seconds()
                for _ in range(50):
                    length = len(probe.get(target))
                values.append((server.processor_seconds() - before) / 50 * 1e3)
                probe.close()
        # The first turn fills caches.
        milliseconds = [statistics.median(values[1:]) for values in costs.values()]
    row(f"a camera's day of {DAY:,} recordings by how many others it has",
        compared([f"{count:,}" for count in counts], milliseconds, "CPU-ms") + f", {length / 1e3:.0f} kB")


def sizes():
    sizes = (MIB, 8 * GIB)
    with Footage(of_size(sizes[0])) as small, Footage(of_size(sizes[1])) as large:
        servers = (small, large)
        for server in servers:
            server.wait_until_all_are_ready(1)
        probes = request_costs([(server, bench.CONNECTIONS, 0, 2) for server in servers])
        # The last 64 KiB, where an offset is largest.
        tails = request_costs(
            [(server, bench.CONNECTIONS, -size, 64 * KIB) for server, size in zip(servers, sizes)])
    row("probe by size of the recording", compared(("1 MiB", "8 GiB"), probes, "CPU-µs"))
    row("its last 64 KiB by size of the recording", compared(("1 MiB", "8 GiB"), tails, "CPU-µs"))


def loops():
    path, other = folder("one-loop"), folder("two-loops")
    for each in (path, other):
        shutil.copy2(bench.RECORDING, f"{each}/bench.mp4")
    with Footage(path, threads=1) as one, Footage(other, threads=2) as two:
        for server in (one, two):
            server.wait_until_all_are_ready(1)
            server.spread()
        before = two.loop_seconds()
        ranges = request_costs([(server, bench.CONNECTIONS, bench.SIZE, bench.MEAN_RANGE) for server in (one, two)])
        shares = [now - then for now, then in zip(two.loop_seconds(), before)]
    row("ranges of 64 KiB–1 MiB by number of loops", compared(("1", "2"), ranges, "CPU-µs"))
    row("share of the first of two loops", f"{100 * shares[0] / sum(shares):.0f} %")


def opening():
    count = 1000
    path = with_names(count, "opening")
    with Footage(path) as server:
        server.wait_until_all_are_ready(count)
    times, memory = [], []
    for _ in range(TURNS):
        server = Footage(path)
        try:
            while True:
                try:
                    probe = bench.Probe(server)
                    probe.ask()
                    break
                except (OSError, http.client.HTTPException):
                    if time.monotonic() > server.begun + 10:
                        fail("footage serve answers nobody after a restart")
            times.append((time.monotonic() - server.begun) * 1e3)
            probe.close()
            time.sleep(0.3)
            memory.append(server.memory() / MIB)
        finally:
            bench.stop(server.process)
    row(f"from start to the first answer, {count:,} recordings indexed", f"{number(statistics.median(times))} ms")
    row("memory then, PSS", f"{number(statistics.median(memory))} MiB")


SLOW_DISK = f"""
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
static int is_slow(int fd) {{
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  return strstr(path, "/slow.mp4") != NULL;
}}
ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {{
  if (is_slow(fd)) usleep({SLOW_READ_MILLISECONDS * 1000});
  return syscall(SYS_pread64, fd, bytes, count, offset);
}}
ssize_t pread64(int fd, void *bytes, size_t count, off_t offset) {{ return pread(fd, bytes, count, offset); }}
ssize_t preadv2(int fd, const struct iovec *pieces, int count, off_t offset, int flags) {{
  if (is_slow(fd) && flags & RWF_NOWAIT) return errno = EAGAIN, -1;
  return syscall(SYS_preadv2, fd, pieces, count, offset, 0L, flags);
}}
ssize_t preadv64v2(int fd, const struct iovec *pieces, int count, off_t offset, int flags) {{
  return preadv2(fd, pieces, count, offset, flags);
}}
"""


def cold():
    """Probes while another recording is read from a slow disk; all that it has was dropped from memory."""
    path = folder("cold")
    shutil.copy2(bench.RECORDING, f"{path}/bench.mp4")
    shutil.copy2(bench.RECORDING, f"{path}/slow.mp4")
    with open(f"{WORK}/growth/slow.c", "w") as file:
        file.write(SLOW_DISK)
    bench.output(["clang", "-w", "-O1", "-shared", "-fPIC", "-o", f"{WORK}/growth/slow.so", f"{WORK}/growth/slow.c"])
    with Footage(path, environment={"LD_PRELOAD": f"{WORK}/growth/slow.so"}) as server:
        server.wait_until_all_are_ready(2)
        with open(f"{path}/slow.mp4", "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        reader = subprocess.Popen(
            ["curl", "-sf", "--max-time", "30", "--cacert", bench.AUTHORITY, "-o", "/dev/null",
             server.url.replace("bench.mp4", "slow.mp4")])
        bench.started.append(reader)
        times = []
        try:
            probe = bench.Probe(server)
            for _ in range(100 if QUICK else 300):
                before = time.monotonic()
                probe.ask()
                times.append((time.monotonic() - before) * 1e3)
                time.sleep(0.005)
            if reader.poll() is not None:
                fail("the cold recording was read before the probes were over")
        finally:
            bench.stop(reader)
    times.sort()
    row(f"probe while a read takes {SLOW_READ_MILLISECONDS} ms, longest of {len(times)}, and 99 of 100",
        f"{number(times[-1])} ms, {number(times[len(times) * 99 // 100])} ms")


def binary():
    stripped = f"{WORK}/growth/footage"
    bench.output(["strip", "-o", stripped, FOOTAGE])
    row("program without symbols and without the Swift runtime", f"{number(os.path.getsize(stripped) / 1e6)} MB")


def main():
    bench.prepare()
    signal.alarm(900)
    os.makedirs(f"{WORK}/growth")
    say("as the work grows:")
    for measure in (connections, names, timelines, sizes, loops, opening, cold, binary):
        measure()
    print("\n| as the work grows | |\n|---|---|")
    for what, figures in rows:
        print(f"| {what} | {figures} |")


bench.run(main)
