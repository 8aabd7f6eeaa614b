"""What a thousand peers cost that stand still: the process's memory, and the kernel's for their sockets.

Usage: bench_stalled.py FOOTAGE CERTS RECORDING WORK [PEERS]. Exits with 1 where a crowd costs more than LIMIT_MIB.
"""

import os
import re
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import time

LIMIT_MIB = 150
SETTLE_SECONDS = 3
LIST_LENGTH = 1000


def pss_mib(pid):
    """Of the process and its children, in MiB."""
    total = 0
    children = open(f"/proc/{pid}/task/{pid}/children").read().split()
    for one in [pid, *children]:
        try:
            text = open(f"/proc/{one}/smaps_rollup").read()
        except OSError:
            continue
        total += int(re.search(r"^Pss:\s+(\d+)", text, re.M).group(1))
    return total / 1024


def kernel_mib():
    """What the kernel holds for all TCP sockets of this machine, in MiB."""
    pages = re.search(r"^TCP:.* mem (\d+)", open("/proc/net/sockstat").read(), re.M).group(1)
    return int(pages) * resource.getpagesize() / (1 << 20)


def hello():
    """The first half of a ClientHello of 130 kB (RFC 8446 §4.1.2), in records of 16 KiB."""
    message = b"\x01\x01\xf0\x00\x03\x03" + bytes(32) + b"\x00\x01\x00"
    body = message + bytes(4 * 16384 - len(message))
    return b"".join(b"\x16\x03\x01\x40\x00" + body[at : at + 16384] for at in range(0, len(body), 16384))


class Server:
    def __init__(self, footage, certs, recordings, peers):
        command = [footage, "serve", "--recordings", recordings, "--certs", certs, "--listen", "127.0.0.1:0"]
        command += ["--max-connections", str(peers + 100), "--log-level", "warning"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))
        self.context = ssl.create_default_context(cafile=certs + "/server.pem")
        self.context.check_hostname = False

    def plain(self):
        one = socket.socket()
        # A far peer's buffers are its own, and these are of this machine.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.connect(("127.0.0.1", self.port))
        return one

    def ask(self, path):
        one = self.context.wrap_socket(self.plain())
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return one

    def wait_for_list(self):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            one = self.ask(f"/recordings?limit={LIST_LENGTH}&state=ready")
            one.settimeout(10)
            head = one.recv(4096).decode(errors="replace")
            one.close()
            if int(re.search(r"Content-Length: (\d+)", head).group(1)) > 200 * LIST_LENGTH:
                return
            time.sleep(0.2)
        sys.exit("the recordings were never all there")


def measure(server, peers, begin):
    """The process and the kernel before, during and after: what is more during it, and what stays, in MiB."""
    pid = server.process.pid
    process, kernel = pss_mib(pid), kernel_mib()
    crowd = []
    for _ in range(peers):
        try:
            crowd.append(begin())
        except OSError:
            # Refused, which costs nothing.
            pass
    time.sleep(SETTLE_SECONDS)
    more = pss_mib(pid) - process, kernel_mib() - kernel
    for one in crowd:
        one.close()
    time.sleep(SETTLE_SECONDS)
    return *more, pss_mib(pid) - process


def half_hello(server):
    one = server.plain()
    one.sendall(hello())
    return one


def main():
    footage, certs, recording, work = sys.argv[1:5]
    peers = int(sys.argv[5]) if len(sys.argv) > 5 else 1000
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    folder = os.path.join(work, "recordings")
    os.makedirs(folder)
    large = os.path.join(folder, "large.mp4")
    shutil.copy(recording, large)
    # A box that nobody needs, as long as a recording of some minutes (ISO/IEC 14496-12 §8.1.2).
    with open(large, "ab") as file:
        file.write((32 << 20).to_bytes(4, "big") + b"free" + bytes((32 << 20) - 8))
    for number in range(LIST_LENGTH):
        shutil.copy(recording, os.path.join(folder, f"the-front-camera-of-a-robot-{number:04}.mp4"))
    server = Server(footage, certs, folder, peers)
    try:
        server.wait_for_list()
        print(f"| {peers:,} peers | process, MiB | kernel, MiB | together | stays, MiB |")
        print("|---|--:|--:|--:|--:|")
        worst = 0
        for words, begin in [
            ("read nothing of a recording", lambda: server.ask("/recordings/large.mp4")),
            (f"read nothing of a list of {LIST_LENGTH:,}", lambda: server.ask(f"/recordings?limit={LIST_LENGTH}")),
            ("stop in the middle of a ClientHello of 130 kB", lambda: half_hello(server)),
        ]:
            process, kernel, stays = measure(server, peers, begin)
            worst = max(worst, process + kernel)
            print(f"| {words} | {process:.0f} | {kernel:.0f} | {process + kernel:.0f} | {stays:.0f} |", flush=True)
    finally:
        server.process.terminate()
        server.process.wait()
    if worst > LIMIT_MIB:
        sys.exit(f"a crowd costs {worst:.0f} MiB, and may cost {LIMIT_MIB}")


if __name__ == "__main__":
    main()
