"""What serving costs as the work grows: more connections, recordings, bytes, loops, or a disk that is slow.

Each row compares Footage with itself, and the first also with nginx, whose cost grows alike. All servers of a row run at
once, on the same processors, and are measured in turn, for some seconds, over and over: what else the machine does then
falls on all of them. A figure is the median. A single connection wakes a server for each request, which costs either of them more
than the request.
"""

import calendar
import http.client
import os
import shutil
import statistics
import time

from tools import clips
from tools.bench import serving
from tools.bench.measurement import GIB, KIB, MIB, fail, output, run, say
from tools.bench.serving import CONNECTIONS, MEAN_RANGE, PROCESSORS, Probe
from tools.processes import Program
from tools.table import number

TITLE = "As the work grows"
PACKAGES = [*serving.PACKAGES, "clang"]
ROUNDS = 7
HAS_QUICK = True

CONNECTION_COUNTS = (1, 8, 64, 512)
SLOW_READ_MILLISECONDS = 50
DAY = 1440


class Footage(serving.Footage):
    """`footage serve` over a folder of its own, with its state in there."""

    def __init__(self, scene, folder, threads=1, environment=None):
        super().__init__(scene, recordings=folder, threads=threads, state=None, environment=environment)

    def wait_until_all_are_ready(self, count):
        deadline = time.monotonic() + 120
        while f'"recordings":{count}' not in self.health():
            if time.monotonic() > deadline:
                fail(f"{count} recordings are not listed after two minutes: {self.health()}")
            time.sleep(0.1)
        self.wait_until_it_serves()

    def health(self):
        return self.get("/health").decode()

    def spread(self):
        """Loops are there to run side by side: from now on they may, on the clients' processor too."""
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            os.sched_setaffinity(int(thread), PROCESSORS[:2])

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


class Scene:
    """The measurement, and the folders that it serves."""

    def __init__(self, measurement):
        self.measurement = measurement
        self.names = 1000 if measurement.is_quick else 10_000
        self.recording = f"{measurement.folder}/www{serving.PATH}"
        self.table = measurement.table("as the work grows")
        self.clip = self.made("clip.mp4")

    def serve(self, folder, **options):
        return Footage(self.measurement, folder, **options)

    def folder(self, name):
        return self.measurement.path("growth", name)

    def made(self, name, *picture):
        """A small recording: its tables, and no room for their samples."""
        path = os.path.join(self.measurement.path("growth"), name)
        if not os.path.exists(path):
            clips.small(path, *picture)
        return path

    def with_names(self, count, name="names"):
        """A folder of so many recordings; one of them is asked for."""
        path = self.folder(f"{name}-{count}")
        shutil.copy2(self.clip, f"{path}/bench.mp4")
        for index in range(count - 1):
            shutil.copy2(self.clip, f"{path}/{index}.mp4")
        return path

    def of_size(self, size):
        """A recording of so many bytes, most of which are a hole in the file, in a box that players skip."""
        path = self.folder(f"size-{size}")
        shutil.copy2(self.clip, f"{path}/bench.mp4")
        with open(f"{path}/bench.mp4", "r+b") as file:
            start = file.seek(0, os.SEEK_END)
            file.write((1).to_bytes(4, "big") + b"free" + (size - start).to_bytes(8, "big"))
            file.truncate(size)
        clips.age(f"{path}/bench.mp4")
        return path

    def with_day(self, others):
        """A camera's day of a recording a minute, and so many of its other recordings, a minute each as well."""
        path = self.folder(f"day-{others}")
        shutil.copy2(self.clip, f"{path}/bench.mp4")
        os.makedirs(f"{path}/rear")
        minute = self.made("minute.mp4", "testsrc2=size=64x64:rate=1", 60)
        day = calendar.timegm((2025, 11, 20, 0, 0, 0))
        for begins in [day + 60 * index for index in range(DAY)] + [day - 60 * index for index in range(1, others + 1)]:
            shutil.copy2(minute, f"{path}/rear/{time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime(begins))}.mp4")
        return path

    def request_costs(self, cases, has_many_handshakes=False):
        """Microseconds of processor time a request, case by case: (server, connections, size as for `wrk`, bytes an answer has)."""

        def work(case, seconds):
            server, connections, size, expected = case
            before = server.processor_seconds()
            requests = serving.wrk(server, self.measurement.folder, seconds, 1, size, expected, connections)
            return server.processor_seconds() - before, requests

        costs = [[] for _ in cases]
        # The first turn fills caches.
        for turn in range(self.measurement.rounds + 1):
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


def connections(scene):
    path = scene.folder("connections")
    shutil.copy2(scene.recording, f"{path}/bench.mp4")
    with scene.serve(path) as server, serving.Nginx(scene.measurement) as other:
        server.wait_until_all_are_ready(1)
        cases = [(each, count, 0, 2) for count in CONNECTION_COUNTS for each in (server, other)]
        costs = scene.request_costs(cases, has_many_handshakes=True)
    scene.table.row("probe by number of connections", compared(CONNECTION_COUNTS, costs[::2], "µs"))
    scene.table.row("the same, of nginx", compared(CONNECTION_COUNTS, costs[1::2], "µs"))


def names(scene):
    with scene.serve(scene.with_names(10)) as few, scene.serve(scene.with_names(scene.names)) as many:
        few.wait_until_all_are_ready(10)
        many.wait_until_all_are_ready(scene.names)
        costs = scene.request_costs([(server, CONNECTIONS, 0, 2) for server in (few, many)])
    scene.table.row("probe by number of recordings", compared(("10", f"{scene.names:,}"), costs, "µs"))


def timelines(scene):
    """What a camera's day costs to be answered, in all threads and through TLS."""
    target = "/cameras/rear.json?from=2025-11-20T00:00:00Z&to=2025-11-21T00:00:00Z"
    counts = (0, scene.names)
    with scene.serve(scene.with_day(0)) as alone, scene.serve(scene.with_day(scene.names)) as among:
        costs, length = {alone: [], among: []}, 0
        for server, others in zip((alone, among), counts):
            server.wait_until_all_are_ready(DAY + others + 1)
        for _ in range(scene.measurement.rounds + 1):
            for server, values in costs.items():
                probe = Probe(server)
                before = server.processor_seconds()
                for _ in range(50):
                    length = len(probe.get(target))
                values.append((server.processor_seconds() - before) / 50 * 1e3)
                probe.close()
        # The first turn fills caches.
        milliseconds = [statistics.median(values[1:]) for values in costs.values()]
    scene.table.row(f"a camera's day of {DAY:,} recordings by how many others it has",
                    compared([f"{count:,}" for count in counts], milliseconds, "ms") + f", {length / 1e3:.0f} kB")


def sizes(scene):
    sizes = (MIB, 8 * GIB)
    with scene.serve(scene.of_size(sizes[0])) as small, scene.serve(scene.of_size(sizes[1])) as large:
        servers = (small, large)
        for server in servers:
            server.wait_until_all_are_ready(1)
        probes = scene.request_costs([(server, CONNECTIONS, 0, 2) for server in servers])
        # The last 64 KiB, where an offset is largest.
        tails = scene.request_costs([(server, CONNECTIONS, -size, 64 * KIB) for server, size in zip(servers, sizes)])
    scene.table.row("probe by size of the recording", compared(("1 MiB", "8 GiB"), probes, "µs"))
    scene.table.row("its last 64 KiB by size of the recording", compared(("1 MiB", "8 GiB"), tails, "µs"))


def loops(scene):
    path, other = scene.folder("one-loop"), scene.folder("two-loops")
    for each in (path, other):
        shutil.copy2(scene.recording, f"{each}/bench.mp4")
    size = os.path.getsize(scene.recording)
    with scene.serve(path, threads=1) as one, scene.serve(other, threads=2) as two:
        for server in (one, two):
            server.wait_until_all_are_ready(1)
            server.spread()
        before = two.loop_seconds()
        ranges = scene.request_costs([(server, CONNECTIONS, size, MEAN_RANGE) for server in (one, two)])
        shares = [now - then for now, then in zip(two.loop_seconds(), before)]
    scene.table.row("ranges of 64 KiB–1 MiB by number of loops", compared(("1", "2"), ranges, "µs"))
    scene.table.row("share of the first of two loops", f"{100 * shares[0] / sum(shares):.0f} %")


def opening(scene):
    count = 1000
    path = scene.with_names(count, "opening")
    with scene.serve(path) as server:
        server.wait_until_all_are_ready(count)
    times, memory = [], []
    for _ in range(scene.measurement.rounds):
        server = scene.serve(path)
        try:
            while True:
                try:
                    probe = Probe(server)
                    probe.ask()
                    break
                except (OSError, http.client.HTTPException):
                    if time.monotonic() > server.begun + 10:
                        fail("footage serve does not respond after a restart")
            times.append((time.monotonic() - server.begun) * 1e3)
            probe.close()
            time.sleep(0.3)
            memory.append(server.memory() / MIB)
        finally:
            server.stop()
    scene.table.row(f"from start to the first answer, {count:,} recordings indexed", (statistics.median(times), "ms"))
    scene.table.row("memory then, PSS", (statistics.median(memory), "MiB"))


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


def cold(scene):
    """Probes while another recording is read from a slow disk; all that it has was dropped from memory."""
    path, work = scene.folder("cold"), scene.measurement.path("growth")
    shutil.copy2(scene.recording, f"{path}/bench.mp4")
    shutil.copy2(scene.recording, f"{path}/slow.mp4")
    with open(f"{work}/slow.c", "w") as file:
        file.write(SLOW_DISK)
    output(["clang", "-w", "-O1", "-shared", "-fPIC", "-o", f"{work}/slow.so", f"{work}/slow.c"])
    with scene.serve(path, environment={"LD_PRELOAD": f"{work}/slow.so"}) as server:
        server.wait_until_all_are_ready(2)
        with open(f"{path}/slow.mp4", "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        times = []
        with Program(["curl", "-sf", "--max-time", "30", "--cacert", server.authority, "-o", "/dev/null",
                      server.url.replace("bench.mp4", "slow.mp4")]) as reader:
            probe = Probe(server)
            for _ in range(100 if scene.measurement.is_quick else 300):
                before = time.monotonic()
                probe.ask()
                times.append((time.monotonic() - before) * 1e3)
                time.sleep(0.005)
            if reader.process.poll() is not None:
                fail("the cold recording was read before the probes were over")
    times.sort()
    scene.table.row(f"probe while a read takes {SLOW_READ_MILLISECONDS} ms, longest of {len(times)}, and 99 of 100",
                    f"{number(times[-1])} ms, {number(times[len(times) * 99 // 100])} ms")


def binary(scene):
    stripped = f"{scene.measurement.folder}/growth/footage"
    output(["strip", "-o", stripped, scene.measurement.footage])
    scene.table.row("program without symbols and without the Swift runtime", (os.path.getsize(stripped) / 1e6, "MB"))


def measure(measurement):
    serving.prepare(measurement, 180 + 150 * measurement.rounds)
    scene = Scene(measurement)
    say("as the work grows:")
    for part in (connections, names, timelines, sizes, loops, opening, cold, binary):
        part(scene)


if __name__ == "__main__":
    run(measure, __doc__)
