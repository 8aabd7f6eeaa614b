"""What moments cost: films, clips, playlists and days, beside ffmpeg and a plain range.

Processor time is that of the server and its children, user and system, as the scheduler sums it in nanoseconds. What is
compared with one another is measured in turns, and what stands here is the median over the rounds. Shaka packager is a peer where
`.build/peers/packager` is one.
"""

import http.client
import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import time

from tools import clips
from tools.bench.measurement import GIB, KB, MB, MIB, ROOT, fail, run, say
from tools.namespaces import FarLink, is_left_out
from tools.processes import child_processor_seconds
from tools.table import at_least, at_most

TITLE = "Moments: films, clips, playlists and days"
PACKAGES = ["ffmpeg", "iproute2"]
ROUNDS = 7
HAS_QUICK = False

PACKAGER = f"{ROOT}/.build/peers/packager"
DAY = "/cameras/day.m3u8?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def make_recordings(scene):
    """Ten hours of 0.4 Mbit/s, a gigabyte of 4 Mbit/s, all with sound, and a day of a camera in minutes."""
    folder = scene.path("recordings")
    os.makedirs(f"{folder}/day")
    say("making ten hours, a gigabyte, and a day of 1,440 recordings")
    made = {name: f"{scene.folder}/{name}.mp4" for name in ("small", "large", "minute")}
    clips.minute(made["small"], "640x360", "300k", 5)
    clips.minute(made["large"], "1280x720", "4M", 40)
    clips.minute(made["minute"], "64x64", "20k", 5)
    clips.loop(made["small"], 36_000, f"{folder}/ten.mp4")
    clips.loop(made["large"], GIB * 60 / os.path.getsize(made["large"]), f"{folder}/gigabyte.mp4")
    for minute in range(1440):
        shutil.copyfile(made["minute"], f"{folder}/day/2026-11-20T{minute // 60:02}-{minute % 60:02}-00Z.mp4")
    for path in made.values():
        os.remove(path)
    return folder


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
            fail(f"{method} {target} returned status {answer.status}: {answer.read()[:300]}")
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


def serve(scene, **options):
    return scene.serve(f"{scene.folder}/recordings", "--max-connections", "4096", **options)


def wait_until_ready(server):
    client = Client(server)
    deadline = time.monotonic() + 300
    while True:
        cameras = json.loads(client.get("/cameras"))["cameras"]
        if sum(camera["recordings"] for camera in cameras) == 1442:
            break
        if time.monotonic() > deadline:
            fail("the recordings do not become ready")
        time.sleep(0.5)
    client.close()


def cost(server, work, times=1):
    """Processor time of the server for each of so many pieces of work, in milliseconds."""
    before = server.processor_seconds()
    for turn in range(times):
        work(turn)
    return (server.processor_seconds() - before) * 1000 / times


# Figures


def segments(scene, server, client, table):
    """A segment beside a plain range of its size, and all segments beside who rewrites them."""
    recording = f"{scene.folder}/recordings/gigabyte.mp4"
    names = client.lines(client.lines("/recordings/gigabyte.m3u8")[0])
    sizes = [int(client.begin(name, "HEAD").headers["Content-Length"]) for name in names]
    size, starts, position = os.path.getsize(recording), [], 0
    for length in sizes:
        starts.append(min(position, size - length))
        position += length

    def segment(turn):
        client.get(names[turn])

    def plain(turn):
        client.get("/recordings/gigabyte.mp4", fields=f"Range: bytes={starts[turn]}-{starts[turn] + sizes[turn] - 1}\r\n")

    count = min(len(names), 150)
    ratios, costs, heads = [], [], []
    for turn in range(scene.rounds):
        order = (segment, plain) if turn % 2 == 0 else (plain, segment)
        spent = {work: cost(server, work, count) for work in order}
        ratios.append(spent[segment] / spent[plain])
        costs.append(spent[segment])
        heads.append(cost(server, lambda number: client.get(names[number], "HEAD"), len(names)) * len(names))
    table.row(f"a segment of {statistics.median(sizes) / MB:.1f} MB, by GET", (statistics.median(costs), "ms"))
    table.row("  in terms of a plain range of its size", (statistics.median(ratios), "×"), goal=at_most(1.25))
    made = statistics.median(heads)
    table.row(f"making all {len(names)} segments of a gigabyte, by HEAD", (made, "ms"))
    folder = f"{scene.folder}/hls"

    def peer(*command):
        spent = []
        for _ in range(3):
            os.makedirs(folder)
            spent.append(child_processor_seconds(*command, **QUIET) * 1000)
            shutil.rmtree(folder)
        return statistics.median(spent)

    copy = peer("ffmpeg", "-v", "error", "-i", recording, "-c", "copy", "-f", "hls", "-hls_time", "6", "-hls_segment_type", "fmp4",
                "-hls_playlist_type", "vod", f"{folder}/media.m3u8")
    table.row("  ffmpeg -c copy -f hls, in terms of that; it writes the gigabyte again", (copy / made, "×"), goal=at_least(20))
    if os.access(PACKAGER, os.X_OK):
        source = f"in={recording},stream="
        packaged = peer(
            PACKAGER, f"{source}video,init_segment={folder}/v.mp4,segment_template={folder}/v$Number$.m4s",
            f"{source}audio,init_segment={folder}/a.mp4,segment_template={folder}/a$Number$.m4s", "--hls_master_playlist_output",
            f"{folder}/master.m3u8", "--segment_duration", "6")
        table.row("  Shaka packager, in terms of that", (packaged / made, "×"), goal=at_least(20))
    else:
        say("Shaka packager is not compared: there is no .build/peers/packager")


def playlists(scene, server, client, table):
    [media] = [name for name in client.lines("/recordings/ten.m3u8") if name.endswith("media.m3u8")]
    table.row("the playlist of ten hours", (cost(server, lambda _: client.get(media), 20), "ms"), goal=at_most(5))
    client.get(DAY)
    table.row("a camera's day of 1,440 recordings as a playlist", (cost(server, lambda _: client.get(DAY), 5), "ms"), goal=at_most(30))
    table.row("  its size", (len(client.get(DAY)) / MB, "MB"), goal=at_most(0.8))
    line = DAY.replace(".m3u8", ".json")
    client.get(line)
    table.row("the same day as a timeline",
              (cost(server, lambda _: client.get(line, fields="Cache-Control: no-cache\r\n"), 20), "ms"), goal=at_most(5))
    table.row("  its size", (len(client.get(line)) / KB, "kB"), goal=at_most(120))


def cuts(scene, server, client, table):
    """Clips of a minute out of ten hours, to the last byte of their heads, and a clip of two hours."""
    def minute(turn):
        start = 1000 + 4001 * turn % 30_000
        client.get(f"/recordings/ten.mp4?start={start}.5&end={start + 60}.5", "HEAD")

    own = cost(server, minute, 20)
    table.row("a clip of 60 s out of ten hours, to its first byte", (own, "ms"), goal=at_most(3))
    copied = statistics.median(
        child_processor_seconds(
            "ffmpeg", "-v", "error", "-y", "-ss", "20000.5", "-to", "20060.5", "-i", f"{scene.folder}/recordings/ten.mp4", "-c", "copy",
            f"{scene.folder}/clip.mp4", **QUIET) * 1000 for _ in range(3))
    table.row("  ffmpeg -ss -to -c copy, whose clip begins at another frame", (copied, "ms"))
    os.remove(f"{scene.folder}/clip.mp4")
    table.row("a clip of two hours, to its first byte",
              (cost(server, lambda _: client.get("/recordings/ten.mp4?start=7200&end=14400", "HEAD"), 3), "ms"))


def waiting(server, targets):
    """MiB that a thousand connections take, and those over them who each wait for the rest of a target."""
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
            fail(f"one of a thousand requests returned {answer}")
    server.processor_seconds()
    busy = server.memory()
    for each in clients:
        each.close()
    return (connected - idle) / MIB, (busy - connected) / MIB


def memory(scene, table):
    """A thousand who each wait for the rest of a segment of their own, beside as many that wait for the rest of a file."""
    with serve(scene) as server:
        wait_until_ready(server)
        _, files = waiting(server, ["/recordings/gigabyte.mp4"])
    with serve(scene) as server:
        wait_until_ready(server)
        client = Client(server)
        names = client.lines(client.lines("/recordings/gigabyte.m3u8")[0])
        client.close()
        connections, parts = waiting(server, names)
    table.row("a thousand connections, memory", (connections, "MiB"))
    table.row("a thousand who wait for the rest of a file over these, memory", (files, "MiB"))
    table.row("a thousand who wait for the rest of a segment, each of another", (parts, "MiB"), goal=at_most(40))


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


def far(scene, table):
    """A robot behind 8 Mbit/s and 50 ms."""
    if is_left_out(say, "the far link"):
        return
    with FarLink(50, 1_000_000) as link, serve(scene, address=link.far_addresses[0], prefix=link.far) as server:
        wait_until_ready(server)
        films = [first_picture(server, film=True) for _ in range(scene.rounds)]
        whole = first_picture(server, film=False)
    table.row("ten hours over 8 Mbit/s and 50 ms: to the first picture of the film", (statistics.median(f[0] for f in films), "s"),
              goal=at_most(1.2))
    table.row("  bytes until then", (films[0][1] / MB, "MB"), goal=at_most(0.6))
    table.row("  the same of the recording as a file", (whole[0], "s"))
    table.row("  bytes until then", (whole[1] / MB, "MB"))


def measure(scene):
    scene.certificates()
    make_recordings(scene)
    table = scene.table("moments, processor time where nothing else is said")
    say("indexing the recordings")
    with serve(scene) as server:
        wait_until_ready(server)
    # One that has nothing else to do.
    with serve(scene) as server:
        wait_until_ready(server)
        client = Client(server)
        # A file's time of access is written when it is first read after it was written, whoever reads it.
        for target in DAY, "/recordings/ten.m3u8", "/recordings/gigabyte.m3u8":
            client.get(target)
        server.processor_seconds()
        written = server.written()
        for part in segments, playlists, cuts:
            part(scene, server, client, table)
        client.close()
        table.row("written by the server for all of that", ((server.written() - written) / MB, "MB"), goal=at_most(0))
    memory(scene, table)
    far(scene, table)


if __name__ == "__main__":
    run(measure, __doc__)
