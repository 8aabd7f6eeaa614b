"""What it costs to take recordings in: time, memory, bytes written, and qt-faststart beside it.

A figure is the median of several runs. "Beyond a clip" means: less what the same costs for a recording of one second,
which is the start of a process, opening the catalog and syncing a small file.
"""

import json
import multiprocessing
import os
import statistics
import struct
import subprocess
import time

from tools.clips import age
from tools.bench.measurement import GIB, MIB, ROOT, fail, run
from tools.boxes import FTYP, MP4V, box, full, movie, numbers, track
from tools.table import at_least, at_most

TITLE = "Taking recordings in"
# qt-faststart comes with ffmpeg.
PACKAGES = ["ffmpeg"]
ROUNDS = None
HAS_QUICK = False

SEED = f"{ROOT}/Tests/Fuzz/Corpus/recordings/moov-last.mp4"


# Files


def progressive(path, samples, length, filler=None):
    """moov last; `samples` pictures with B-frames and sizes of their own, ten a chunk, spread over `length` bytes."""
    data_start = len(FTYP) + 16
    size = (length - data_start) // samples - 1
    sizes = [size + index % 2 for index in range(samples)]
    offsets, position = [], data_start
    for index, count in enumerate(sizes):
        if index % 10 == 0:
            offsets.append(position)
        position += count
    tables = b"".join([
        full(b"stts", numbers(1, samples, 40)),
        full(b"ctts", numbers(samples), b"".join(numbers(1, 40 * (index % 3)) for index in range(samples))),
        full(b"stss", numbers((samples + 29) // 30, *range(1, samples + 1, 30))),
        full(b"stsc", numbers(1, 1, min(10, samples), 1)),
        full(b"stsz", numbers(0, samples, *sizes)),
        full(b"co64", numbers(len(offsets)), struct.pack(f">{len(offsets)}Q", *offsets)),
    ])
    moov = movie(track(1, b"vide", MP4V, 1000, tables))
    with open(path, "wb") as file:
        file.write(FTYP + struct.pack(">I4sQ", 1, b"mdat", position - len(FTYP)))
        if filler:
            while file.tell() < position:
                file.write(filler[:position - file.tell()])
        file.seek(position)
        file.write(moov)
    return len(moov)


def fragmented(path, fragments, length):
    samples = 30
    payload = length // fragments // samples * samples
    with open(path, "wb") as file:
        empty = b"".join([full(b"stts", numbers(0)), full(b"stsc", numbers(0)), full(b"stsz", numbers(0, 0)),
                          full(b"stco", numbers(0))])
        mvex = box(b"mvex", full(b"trex", numbers(1, 1, 40, 0, 0)))
        file.write(FTYP + movie(track(1, b"vide", MP4V, 1000, empty), extra=mvex))
        for index in range(fragments):
            def moof(offset):
                run = full(
                    b"trun", numbers(samples, offset),
                    b"".join(numbers(payload // samples, 0 if number == 0 else 0x10000, 40 * (number % 3))
                             for number in range(samples)), flags=0xE01)
                return box(
                    b"moof", full(b"mfhd", numbers(index + 1)),
                    box(b"traf", full(b"tfhd", numbers(1), flags=0x20000),
                        full(b"tfdt", numbers(index * samples * 40)), run))
            head = moof(len(moof(0)) + 8)
            file.write(head + struct.pack(">I4s", 8 + payload, b"mdat"))
            file.seek(payload, os.SEEK_CUR)
        file.truncate()


def copies(folder, count):
    """Small recordings, each with a creation time of its own."""
    seed = bytearray(open(SEED, "rb").read())
    place = seed.index(b"mvhd") + 8
    for index in range(count):
        struct.pack_into(">I", seed, place, 3_800_000_000 + 60 * index)
        with open(f"{folder}/{index:05}.mp4", "wb") as file:
            file.write(seed)
        age(f"{folder}/{index:05}.mp4")


def apart(make, *arguments):
    """Makes a file in a process of its own: a child's peak memory counts what its parent had when it was forked."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(make, arguments)


# Measuring


def one_run(*command):
    """Wall time in milliseconds and peak memory in bytes."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    words = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = (time.perf_counter() - started) * 1000
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        fail(f"{' '.join(command)} failed: {words.decode(errors='replace')}")
    return wall, usage.ru_maxrss * 1024


def ingest(scene, *paths, runs=11):
    """For each file the median time of indexing it in its place, and the highest peak memory; warm, with a catalog to
    make. The files take turns, so that what else the machine does burdens all of them alike."""
    results = [[] for _ in paths]
    for index in range(runs + 1):
        for path, own in zip(paths, results):
            folder = os.path.dirname(path)
            subprocess.run(["rm", "-rf", f"{folder}/.footage"], check=True)
            result = one_run(scene.footage, "ingest", "--recordings", folder, path)
            if index > 0:
                own.append(result)
    return [(statistics.median(wall for wall, _ in own), max(memory for _, memory in own)) for own in results]


def faststart_time(scene, source, runs):
    """In milliseconds, with the sync of what it wrote."""
    walls, target = [], f"{scene.folder}/faststart.mp4"
    for _ in range(runs):
        started = time.perf_counter()
        subprocess.run(["qt-faststart", source, target], check=True, stdout=subprocess.DEVNULL)
        with open(target, "rb") as file:
            os.fsync(file.fileno())
        walls.append((time.perf_counter() - started) * 1000)
        os.remove(target)
    return statistics.median(walls)


# Figures


def one_by_one(scene, table):
    """By a process for each recording."""
    clip = f"{scene.path('clip')}/x.mp4"
    apart(progressive, clip, 30, MIB)
    age(clip)
    [(clip_time, clip_memory)] = ingest(scene, clip)
    table.row("ingest of a clip of a second, whole process", (clip_time, "ms"))
    table.row("  its peak memory", (clip_memory / MIB, "MiB"))

    small, large = f"{scene.path('small')}/x.mp4", f"{scene.path('large')}/x.mp4"
    for path, length in ((small, 100 * MIB), (large, 8 * GIB)):
        apart(progressive, path, 100_000, length)
        age(path)
    [(small_time, _), (large_time, _)] = ingest(scene, small, large, runs=31)
    table.row("ingest of 100 MiB, 100,000 samples", (small_time, "ms"))
    table.row("ingest of 8 GiB, 100,000 samples", (large_time, "ms"))
    table.row("  8 GiB in terms of 100 MiB", (large_time / small_time, "×"), goal=at_most(1.3))
    os.remove(small)
    os.remove(large)

    path = f"{scene.path('million')}/x.mp4"
    moov = apart(progressive, path, 1_000_000, 2 * GIB)
    age(path)
    [(wall, memory)] = ingest(scene, path)
    table.row(f"ingest of 1,000,000 samples, moov of {moov / MIB:.0f} MiB", (wall, "ms"), goal=at_most(150))
    table.row("  its peak memory", (memory / MIB, "MiB"), goal=at_most(round(64 + 3 * moov / MIB)))
    os.remove(path)

    path = f"{scene.path('fragments')}/x.mp4"
    apart(fragmented, path, 1000, GIB)
    age(path)
    [(wall, memory)] = ingest(scene, path)
    table.row("ingest of 1 GiB in 1,000 fragments, warm", (wall, "ms"), goal=at_most(300))
    table.row("  its peak memory", (memory / MIB, "MiB"), goal=at_most(64))
    os.remove(path)

    path = f"{scene.path('full')}/x.mp4"
    apart(progressive, path, 32_000, GIB, os.urandom(MIB))
    age(path)
    subprocess.run(["sync", path], check=True)
    faststart = faststart_time(scene, path, 3) - faststart_time(scene, clip, 5)
    [(ingest_time, _), (clip_time, _)] = ingest(scene, path, clip, runs=31)
    ours = ingest_time - clip_time
    table.row("qt-faststart of 1 GiB and sync, beyond a clip", (faststart, "ms"))
    table.row("ingest of the same, beyond a clip", (ours, "ms"))
    # Below a tenth of a millisecond it is the noise that is measured.
    table.row("  times faster", (faststart / max(ours, 0.1), "×"), goal=at_least(100))
    os.remove(path)


def live(scene, table):
    """By a server, as recorders close them."""
    with scene.serve(scene.path("live"), state=None) as server:
        server.get("/recordings")
        waits, wrote = [], []
        for index in range(5):
            hidden = f"{scene.folder}/arriving-{index}.mp4"
            apart(progressive, hidden, 32_000, GIB)
            target = f"{scene.folder}/live/{index}.mp4"
            before = server.written()
            # Written where it will lie, as a recorder does: the last bytes, then the close.
            content = open(hidden, "rb")
            with open(target, "wb") as file:
                content.seek(0)
                file.write(content.read(64))
                tail = os.path.getsize(hidden) - 4 * MIB
                content.seek(tail)
                file.seek(tail)
                file.write(content.read())
            closed = time.perf_counter()
            while not any(item["name"] == str(index) and item["state"] == "ready" for item in server.recordings()):
                if time.perf_counter() - closed > 30:
                    fail(f"{target} never became ready")
            waits.append((time.perf_counter() - closed) * 1000)
            time.sleep(0.5)
            wrote.append(server.written() - before)
            os.remove(hidden)
            os.remove(target)
        table.row("1 GiB, moov last: from close until listed as ready", (statistics.median(waits), "ms"), goal=at_most(100))
        table.row("  peak memory of the server", (server.peak_memory() / MIB, "MiB"), goal=at_most(64))
        table.row("  written to disk", (statistics.median(wrote) / MIB, "MiB"), goal=at_most(round(0.02 * GIB / MIB)))


def many(scene, table):
    """Those that are there when a server starts."""
    thousand, more = scene.path("thousand"), scene.path("many")
    copies(thousand, 1_000)
    with scene.serve(thousand, state=None) as server:
        while json.loads(server.get("/health"))["recordings"] < 1_000:
            time.sleep(0.01)
        table.row("1,000 recordings indexed, from the server's start", (time.monotonic() - server.started, "s"), goal=at_most(5))
    copies(more, 10_000)
    with scene.serve(more, state=None) as server:
        while json.loads(server.get("/health"))["recordings"] < 10_000:
            time.sleep(0.05)
        table.row("10,000 recordings indexed, from the server's start", (time.monotonic() - server.started, "s"))
        waits = []
        for _ in range(200):
            started = time.perf_counter()
            page = server.get("/recordings")
            waits.append((time.perf_counter() - started) * 1000)
        table.row(f"the list's first page of {len(json.loads(page)['recordings'])} out of them, p50 on one connection",
                  (statistics.median(waits), "ms"), goal=at_most(20))


def measure(scene):
    scene.certificates()
    table = scene.table("taking recordings in")
    for part in (one_by_one, live, many):
        part(scene, table)


if __name__ == "__main__":
    run(measure, __doc__)
