"""The measurements of scripts/bench-views.sh: bench_views.py FOOTAGE FOLDER

Processor time is that of the server and its children, user and system, as the scheduler sums it in nanoseconds. What is
compared with one another is measured in turns, and what is printed is the median over the rounds.
"""

import contextlib
import ctypes
import http.client
import json
import os
import re
import resource
import shutil
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import time

FOOTAGE, WORK = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))
KB, MB, MIB, GIB = 1000, 1_000_000, 1 << 20, 1 << 30
ROUNDS = 7
RECORDINGS = f"{WORK}/recordings"
PACKAGER = f"{HERE}/../../.build/peers/packager"
DAY = "/cameras/day.m3u8?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z"
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def say(words):
    print(words, file=sys.stderr, flush=True)


# Recordings


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments], stdin=subprocess.DEVNULL, check=True)


def loop(clip, seconds, path):
    """As a recorder leaves it: its moov box last."""
    ffmpeg("-stream_loop", "-1", "-i", clip, "-t", str(seconds), "-c", "copy", path)


def make_recordings():
    """Ten hours of 0.4 Mbit/s, a gigabyte of 4 Mbit/s, all with sound, and a day of a camera in minutes."""
    os.makedirs(f"{RECORDINGS}/day")
    say("making ten hours, a gigabyte, and a day of 1,440 recordings")
    for name, size, rate in ("small", "640x360", "300k"), ("large", "1280x720", "4M"), ("minute", "64x64", "20k"):
        ffmpeg(
            "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=30,noise=alls={40 if name == 'large' else 5}:allf=t",
            "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-t", "60", "-c:v", "libx264", "-preset",
            "ultrafast", "-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-g", "60", "-bf", "2", "-pix_fmt", "yuv420p",
            "-c:a", "aac", "-b:a", "64k", f"{WORK}/{name}.mp4")
    loop(f"{WORK}/small.mp4", 36_000, f"{RECORDINGS}/ten.mp4")
    loop(f"{WORK}/large.mp4", GIB * 60 / os.path.getsize(f"{WORK}/large.mp4"), f"{RECORDINGS}/gigabyte.mp4")
    for minute in range(1440):
        shutil.copyfile(
            f"{WORK}/minute.mp4", f"{RECORDINGS}/day/2026-11-20T{minute // 60:02}-{minute % 60:02}-00Z.mp4")
    for name in "small", "large", "minute":
        os.remove(f"{WORK}/{name}.mp4")


# The server


class Server:
    def __init__(self, prefix=(), address="127.0.0.1"):
        self.prefix, self.address = prefix, address
        # Its certificate is checked, and names no address of a far link.
        self.context = ssl.create_default_context(cafile=f"{WORK}/certs/server.pem")
        self.context.check_hostname = False
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.prefix, FOOTAGE, "serve", "--recordings", RECORDINGS, "--certs", f"{WORK}/certs", "--state",
             f"{WORK}/state", "--listen", f"{self.address}:0", "--max-connections", "4096", "--log-level", "warning"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        if not line:
            sys.exit("bench: footage serve did not start: what it says stands above")
        self.port = int(line.rstrip("/\n").rsplit(":", 1)[1])

    def connect(self, receive_buffer=None):
        plain = socket.socket()
        plain.settimeout(60)
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.connect((self.address, self.port))
        return self.context.wrap_socket(plain)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def processes(self):
        parents = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{entry}/stat") as file:
                parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
        tree = [self.process.pid]
        for process in tree:
            tree += [child for child, parent in parents.items() if parent == process]
        return tree

    def processor_seconds(self):
        """As soon as the server has come to rest."""
        last = -1.0
        while True:
            now = sum(time.clock_gettime((~process << 3) | 2) for process in self.processes())
            if now - last < 0.0002:
                return now
            last = now
            time.sleep(0.05)

    def memory(self):
        """PSS, in bytes."""
        total = 0
        for process in self.processes():
            with open(f"/proc/{process}/smaps_rollup") as file:
                total += sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
        return total

    def written(self):
        with open(f"/proc/{self.process.pid}/io") as file:
            return int(re.search(r"^write_bytes: (\d+)", file.read(), re.M)[1])


class Client:
    """A connection that stays open."""

    def __init__(self, server, receive_buffer=None):
        self.stream = server.connect(receive_buffer)

    def ask(self, target, method="GET", fields=""):
        self.stream.sendall(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())

    def begin(self, target, method="GET", fields=""):
        self.ask(target, method, fields)
        answer = http.client.HTTPResponse(self.stream, method=method)
        answer.begin()
        if answer.status not in (200, 206):
            raise SystemExit(f"bench: {method} {target} is answered with {answer.status}: {answer.read()[:300]}")
        return answer

    def get(self, target, method="GET", fields=""):
        return self.begin(target, method, fields).read()

    def lines(self, target):
        """A playlist's URIs, as targets."""
        folder = target.split("?")[0].rsplit("/", 1)[0]
        text = self.get(target).decode()
        return [os.path.normpath(f"{folder}/{line}") for line in text.splitlines() if not line.startswith("#")]

    def close(self):
        self.stream.close()


def wait_until_ready(server):
    client = Client(server)
    deadline = time.monotonic() + 300
    while True:
        cameras = json.loads(client.get("/cameras"))["cameras"]
        if sum(camera["recordings"] for camera in cameras) == 1442:
            break
        if time.monotonic() > deadline:
            sys.exit("bench: the recordings do not become ready")
        time.sleep(0.5)
    client.close()


def cost(server, work, times=1):
    """Processor time of the server for each of so many pieces of work, in milliseconds."""
    before = server.processor_seconds()
    for turn in range(times):
        work(turn)
    return (server.processor_seconds() - before) * 1000 / times


def of_child(*command):
    """Processor time of a program, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


# The table

missed = []


def row(what, value, unit, goal=None, at_least=False):
    holds = goal is None or (value >= goal if at_least else value <= goal)
    if not holds:
        missed.append(what)
    limit = "" if goal is None else f"{'≥' if at_least else '≤'} {goal:g}"
    print(f"{what:<78} {value:>9.2f} {unit:<4} {limit:>8}  {'' if holds else 'MISSED'}".rstrip(), flush=True)


# Figures


def segments(server, client):
    """A segment beside a plain range of its size, and all segments beside who rewrites them."""
    names = client.lines(client.lines("/recordings/gigabyte.m3u8")[0])
    sizes = [int(client.begin(name, "HEAD").headers["Content-Length"]) for name in names]
    size, starts, position = os.path.getsize(f"{RECORDINGS}/gigabyte.mp4"), [], 0
    for length in sizes:
        starts.append(min(position, size - length))
        position += length

    def segment(turn):
        client.get(names[turn])

    def plain(turn):
        client.get("/recordings/gigabyte.mp4", fields=f"Range: bytes={starts[turn]}-{starts[turn] + sizes[turn] - 1}\r\n")

    count = min(len(names), 150)
    ratios, costs, heads = [], [], []
    for turn in range(ROUNDS):
        order = (segment, plain) if turn % 2 == 0 else (plain, segment)
        spent = {work: cost(server, work, count) for work in order}
        ratios.append(spent[segment] / spent[plain])
        costs.append(spent[segment])
        heads.append(cost(server, lambda number: client.get(names[number], "HEAD"), len(names)) * len(names))
    row(f"a segment of {statistics.median(sizes) / MB:.1f} MB, by GET", statistics.median(costs), "ms")
    row("  in terms of a plain range of its size", statistics.median(ratios), "×", 1.25)
    made = statistics.median(heads)
    row(f"making all {len(names)} segments of a gigabyte, by HEAD", made, "ms")
    folder = f"{WORK}/hls"

    def peer(*command):
        spent = []
        for _ in range(3):
            os.makedirs(folder)
            spent.append(of_child(*command))
            shutil.rmtree(folder)
        return statistics.median(spent)

    copy = peer(
        "ffmpeg", "-v", "error", "-i", f"{RECORDINGS}/gigabyte.mp4", "-c", "copy", "-f", "hls", "-hls_time", "6",
        "-hls_segment_type", "fmp4", "-hls_playlist_type", "vod", f"{folder}/media.m3u8")
    row("  ffmpeg -c copy -f hls, in terms of that", copy / made, "×", 20, at_least=True)
    if os.access(PACKAGER, os.X_OK):
        source = f"in={RECORDINGS}/gigabyte.mp4,stream="
        packaged = peer(
            PACKAGER, f"{source}video,init_segment={folder}/v.mp4,segment_template={folder}/v$Number$.m4s",
            f"{source}audio,init_segment={folder}/a.mp4,segment_template={folder}/a$Number$.m4s", "--hls_master_playlist_output",
            f"{folder}/master.m3u8", "--segment_duration", "6")
        row("  Shaka packager, in terms of that", packaged / made, "×", 20, at_least=True)
    else:
        say("Shaka packager is no peer here: .build/peers/packager is none")


def playlists(server, client):
    [media] = [name for name in client.lines("/recordings/ten.m3u8") if name.endswith("media.m3u8")]
    row("the playlist of ten hours", cost(server, lambda _: client.get(media), 20), "ms", 5)
    client.get(DAY)
    row("a camera's day of 1,440 recordings as a playlist", cost(server, lambda _: client.get(DAY), 5), "ms", 30)
    row("  its size", len(client.get(DAY)) / MB, "MB", 0.8)
    line = DAY.replace(".m3u8", ".json")
    client.get(line)
    row("the same day as a timeline", cost(server, lambda _: client.get(line, fields="Cache-Control: no-cache\r\n"), 20), "ms", 5)
    row("  its size", len(client.get(line)) / KB, "kB", 120)


def clips(server, client):
    """Clips of a minute out of ten hours, to the last byte of their heads, and a clip of two hours."""
    def minute(turn):
        start = 1000 + 4001 * turn % 30_000
        client.get(f"/recordings/ten.mp4?start={start}.5&end={start + 60}.5", "HEAD")

    own = cost(server, minute, 20)
    row("a clip of 60 s out of ten hours, to its first byte", own, "ms", 3)
    copied = statistics.median(
        of_child("ffmpeg", "-v", "error", "-y", "-ss", "20000.5", "-to", "20060.5", "-i", f"{RECORDINGS}/ten.mp4", "-c", "copy",
                 f"{WORK}/clip.mp4") for _ in range(3))
    row("  ffmpeg -ss -to -c copy, whose clip begins at another frame", copied, "ms")
    os.remove(f"{WORK}/clip.mp4")
    row("a clip of two hours, to its first byte",
        cost(server, lambda _: client.get("/recordings/ten.mp4?start=7200&end=14400", "HEAD"), 3), "ms")


def memory(server):
    """A thousand who each wait for the rest of a segment of their own, beside as many that wait for the rest of a file."""
    client = Client(server)
    names = client.lines(client.lines("/recordings/gigabyte.m3u8")[0])
    client.close()

    def waiting(targets):
        server.processor_seconds()
        idle = server.memory()
        clients = [Client(server, receive_buffer=4096) for _ in range(1000)]
        server.processor_seconds()
        connected = server.memory()
        for number, each in enumerate(clients):
            each.ask(targets[number % len(targets)])
        for each in clients:
            answer = each.stream.recv(12)
            if answer != b"HTTP/1.1 200":
                sys.exit(f"bench: one of a thousand requests is answered with {answer}")
        server.processor_seconds()
        busy = server.memory()
        for each in clients:
            each.close()
        return (connected - idle) / MIB, (busy - connected) / MIB

    _, files = waiting(["/recordings/gigabyte.mp4"])
    server.stop()
    server.start()
    connections, parts = waiting(names)
    row("a thousand connections, memory", connections, "MiB")
    row("a thousand who wait for the rest of a file over these, memory", files, "MiB")
    row("a thousand who wait for the rest of a segment, each of another", parts, "MiB", 40)


# A far link


def boxes(bytes, start=0, end=None):
    end = len(bytes) if end is None else end
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", bytes, start)
        header = 8
        if size == 1:
            size, header = struct.unpack_from(">Q", bytes, start + 8)[0], 16
        yield kind.decode("latin-1"), start + header, start + size
        start += size


def within(bytes, path, start=0, end=None):
    """The first box at a path: where its content begins, and where it ends."""
    for kind in path.split("/"):
        start, end = next((begin, stop) for found, begin, stop in boxes(bytes, start, end) if found == kind)
    return start, end


def end_of_first_sample_of_fragment(bytes):
    """Where the first picture ends in a segment, of which there may be a beginning; nil before its head is there."""
    if len(bytes) < 8 or len(bytes) < struct.unpack_from(">I", bytes)[0]:
        return None
    run, _ = within(bytes, "moof/traf/trun")
    flags, _, offset = struct.unpack_from(">III", bytes, run)
    flags &= 0xFFFFFF
    size = run + 12 + (4 if flags & 0x4 else 0) + (4 if flags & 0x100 else 0)
    return offset + struct.unpack_from(">I", bytes, size)[0]


def end_of_first_sample_of_movie(bytes):
    """The same of a movie with its moov box first."""
    for kind, start, end in boxes(bytes):
        if kind == "moov":
            if end > len(bytes):
                return None
            table = within(bytes, "trak/mdia/minf/stbl", start, end)
            chunks, sizes = within(bytes, "stco", *table)[0], within(bytes, "stsz", *table)[0]
            return struct.unpack_from(">I", bytes, chunks + 8)[0] + struct.unpack_from(">I", bytes, sizes + 12)[0]
    return None


def read_until(client, target, needed):
    """The bytes of a resource up to the first picture's last."""
    answer = client.begin(target)
    chunks = []
    count = look = 0
    wanted = None
    while True:
        more = answer.read1(65536)
        chunks.append(more)
        count += len(more)
        # Of what is long not after each piece.
        if wanted is None and (count >= look or not more):
            wanted = needed(b"".join(chunks))
            look = count + count // 16
        if wanted is not None and count >= wanted or not more:
            return min(count, wanted or count)


def first_picture(server, film):
    """Seconds from nothing to the last byte of the first picture, and the bytes until then, the handshake apart."""
    begin = time.monotonic()
    client = Client(server)
    if film:
        total = 0
        folder = "/recordings/"
        master = client.get("/recordings/ten.m3u8")
        media = [line for line in master.decode().splitlines() if line and not line.startswith("#")][0]
        playlist = client.get(folder + media)
        text = playlist.decode()
        initialization = os.path.normpath(folder + re.search(r'MAP:URI="([^"]+)"', text)[1])
        segment = os.path.normpath(folder + next(line for line in text.splitlines() if not line.startswith("#")))
        total = len(master) + len(playlist) + len(client.get(initialization))
        total += read_until(client, segment, end_of_first_sample_of_fragment)
    else:
        total = read_until(client, "/recordings/ten.mp4", end_of_first_sample_of_movie)
    seconds = time.monotonic() - begin
    client.close()
    return seconds, total


def far():
    """A robot behind 8 Mbit/s and 50 ms."""
    check = subprocess.run([sys.executable, f"{HERE}/far_link.py", "--check"], capture_output=True, text=True)
    if check.returncode != 0:
        say(f"the far link is left out: {check.stderr.strip()}")
        return
    link = subprocess.Popen(
        [sys.executable, f"{HERE}/far_link.py", "50", "--rate", "1000000"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    place = json.loads(link.stdout.readline())
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    server = Server(["nsenter", f"--net={place['robot']}"], place["robotAddresses"][0])
    try:
        app = os.open(place["app"], os.O_RDONLY)
        if libc.setns(app, CLONE_NEWNET) != 0:
            sys.exit(f"bench: {os.strerror(ctypes.get_errno())}")
        wait_until_ready(server)
        films = [first_picture(server, film=True) for _ in range(ROUNDS)]
        whole = first_picture(server, film=False)
    finally:
        libc.setns(home, CLONE_NEWNET)
        server.stop()
        link.stdin.close()
        link.wait()
    row("ten hours over 8 Mbit/s and 50 ms: to the first picture of the film", statistics.median(f[0] for f in films), "s", 1.2)
    row("  bytes until then", films[0][1] / MB, "MB", 0.6)
    row("  the same of the recording as a file", whole[0], "s")
    row("  bytes until then", whole[1] / MB, "MB")


def main():
    make_recordings()
    server = Server()
    try:
        say("taking the recordings in")
        wait_until_ready(server)
        # One that has nothing else to do.
        server.stop()
        server.start()
        wait_until_ready(server)
        print(f"{'figure':<78} {'measured':>9} {'':<4} {'goal':>8}")
        client = Client(server)
        # A file's time of access is written when it is first read after it was written, whoever reads it.
        for target in DAY, "/recordings/ten.m3u8", "/recordings/gigabyte.m3u8":
            client.get(target)
        server.processor_seconds()
        written = server.written()
        segments(server, client)
        playlists(server, client)
        clips(server, client)
        client.close()
        row("written by the server for all of that", (server.written() - written) / MB, "MB", 0)
        memory(server)
    finally:
        server.stop()
    far()
    if missed:
        sys.exit(f"bench: {len(missed)} figure(s) miss their goal")


main()
