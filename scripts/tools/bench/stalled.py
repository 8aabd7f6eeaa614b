"""What a thousand peers cost that stand still: the process's memory, and the kernel's for their sockets."""

import os
import resource
import shutil
import socket
import time

from tools import clips
from tools.bench.measurement import KIB, MIB, run
from tools.processes import kernel_socket_memory
from tools.table import at_most

TITLE = "A thousand peers that stand still"
PACKAGES = ["ffmpeg"]
ROUNDS = None
HAS_QUICK = False

LIMIT_MIB = 150
PEERS = 1000
SETTLE_SECONDS = 3
LIST_LENGTH = 1000


def hello():
    """The first half of a ClientHello of 130 kB (RFC 8446 §4.1.2), in records of 16 KiB."""
    message = b"\x01\x01\xf0\x00\x03\x03" + bytes(32) + b"\x00\x01\x00"
    body = message + bytes(64 * KIB - len(message))
    return b"".join(b"\x16\x03\x01\x40\x00" + body[at : at + 16 * KIB] for at in range(0, len(body), 16 * KIB))


def asking(server, path):
    # A far peer's buffers are its own, and these are of this machine.
    one = server.connect(receive_buffer=4096)
    one.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return one


def half_hello(server):
    one = socket.create_connection(("127.0.0.1", server.port))
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.sendall(hello())
    return one


def crowd_costs(server, begin):
    """The process and the kernel before, during and after: what is more during it, and what stays, in MiB."""
    process, kernel = server.memory(), kernel_socket_memory()
    crowd = []
    for _ in range(PEERS):
        try:
            crowd.append(begin(server))
        except OSError:
            # Refused, which costs nothing.
            pass
    time.sleep(SETTLE_SECONDS)
    more = server.memory() - process, kernel_socket_memory() - kernel
    for one in crowd:
        one.close()
    time.sleep(SETTLE_SECONDS)
    return [value / MIB for value in (*more, server.memory() - process)]


def measure(scene):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    scene.certificates()
    folder = scene.path("recordings")
    clip = f"{scene.folder}/clip.mp4"
    clips.small(clip, "testsrc=size=320x240:rate=10", 4)
    large = f"{folder}/large.mp4"
    shutil.copy(clip, large)
    # A box that nobody needs, as long as a recording of some minutes (ISO/IEC 14496-12 §8.1.2).
    with open(large, "ab") as file:
        file.write((32 * MIB).to_bytes(4, "big") + b"free" + bytes(32 * MIB - 8))
    for number in range(LIST_LENGTH):
        shutil.copy(clip, os.path.join(folder, f"the-front-camera-of-a-robot-{number:04}.mp4"))
    table = scene.table(f"{PEERS:,} peers", "process", "kernel", "stays", "together")
    for words, begin in [
        ("read nothing of a recording", lambda server: asking(server, "/recordings/large.mp4")),
        (f"read nothing of a list of {LIST_LENGTH:,}", lambda server: asking(server, f"/recordings?limit={LIST_LENGTH}")),
        ("stop in the middle of a ClientHello of 130 kB", half_hello),
    ]:
        with scene.serve(folder, "--max-connections", str(PEERS + 100)) as server:
            server.wait_for(LIST_LENGTH + 1)
            process, kernel, stays = crowd_costs(server, begin)
        table.row(words, (process, "MiB"), (kernel, "MiB"), (stays, "MiB"), (process + kernel, "MiB"), goal=at_most(LIMIT_MIB))


if __name__ == "__main__":
    run(measure, __doc__)
