"""What the app's side waits for on a link with a round trip of 100 ms: the robot and the app are in two network namespaces.

What stands here is the median over the rounds, in seconds and milliseconds that the link makes far more of than the machine.
"""

import contextlib
import os
import re
import socket
import statistics
import subprocess
import threading
import time

from tools import clips
from tools.bench.measurement import GIB, fail, run, say
from tools.namespaces import FarLink, is_left_out
from tools.processes import Program

TITLE = "The app's side over a far link"
PACKAGES = ["curl", "iproute2", "ffmpeg"]
ROUNDS = 3
HAS_QUICK = False

ROBOT, DEAD_V6 = "10.8.0.2", "fd08::99"
ROUND_TRIP_MS = 100
LINKS = {"100 ms, 8 MB/s": 8_000_000, "100 ms, 2 Mbit/s": 250_000}
SEEKS = 5
# As a camera of 8 Mbit/s does.
PLAYED_PER_SECOND = 1_000_000


class Way:
    """A link with the robot at its far end, and what the app does at the near one."""

    def __init__(self, scene, link):
        self.scene, self.link = scene, link
        hosts = f"{scene.folder}/far-hosts"
        with open(hosts, "w") as file:
            file.write(f"127.0.0.1 localhost\n{DEAD_V6} two.test\n{ROBOT} two.test\n")
        # Names that only these processes know.
        self.with_hosts = ["unshare", "--mount", "--propagation", "private", "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', hosts]

    def __enter__(self):
        recordings = f"{self.scene.folder}/recordings"
        self.size = os.path.getsize(f"{recordings}/bench.mp4")
        self.server = self.scene.serve(recordings, address="::", prefix=self.link.far)
        self.port = self.server.port
        deadline = time.monotonic() + 60
        while "bench" not in self.list(ROBOT)[1]:
            if time.monotonic() > deadline:
                fail("the robot does not list its recording")
            time.sleep(0.2)
        return self

    def __exit__(self, *_):
        self.server.stop()

    def list(self, host, prefix=()):
        begin = time.monotonic()
        result = subprocess.run(
            [*prefix, self.scene.footage, "list", "--robot", f"{host}:{self.port}", "--pin", self.scene.pin], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120)
        return time.monotonic() - begin, result.stdout

    @contextlib.contextmanager
    def playback(self, host, prefix=()):
        """A playback with a cache of its own: the port and path of its URL."""
        with Program(
                [*prefix, self.scene.footage, "play", "bench", "--robot", f"{host}:{self.port}", "--pin", self.scene.pin, "--cache",
                 f"{self.scene.folder}/cache-{time.monotonic_ns()}"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
            line = program.process.stdout.readline().strip()
            address = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/.*)", line) or fail(f"no playback: {line}")
            yield int(address[1]), address[2]

    def carried(self, rate):
        """What ten seconds of the link's rate take, straight from the robot and through a playback."""
        count = rate * 10
        alone = fetched(f"https://{ROBOT}:{self.port}/recordings/bench.mp4", count)
        with self.playback(ROBOT) as (port, path):
            return alone, fetched(f"http://127.0.0.1:{port}{path}", count)

    def play(self, host, prefix=()):
        """Opens a playback, reads its beginning and seeks; the seconds and connections of each."""
        self.link.order("reset")
        begin = time.monotonic()
        with self.playback(host, prefix) as (port, path):
            player = Player(port, path, 0)
            first_byte = time.monotonic() - begin
            # What somebody watches before they seek.
            time.sleep(3)
            before = self.link.connections()
            seconds = []
            for seek in range(SEEKS):
                player.close()
                # Far from each other, and from all that is being fetched.
                player = Player(port, path, self.size // (SEEKS + 2) * (seek + 1))
                seconds.append(player.first_byte)
                time.sleep(2)
            player.close()
            return first_byte, statistics.median(seconds), self.link.connections() - before


class Player:
    """A player that reads what it asks for at the speed at which it plays, until it seeks or is closed."""

    def __init__(self, port, path, offset):
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.settimeout(120)
        self.is_over = False
        begin = time.monotonic()
        self.connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nRange: bytes={offset}-\r\n\r\n".encode())
        received = b""
        while b"\r\n\r\n" not in received or received.endswith(b"\r\n\r\n"):
            more = self.connection.recv(65536)
            if not more:
                fail(f"the playback ended: {received[:200]}")
            received += more
        if not received.startswith(b"HTTP/1.1 206 "):
            fail(f"the playback returned {received[:200]}")
        self.first_byte = time.monotonic() - begin
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()

    def read(self):
        try:
            while not self.is_over and self.connection.recv(PLAYED_PER_SECOND // 10):
                time.sleep(0.1)
        except OSError:
            pass

    def close(self):
        self.is_over = True
        self.connection.close()


def fetched(url, count):
    """The seconds in which curl gets the first bytes of it, by one request."""
    result = subprocess.run(
        ["curl", "--silent", "--insecure", "--range", f"0-{count - 1}", "--output", "/dev/null", "--write-out",
         "%{time_total} %{size_download}", url], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    seconds, size = result.stdout.split()
    if int(size) != count:
        fail(f"curl got {size} of {count} bytes")
    return float(seconds)


def figures(scene, rate):
    with FarLink(ROUND_TRIP_MS, rate) as link, Way(scene, link) as way:
        rounds = range(scene.rounds)
        lists = [way.list(ROBOT)[0] for _ in rounds]
        plays = [way.play(ROBOT) for _ in rounds]
        twos = [way.list("two.test", way.with_hosts)[0] for _ in rounds]
        two = way.play("two.test", way.with_hosts)
        both = [way.carried(rate) for _ in rounds]
    median = statistics.median
    return {
        "a list, the whole command": (median(lists) * 1000, "ms"),
        "the same where the robot's IPv6 leads nowhere": (median(twos) * 1000, "ms"),
        "first byte of a playback, from the program's start": (median(p[0] for p in plays) * 1000, "ms"),
        "from a seek into a hole to its first byte, after what the link is full of": (median(p[1] for p in plays) * 1000, "ms"),
        "a seek where the robot's IPv6 leads nowhere": (two[1] * 1000, "ms"),
        f"connections made for {SEEKS} seeks": (median(p[2] for p in plays), ""),
        "ten seconds of the link's rate in one request, by curl": (median(b[0] for b in both), "s"),
        "the same through a playback": (median(b[1] for b in both), "s"),
    }


def measure(scene):
    if is_left_out(say, "the far link"):
        return
    scene.certificates()
    clips.noise(f"{scene.path('recordings')}/bench.mp4", GIB)
    columns = []
    for name, rate in LINKS.items():
        say(f"a robot far away, {name}")
        columns.append(figures(scene, rate))
    table = scene.table("over a link with this round trip and rate", *LINKS)
    for what in columns[0]:
        table.row(what, *(column[what] for column in columns))


if __name__ == "__main__":
    run(measure, __doc__)
