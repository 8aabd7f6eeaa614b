"""The far link's part of scripts/bench-client.sh: bench_far.py FOOTAGE FOLDER ROUNDS

The robot and the app are in two network namespaces, joined by far_link.py. What is printed is the median over the rounds, in
seconds and milliseconds that the link makes far more of than the machine.
"""

import contextlib
import ctypes
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import threading
import time

FOOTAGE, WORK, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
HERE = os.path.dirname(os.path.abspath(__file__))
ROBOT, DEAD_V6 = "10.8.0.2", "fd08::99"
RTT_MS = 100
LINKS = {"100 ms, 8 MB/s": 8_000_000, "100 ms, 2 Mbit/s": 250_000}
SIZE = os.path.getsize(f"{WORK}/recordings/bench.mp4")
CLONE_NEWNET = 0x40000000
SEEKS = 5
# As a camera of 8 Mbit/s does.
PLAYED_PER_SECOND = 1_000_000
with open(f"{WORK}/certs/server.pin") as file:
    PIN = file.read().strip()
with open(f"{WORK}/far-hosts", "w") as file:
    file.write(f"127.0.0.1 localhost\n{DEAD_V6} two.test\n{ROBOT} two.test\n")
# Names that only these processes know.
WITH_HOSTS = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
              'mount --bind "$0" /etc/hosts && exec "$@"', f"{WORK}/far-hosts"]
libc = ctypes.CDLL(None, use_errno=True)


def fail(words):
    sys.exit(f"bench: {words}")


class Link:
    """A link with a robot at its far end; this process is at the near one."""

    def __init__(self, rate):
        self.process = subprocess.Popen(
            [sys.executable, f"{HERE}/far_link.py", str(RTT_MS), "--rate", str(rate)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        place = json.loads(self.process.stdout.readline())
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.robot = subprocess.Popen(
            ["nsenter", f"--net={place['robot']}", FOOTAGE, "serve", "--recordings", f"{WORK}/recordings", "--certs",
             f"{WORK}/certs", "--state", f"{WORK}/state", "--listen", "[::]:0", "--log-level", "error"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.port = int(self.robot.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1])
        app = os.open(place["app"], os.O_RDONLY)
        if libc.setns(app, CLONE_NEWNET) != 0:
            fail(os.strerror(ctypes.get_errno()))
        os.close(app)
        deadline = time.monotonic() + 60
        while "bench" not in self.list(ROBOT)[1]:
            if time.monotonic() > deadline:
                fail("the robot does not list its recording")
            time.sleep(0.2)

    def order(self, words):
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def connections(self):
        return json.loads(self.order("count"))["connections"]

    def list(self, host, prefix=()):
        begin = time.monotonic()
        result = subprocess.run(
            [*prefix, FOOTAGE, "list", "--robot", f"{host}:{self.port}", "--pin", PIN], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120)
        return time.monotonic() - begin, result.stdout

    def end(self):
        libc.setns(self.home, CLONE_NEWNET)
        os.close(self.home)
        self.robot.terminate()
        self.robot.wait()
        self.process.stdin.close()
        self.process.wait()


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
            fail(f"the playback answers {received[:200]}")
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


@contextlib.contextmanager
def playback(link, host, prefix=()):
    """A playback with a cache of its own: the port and path of its URL."""
    process = subprocess.Popen(
        [*prefix, FOOTAGE, "play", "bench", "--robot", f"{host}:{link.port}", "--pin", PIN, "--cache",
         f"{WORK}/cache-far-{time.monotonic_ns()}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline().strip()
        address = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/.*)", line)
        if not address:
            fail(f"no playback: {line}")
        yield int(address[1]), address[2]
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def fetched(url, count):
    """The seconds in which curl gets the first bytes of it, by one request."""
    result = subprocess.run(
        ["curl", "--silent", "--insecure", "--range", f"0-{count - 1}", "--output", "/dev/null", "--write-out",
         "%{time_total} %{size_download}", url], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    seconds, size = result.stdout.split()
    if int(size) != count:
        fail(f"curl got {size} of {count} bytes")
    return float(seconds)


def carried(link, rate):
    """What ten seconds of the link's rate take, straight from the robot and through a playback."""
    count = rate * 10
    alone = fetched(f"https://{ROBOT}:{link.port}/recordings/bench.mp4", count)
    with playback(link, ROBOT) as (port, path):
        return alone, fetched(f"http://127.0.0.1:{port}{path}", count)


def play(link, host, prefix=()):
    """Opens a playback, reads its beginning and seeks; the seconds and connections of each."""
    link.order("reset")
    begin = time.monotonic()
    with playback(link, host, prefix) as (port, path):
        player = Player(port, path, 0)
        first_byte = time.monotonic() - begin
        # What somebody watches before they seek.
        time.sleep(3)
        before = link.connections()
        seconds = []
        for seek in range(SEEKS):
            player.close()
            # Far from each other, and from all that is being fetched.
            player = Player(port, path, SIZE // (SEEKS + 2) * (seek + 1))
            seconds.append(player.first_byte)
            time.sleep(2)
        player.close()
        return first_byte, statistics.median(seconds), link.connections() - before


def figures():
    for name, rate in LINKS.items():
        print(f"measuring: a robot far away, {name}", file=sys.stderr, flush=True)
        link = Link(rate)
        try:
            lists = [link.list(ROBOT)[0] for _ in range(ROUNDS)]
            plays = [play(link, ROBOT) for _ in range(min(ROUNDS, 3))]
            twos = [link.list("two.test", WITH_HOSTS)[0] for _ in range(min(ROUNDS, 3))]
            two = play(link, "two.test", WITH_HOSTS)
            both = [carried(link, rate) for _ in range(min(ROUNDS, 3))]
        finally:
            link.end()
        median = statistics.median
        yield {
            "a list, the whole command": f"{median(lists) * 1000:.0f} ms",
            "the same where the robot's IPv6 leads nowhere": f"{median(twos) * 1000:.0f} ms",
            "first byte of a playback, from the program's start": f"{median(p[0] for p in plays) * 1000:.0f} ms",
            "from a seek into a hole to its first byte, behind what the link is full of": f"{median(p[1] for p in plays) * 1000:.0f} ms",
            "a seek where the robot's IPv6 leads nowhere": f"{two[1] * 1000:.0f} ms",
            f"connections made for {SEEKS} seeks": f"{median(p[2] for p in plays):.0f}",
            "ten seconds of the link's rate in one request, by curl": f"{median(b[0] for b in both):.1f} s",
            "the same through a playback": f"{median(b[1] for b in both):.1f} s",
        }


def main():
    check = subprocess.run([sys.executable, f"{HERE}/far_link.py", "--check"], capture_output=True, text=True)
    if check.returncode != 0:
        print(f"the far link is left out: {check.stderr.strip()}", file=sys.stderr)
        return
    columns = list(figures())
    print(f"\n| figure, over a link with this round trip and rate | {' | '.join(LINKS)} |\n|---|{'--:|' * len(columns)}")
    for name in columns[0]:
        print(f"| {name} | {' | '.join(column[name] for column in columns)} |")


main()
