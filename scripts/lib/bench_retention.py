#!/usr/bin/env python3
"""What deleting does to a probe: bench_retention.py FOOTAGE WORK COUNT MEBIBYTES, where WORK has certs/ and clip.mp4.

Exits with 1 where a probe takes more than LIMIT_MS longer while recordings are deleted than before.
"""
import os
import pathlib
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time

LIMIT_MS = 20
PROBE = b"GET /recordings/probe.mp4 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1\r\n\r\n"


def make(folder, clip, count, size):
    """Recordings of a day ago, a second apart, each with a box of other bytes at its end; and the one that is probed."""
    folder.mkdir()
    filler = os.urandom(size)
    now = time.time()
    for number in range(count):
        path = folder / f"{number:05}.mp4"
        with open(path, "wb") as file:
            file.write(clip + struct.pack(">I", 8 + size) + b"free" + filler)
        os.utime(path, (now - 86_400 + number, now - 86_400 + number))
    (folder / "probe.mp4").write_bytes(clip)
    os.utime(folder / "probe.mp4", (now - 3_600, now - 3_600))
    subprocess.run(["sync", "-f", folder], check=True)


def start(program, work, *options):
    log = open(work / "log", "w+")
    process = subprocess.Popen(
        [program, "serve", "--recordings", work / "recordings", "--certs", work / "certs", "--listen", "127.0.0.1:0",
         *options], stdout=subprocess.PIPE, stderr=log, text=True)
    port = int(re.search(r":(\d+)/", process.stdout.readline()).group(1))
    return process, port, work / "log"


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait(30)


def left(work):
    return sum(1 for path in (work / "recordings").glob("[0-9]*.mp4"))


def connect(port, work):
    context = ssl.create_default_context(cafile=str(work / "certs/server.pem"))
    connection = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost")
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def probe(connection):
    """In milliseconds."""
    began = time.monotonic()
    connection.sendall(PROBE)
    answer = b""
    while b"\r\n\r\n" not in answer or len(answer.split(b"\r\n\r\n", 1)[1]) < 2:
        answer += connection.recv(4096)
    took = (time.monotonic() - began) * 1_000
    return took if answer.startswith(b"HTTP/1.1 206") else None


def measure(port, work, is_over):
    connection = connect(port, work)
    times = []
    while not is_over():
        for _ in range(20):
            took = probe(connection)
            if took is not None:
                times.append(took)
            time.sleep(0.001)
    return sorted(times)


def main():
    program, work, count, mebibytes = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    make(work / "recordings", (work / "clip.mp4").read_bytes(), count, mebibytes << 20)
    subprocess.run([program, "keep", "--mark-disk", "--recordings", work / "recordings"], check=True)
    # Indexed before, so that nothing else is going on.
    process, port, log = start(program, work)
    while not re.search(r"indexed (\d+) recordings", log.read_text()):
        time.sleep(0.2)
    end = time.monotonic() + 5
    before = measure(port, work, lambda: time.monotonic() > end)
    stop(process)
    process, port, log = start(program, work, "--max-size", "1M", "--keep-at-least", "1s")
    began = time.monotonic()
    deleting = measure(port, work, lambda: left(work) == 0 or time.monotonic() > began + 300)
    seconds = time.monotonic() - began
    stop(process)
    if left(work):
        raise SystemExit(f"bench_retention: {left(work)} recordings are left: {log.read_text()[-2_000:]}")
    at = lambda times, share: times[min(len(times) - 1, int(len(times) * share))]
    print(f"{count} recordings of {mebibytes} MiB deleted in {seconds:.1f} s")
    for words, times in (("before", before), ("while they were deleted", deleting)):
        print(f"probe {words}: longest of {len(times)} {times[-1]:.2f} ms, 999 of 1,000 {at(times, 0.999):.2f} ms, "
              f"half {at(times, 0.5):.2f} ms")
    if deleting[-1] > before[-1] + LIMIT_MS:
        raise SystemExit(f"bench_retention: that is more than {LIMIT_MS} ms longer")


main()
