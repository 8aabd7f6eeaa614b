"""What the app's side costs on the loopback, beside curl and nginx.

In every round each pair is taken one right after the other, and the next round begins with the other one of the two.
What stands here is the median over the rounds; a ratio is taken within the round. On the loopback a round trip costs nothing.
"""

import http.client
import os
import random
import re
import resource
import socket
import ssl
import statistics
import subprocess
import threading
import time

from tools import clips
from tools.bench import nginx
from tools.bench.measurement import GIB, MIB, fail, run, say
from tools.processes import Program
from tools.table import at_least, at_most

TITLE = "The app's side, beside curl and nginx"
PACKAGES = ["nginx-light", "curl", "ffmpeg"]
ROUNDS = 7
HAS_QUICK = False

# The first two that this process may use; on a single one servers and clients share it.
PROCESSORS = sorted(os.sched_getaffinity(0))
SERVER_PROCESSOR, CLIENT_PROCESSOR = PROCESSORS[0], PROCESSORS[1 % len(PROCESSORS)]


def pinned(processor):
    return ["taskset", "-c", str(processor)]


class Robot:
    """A server of the recording, and connections to it."""

    def __init__(self, scene):
        self.server = scene.serve(f"{scene.folder}/recordings", "--threads", "1", prefix=pinned(SERVER_PROCESSOR))
        self.port = self.server.port
        try:
            self.server.wait_for(1)
        except BaseException:
            self.server.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()

    def connection(self):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.server.context, timeout=60)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


class Player(Program):
    """`footage play`, and the port and path of its URL: from a robot at a port, or offline without one."""

    def __init__(self, scene, port, cache, *options, processor=SERVER_PROCESSOR):
        where = ["--robot", f"127.0.0.1:{port}", "--pin", scene.pin] if port else ["--offline"]
        super().__init__(
            [*pinned(processor), scene.footage, "play", "bench", *where, "--cache", cache, *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self.process.stdout.readline().decode().strip()
        address = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/.*)", line) or fail(f"a player did not start: {line}")
        self.port, self.path = int(address[1]), address[2]

    def connection(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


def ask(connection, path, offset, count=1000):
    """Asks for a range; returns the seconds until its first byte was here."""
    begin = time.monotonic()
    connection.request("GET", path, headers={"Range": f"bytes={offset}-{offset + count - 1}"})
    response = connection.getresponse()
    if response.status != 206 or len(response.read(1)) != 1:
        raise http.client.HTTPException(f"status {response.status}")
    elapsed = time.monotonic() - begin
    response.read()
    return elapsed


def cost(command):
    """Processor seconds and wall seconds of a shell command and all that it starts."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([*pinned(CLIENT_PROCESSOR), "sh", "-c", command], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


# Figures


def memory(scene, table):
    """Plays all of it, so that it is whole in the cache."""
    with Robot(scene) as robot, Player(scene, robot.port, f"{scene.folder}/cache") as player:
        connection = player.connection()
        connection.request("GET", player.path)
        response = connection.getresponse()
        while response.read(MIB):
            pass
        deadline = time.monotonic() + 60
        while not [name for name in os.listdir(f"{scene.folder}/cache/media") if name.endswith(".mp4")]:
            if time.monotonic() > deadline:
                fail("the recording did not become complete in the cache")
            time.sleep(0.05)
        peak = player.peak_memory()
    table.row("memory of a playback of 1 GiB, the whole program's, at most", None, (peak / MIB, "MiB"), None, goal=at_most(32))


def proxy(scene, table):
    """A whole recording out of the cache, beside nginx with sendfile over plain HTTP."""
    size = os.path.getsize(f"{scene.folder}/recordings/bench.mp4")
    with nginx.Nginx(f"{scene.folder}/nginx", f"{scene.folder}/recordings", prefix=pinned(SERVER_PROCESSOR)) as other, \
            Player(scene, None, f"{scene.folder}/cache") as player:
        urls = {"nginx": f"http://127.0.0.1:{other.port}/bench.mp4", "Footage": f"http://127.0.0.1:{player.port}{player.path}"}
        time.sleep(0.3)
        rounds = []
        for number in range(scene.rounds + 1):
            result = {name: cost(f"curl -sf -o /dev/null {urls[name]}")[1] for name in sorted(urls, reverse=number % 2 == 0)}
            # The first round warms the page cache.
            if number:
                rounds.append(result)
    speed = {name: (statistics.median(size / MIB / each[name] for each in rounds), "MiB/s") for name in urls}
    table.row("1 GiB out of the cache through the proxy (nginx: sendfile)", speed["nginx"], speed["Footage"],
              (statistics.median(each["nginx"] / each["Footage"] for each in rounds), "×"), goal=at_least(0.5))


def download(scene, table):
    """A gigabyte into a file that survives a power cut: curl and sync, and footage fetch."""
    target = f"{scene.folder}/fetched.mp4"
    size = os.path.getsize(f"{scene.folder}/recordings/bench.mp4")
    rounds = []
    with Robot(scene) as robot:
        # The suite that Footage's client and server agree on.
        commands = {
            "curl": f"curl -sf --http1.1 --tls13-ciphers TLS_AES_128_GCM_SHA256 --cacert {scene.folder}/certs/server.pem -o {target} "
                    f"https://127.0.0.1:{robot.port}/recordings/bench.mp4 && sync {target}",
            "Footage": f"{scene.footage} fetch bench --robot 127.0.0.1:{robot.port} --pin {scene.pin} -o {target}",
        }
        for number in range(scene.rounds + 1):
            result = {}
            for name in sorted(commands, reverse=number % 2 == 0):
                if os.path.exists(target):
                    os.remove(target)
                os.sync()
                result[name] = cost(commands[name])
                if os.path.getsize(target) != size:
                    fail(f"{name} fetched {os.path.getsize(target)} of {size} bytes")
            if number:
                rounds.append(result)
    os.remove(target)
    for index, unit, goal in ((0, "processor", 1.1), (1, "wall", 1)):
        theirs, ours = ((statistics.median(each[name][index] for each in rounds), "s") for name in ("curl", "Footage"))
        table.row(f"download of 1 GiB into a synced file, {unit} time (curl, sync)", theirs, ours,
                  (statistics.median(each["Footage"][index] / each["curl"][index] for each in rounds), "×"), goal=at_most(goal))


def first_byte(scene, table):
    """Ranges that nobody has yet, straight from the robot and through the proxy, both on warm connections."""
    size = os.path.getsize(f"{scene.folder}/recordings/bench.mp4")
    offsets = [random.randrange(size // 2, size - 10_000) for _ in range(100)]
    with Robot(scene) as robot, \
            Player(scene, robot.port, f"{scene.folder}/cache-first", "--quota", "1M", processor=CLIENT_PROCESSOR) as player:
        ways = (robot.connection(), "/recordings/bench.mp4"), (player.connection(), player.path)
        for connection, path in ways:
            for offset in offsets[:5]:
                ask(connection, path, offset)
        robots, proxies = (1000 * statistics.median(ask(connection, path, offset) for offset in offsets) for connection, path in ways)
    table.row("first byte of a range that is not cached (straight from the robot)", (robots, "ms"), (proxies, "ms"),
              (proxies - robots, "ms"), goal=at_most(5))


class SlowRobot:
    """Says that it has a recording of 1 GiB, sends it slowly, and notes when requests reach it."""

    LENGTH = GIB

    def __init__(self, certs):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(f"{certs}/server.pem", f"{certs}/server.key")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.arrivals = {}
        self.is_over = False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            plain, _ = self.listener.accept()
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(plain,), daemon=True).start()

    def serve(self, plain):
        try:
            stream = self.context.wrap_socket(plain, server_side=True)
            rest = b""
            while not self.is_over:
                while b"\r\n\r\n" not in rest:
                    received = stream.recv(65536)
                    if not received:
                        return
                    rest += received
                now = time.monotonic()
                head, _, rest = rest.partition(b"\r\n\r\n")
                self.answer(stream, head.decode(), now)
        except OSError:
            pass

    def answer(self, stream, head, now):
        wanted = re.search(r"[Rr]ange: bytes=(\d+)-(\d*)", head)
        if not wanted:
            body = (f'{{"name":"bench","state":"ready","size":{self.LENGTH},"etag":"\\"slow\\"",'
                    '"startedAt":"2026-01-01T00:00:00Z"}').encode()
            stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            return
        first, last = int(wanted[1]), int(wanted[2] or self.LENGTH - 1)
        self.arrivals.setdefault(first, now)
        stream.sendall((f"HTTP/1.1 206 Partial Content\r\nETag: \"slow\"\r\nContent-Length: {last - first + 1}\r\n"
                        f"Content-Range: bytes {first}-{last}/{self.LENGTH}\r\n\r\n").encode())
        offset = first
        while offset <= last and not self.is_over:
            count = min(16384, last - offset + 1)
            stream.sendall(bytes(count))
            offset += count
            time.sleep(0.02)


def drain(response):
    """Until whoever sends it goes away."""
    try:
        while response.read(MIB):
            pass
    except (OSError, http.client.HTTPException):
        pass


def seek(scene, table):
    """From a player's request for what is not there to the robot's being asked, while something else is being sent."""
    slow = SlowRobot(f"{scene.folder}/certs")
    seconds = []
    with Player(scene, slow.port, f"{scene.folder}/cache-seek", processor=CLIENT_PROCESSOR) as player:
        watching = player.connection()
        watching.request("GET", player.path)
        response = watching.getresponse()
        threading.Thread(target=drain, args=(response,), daemon=True).start()
        for number in range(40):
            # Far from each other and from what is being fetched, so that each needs a request of its own.
            offset = (number + 2) * 16 * MIB
            with socket.create_connection(("127.0.0.1", player.port)) as one:
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                time.sleep(0.05)
                begin = time.monotonic()
                one.sendall(f"GET {player.path} HTTP/1.1\r\nHost: 127.0.0.1:{player.port}\r\n"
                            f"Range: bytes={offset}-{offset + 999}\r\n\r\n".encode())
                received = b""
                while len(received) < 1000:
                    received += one.recv(65536)
            seconds.append(slow.arrivals[offset] - begin)
        slow.is_over = True
    table.row("from a seek into a hole to its request at the robot; the first one", None, (seconds[0] * 1000, "ms"), None)
    table.row("  the median", None, (statistics.median(seconds) * 1000, "ms"), None, goal=at_most(1))


def measure(scene):
    scene.peers["nginx"] = nginx.version()
    say("making certificates and a recording of 1 GiB")
    scene.certificates()
    clips.noise(f"{scene.path('recordings')}/bench.mp4", GIB)
    table = scene.table("on the loopback", "beside", "Footage", "compared")
    for part in (memory, proxy, download, first_byte, seek):
        part(scene, table)


if __name__ == "__main__":
    run(measure, __doc__)
