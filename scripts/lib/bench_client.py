"""The measurements of scripts/bench-client.sh: bench_client.py NGINX FOOTAGE FOLDER ROUNDS

In every round each pair is taken one right after the other, and the next round begins with the other one of the two.
What is printed is the median over the rounds; a ratio is taken within the round.
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
import sys
import threading
import time

NGINX, FOOTAGE, WORK = sys.argv[1:4]
ROUNDS = int(sys.argv[4])
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
RECORDING = f"{WORK}/recordings/bench.mp4"
SIZE = os.path.getsize(RECORDING)
AUTHORITY = f"{WORK}/certs/server.pem"
with open(f"{WORK}/certs/server.pin") as file:
    PIN = file.read().strip()
# The first two that this process may use; on a single one servers and clients share it.
PROCESSORS = sorted(os.sched_getaffinity(0))
SERVER_PROCESSOR, CLIENT_PROCESSOR = PROCESSORS[0], PROCESSORS[1 % len(PROCESSORS)]

started = []


def say(words):
    print(words, file=sys.stderr, flush=True)


def fail(words):
    sys.exit(f"bench: {words}")


def start(processor, command, **options):
    process = subprocess.Popen(
        ["taskset", "-c", str(processor), *command], stdin=subprocess.DEVNULL, **options)
    started.append(process)
    return process


def stop(process):
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    started.remove(process)


def first_line(process):
    line = process.stdout.readline().decode().strip()
    if not line:
        fail(f"a program did not start: {process.args}")
    return line


def robot():
    """`footage serve`, and its port."""
    process = start(SERVER_PROCESSOR, [
        FOOTAGE, "serve", "--recordings", f"{WORK}/recordings", "--certs", f"{WORK}/certs", "--state", f"{WORK}/state",
        "--listen", "127.0.0.1:0", "--threads", "1", "--log-level", "error"], stdout=subprocess.PIPE)
    port = int(first_line(process).rstrip("/").rsplit(":", 1)[1])
    deadline = time.monotonic() + 20
    while True:
        try:
            connection = tls_connection(port)
            ask(connection, "/recordings/bench.mp4", 0)
            connection.close()
            return process, port
        except (OSError, http.client.HTTPException):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def play(port, cache, *options, processor=SERVER_PROCESSOR):
    """`footage play`, and the port and path of its URL."""
    where = ["--robot", f"127.0.0.1:{port}", "--pin", PIN] if port else ["--offline"]
    process = start(processor, [FOOTAGE, "play", "bench", *where, "--cache", cache, *options],
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    address = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/.*)", first_line(process))
    return process, int(address[1]), address[2]


def tls_connection(port):
    context = ssl.create_default_context(cafile=AUTHORITY)
    connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=60)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def plain_connection(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
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
    subprocess.run(["taskset", "-c", str(CLIENT_PROCESSOR), "sh", "-c", command], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


# Figures


def download():
    """A gigabyte into a file that survives a power cut: curl and sync, and footage fetch."""
    process, port = robot()
    target = f"{WORK}/fetched.mp4"
    # The suite that Footage's client and server agree on.
    commands = {
        "curl": f"curl -sf --http1.1 --tls13-ciphers TLS_AES_128_GCM_SHA256 --cacert {AUTHORITY} -o {target} "
                f"https://127.0.0.1:{port}/recordings/bench.mp4 && sync {target}",
        "Footage": f"{FOOTAGE} fetch bench --robot 127.0.0.1:{port} --pin {PIN} -o {target}",
    }
    rounds = []
    for number in range(ROUNDS + 1):
        result = {}
        for name in sorted(commands, reverse=number % 2 == 0):
            if os.path.exists(target):
                os.remove(target)
            os.sync()
            result[name] = cost(commands[name])
            if os.path.getsize(target) != SIZE:
                fail(f"{name} fetched {os.path.getsize(target)} of {SIZE} bytes")
        # The first round warms the page cache.
        if number:
            rounds.append(result)
    stop(process)
    os.remove(target)
    median = statistics.median
    for index, unit in ((0, "processor"), (1, "wall")):
        yield (f"download of 1 GiB, {unit} time", f"{median(r['curl'][index] for r in rounds):.2f} s (curl, sync)",
               f"{median(r['Footage'][index] for r in rounds):.2f} s",
               f"×{median(r['Footage'][index] / r['curl'][index] for r in rounds):.2f} of curl's",
               "≤ 1.1" if index == 0 else "≤ 1")


def fill(cache):
    """Plays all of it, so that it is whole in the cache; returns the peak of the program's memory in bytes."""
    server, port = robot()
    process, proxy, path = play(port, cache)
    connection = plain_connection(proxy)
    connection.request("GET", path)
    response = connection.getresponse()
    while response.read(MIB):
        pass
    deadline = time.monotonic() + 60
    while not [name for name in os.listdir(f"{cache}/media") if name.endswith(".mp4")]:
        if time.monotonic() > deadline:
            fail("the recording did not become whole in the cache")
        time.sleep(0.05)
    with open(f"/proc/{process.pid}/status") as file:
        peak = next(int(line.split()[1]) * KIB for line in file if line.startswith("VmHWM:"))
    stop(process)
    stop(server)
    return peak


def memory(cache):
    yield ("memory of a playback of 1 GiB, at most, the whole program's", "", f"{fill(cache) / MIB:.1f} MiB", "", "≤ 32 MiB")


def proxy(cache):
    """A whole recording out of the cache, beside nginx with sendfile over plain HTTP."""
    folder = f"{WORK}/nginx"
    os.makedirs(folder, exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        plain_port = probe.getsockname()[1]
    user = "user root;" if os.geteuid() == 0 else ""
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(f"""{user}
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    {temporary}
    access_log off;
    sendfile on;
    server {{ listen 127.0.0.1:{plain_port}; root {WORK}/recordings; }}
}}
""")
    nginx = start(SERVER_PROCESSOR, [NGINX, "-e", f"{folder}/error.log", "-p", folder, "-c", f"{folder}/nginx.conf"])
    process, port, path = play(None, cache)
    urls = {"nginx": f"http://127.0.0.1:{plain_port}/bench.mp4", "Footage": f"http://127.0.0.1:{port}{path}"}
    time.sleep(0.3)
    rounds = []
    for number in range(ROUNDS + 1):
        result = {name: cost(f"curl -sf -o /dev/null {urls[name]}")[1]
                  for name in sorted(urls, reverse=number % 2 == 0)}
        if number:
            rounds.append(result)
    stop(process)
    stop(nginx)
    speed = {name: statistics.median(SIZE / MIB / r[name] for r in rounds) for name in urls}
    yield ("1 GiB out of the cache through the proxy", f"{speed['nginx']:.0f} MiB/s (nginx, sendfile)",
           f"{speed['Footage']:.0f} MiB/s",
           f"×{statistics.median(r['nginx'] / r['Footage'] for r in rounds):.2f} of its speed", "≥ 0.5")


def first_byte():
    """Ranges that nobody has yet, straight from the robot and through the proxy, both on warm connections."""
    server, port = robot()
    process, proxied, path = play(port, f"{WORK}/cache-first", "--quota", "1M", processor=CLIENT_PROCESSOR)
    direct, through = tls_connection(port), plain_connection(proxied)
    offsets = [random.randrange(SIZE // 2, SIZE - 10_000) for _ in range(100)]
    for connection, where in ((direct, "/recordings/bench.mp4"), (through, path)):
        for offset in offsets[:5]:
            ask(connection, where, offset)
    robots = statistics.median(ask(direct, "/recordings/bench.mp4", offset) for offset in offsets)
    proxies = statistics.median(ask(through, path, offset) for offset in offsets)
    stop(process)
    stop(server)
    yield ("first byte of a range that is not cached", f"{robots * 1000:.2f} ms (from the robot)",
           f"{proxies * 1000:.2f} ms", f"{(proxies - robots) * 1000:+.2f} ms", "≤ 5 ms")


class SlowRobot:
    """Says that it has a recording of 1 GiB, sends it slowly, and notes when requests reach it."""

    LENGTH = GIB

    def __init__(self):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(f"{WORK}/certs/server.pem", f"{WORK}/certs/server.key")
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


def seek():
    """From a player's request for what is not there to the robot's being asked, while something else is being sent."""
    slow = SlowRobot()
    process, port, path = play(slow.port, f"{WORK}/cache-seek", processor=CLIENT_PROCESSOR)
    watching = plain_connection(port)
    watching.request("GET", path)
    response = watching.getresponse()
    threading.Thread(target=drain, args=(response,), daemon=True).start()
    seconds = []
    for number in range(40):
        # Far from each other and from what is being fetched, so that each needs a request of its own.
        offset = (number + 2) * 16 * MIB
        with socket.create_connection(("127.0.0.1", port)) as player:
            player.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            time.sleep(0.05)
            begin = time.monotonic()
            player.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nRange: bytes={offset}-{offset + 999}\r\n\r\n".encode())
            received = b""
            while len(received) < 1000:
                received += player.recv(65536)
        seconds.append(slow.arrivals[offset] - begin)
    slow.is_over = True
    stop(process)
    yield ("from a seek into a hole to its request at the robot", "", f"{statistics.median(seconds) * 1000:.2f} ms",
           f"the first one {seconds[0] * 1000:.2f} ms", "≤ 1 ms")


def main():
    rows = []
    try:
        cache = f"{WORK}/cache"
        for name, figure in (("memory", lambda: memory(cache)), ("proxy", lambda: proxy(cache)), ("download", download),
                             ("first byte", first_byte), ("seek", seek)):
            say(f"measuring: {name}")
            rows += figure()
    finally:
        for process in list(started):
            stop(process)
    print("| figure, on the loopback | beside | Footage | | bound |\n|---|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


main()
