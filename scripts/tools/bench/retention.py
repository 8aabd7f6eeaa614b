"""What deleting a thousand recordings to make room does to a viewer's probe.

An optimised server deletes them while one connection asks for two bytes of another one over and over.
"""

import os
import pathlib
import socket
import struct
import subprocess
import time

from tools import clips
from tools.bench.measurement import MIB, fail, run
from tools.table import at_most

TITLE = "Making room beside a viewer"
PACKAGES = ["ffmpeg"]
ROUNDS = None
HAS_QUICK = False

LIMIT_MS = 20
COUNT, SIZE = 1000, 4 * MIB
PROBE = b"GET /recordings/probe.mp4 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1\r\n\r\n"


def make(folder, clip):
    """Recordings of a day ago, a second apart, each with a box of other bytes at its end; and the one that is probed."""
    filler = os.urandom(SIZE)
    now = time.time()
    for index in range(COUNT):
        path = folder / f"{index:05}.mp4"
        with open(path, "wb") as file:
            file.write(clip + struct.pack(">I4s", 8 + SIZE, b"free") + filler)
        os.utime(path, (now - 86_400 + index, now - 86_400 + index))
    (folder / "probe.mp4").write_bytes(clip)
    os.utime(folder / "probe.mp4", (now - 3_600, now - 3_600))
    subprocess.run(["sync", "-f", folder], check=True)


def left(folder):
    return sum(1 for _ in folder.glob("[0-9]*.mp4"))


def probe(connection):
    """In milliseconds, or None where it is not answered with 206."""
    began = time.monotonic()
    connection.sendall(PROBE)
    answer = b""
    while b"\r\n\r\n" not in answer or len(answer.split(b"\r\n\r\n", 1)[1]) < 2:
        received = connection.recv(4096)
        if not received:
            fail("the server closed the connection of a probe")
        answer += received
    took = (time.monotonic() - began) * 1_000
    return took if answer.startswith(b"HTTP/1.1 206") else None


def probes(server, is_over):
    connection = server.connect()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    times = []
    while not is_over():
        for _ in range(20):
            took = probe(connection)
            if took is not None:
                times.append(took)
            time.sleep(0.001)
    return sorted(times)


def at(times, share):
    return times[min(len(times) - 1, int(len(times) * share))]


def measure(scene):
    scene.certificates("--name", "localhost")
    folder, clip = pathlib.Path(scene.path("recordings")), f"{scene.folder}/clip.mp4"
    clips.small(clip, "color=c=gray:s=64x64:r=5", 2)
    make(folder, pathlib.Path(clip).read_bytes())
    subprocess.run([scene.footage, "keep", "--mark-disk", "--recordings", folder], check=True)
    # Indexed before, so that nothing else is going on.
    with scene.serve(folder, state=None) as server:
        server.wait_for(COUNT + 1)
        end = time.monotonic() + 5
        before = probes(server, lambda: time.monotonic() > end)
    with scene.serve(folder, "--max-size", "1M", "--keep-at-least", "1s", state=None) as server:
        began = time.monotonic()
        deleting = probes(server, lambda: left(folder) == 0 or time.monotonic() > began + 300)
        seconds = time.monotonic() - began
    if left(folder):
        fail(f"{left(folder)} recordings are left")
    table = scene.table("a probe", "half", "999 of 1,000", "longest")
    for words, times in (("before", before), (f"while {COUNT:,} recordings of 4 MiB were deleted, in {seconds:.1f} s", deleting)):
        table.row(words, (at(times, 0.5), "ms"), (at(times, 0.999), "ms"), (times[-1], "ms"),
                  goal=at_most(round(before[-1]) + LIMIT_MS) if times is deleting else None)


if __name__ == "__main__":
    run(measure, __doc__)
