"""A relay between a robot and its store on this machine, which counts what each request and each answer brings.

It says what went over the wire, whatever the robot says that it has sent.
"""

import re
import socket
import threading

PIECE = 1 << 18
SENT, RECEIVED = "by the robot", "by the store"


class Closed(Exception):
    """One side has ended the connection."""


class Stream:
    def __init__(self, plain):
        self.plain, self.rest = plain, b""

    def read(self, most):
        if self.rest:
            piece, self.rest = self.rest[:most], self.rest[most:]
            return piece
        piece = self.plain.recv(most)
        if not piece:
            raise Closed
        return piece

    def head(self):
        """A head with its empty line."""
        head = b""
        while (end := head.find(b"\r\n\r\n")) < 0:
            head += self.read(PIECE)
        self.rest = head[end + 4:] + self.rest
        return head[:end + 4]

    def line(self):
        line = b""
        while not line.endswith(b"\r\n"):
            line += self.read(1)
        return line


def field(head, name):
    found = re.search(rb"\r\n" + name + rb":[ \t]*([^\r]*)", head, re.I)
    return found[1].decode() if found else ""


class Relay:
    """Listens on a port of its own from now on, for as long as this process is there."""

    def __init__(self, port):
        """`port`: the store's."""
        self.port = port
        self.lock = threading.Lock()
        self.is_noted = threading.Condition(self.lock)
        self.counts = {SENT: {}, RECEIVED: {}}
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def address(self):
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def note(self, direction, key, count):
        with self.lock:
            counts = self.counts[direction]
            counts[key] = counts.get(key, 0) + count
            self.is_noted.notify_all()

    def take(self, direction):
        """The bytes of bodies since the last time, by method, path and the number of the part (0 for none)."""
        with self.lock:
            taken, self.counts[direction] = self.counts[direction], {}
            return taken

    def part_bytes(self):
        return sum(count for (_, _, part), count in self.counts[SENT].items() if part)

    def wait_for_parts(self, count, seconds):
        """Until so many bytes of parts have come; whether they have."""
        with self.lock:
            return self.is_noted.wait_for(lambda: self.part_bytes() >= count, seconds)

    def serve(self, plain):
        try:
            with plain, socket.create_connection(("127.0.0.1", self.port)) as other:
                for each in plain, other:
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                client, store = Stream(plain), Stream(other)
                while self.exchange(client, store):
                    pass
        except (OSError, Closed):
            return

    def exchange(self, client, store):
        """A request and its answer; whether another may follow."""
        head = client.head()
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split()
        path, _, query = target.partition("?")
        part = re.search(r"partNumber=(\d+)", query)
        key = method, path, int(part[1]) if part else 0
        store.plain.sendall(head)
        answer = None
        if field(head, b"expect"):
            answer = store.head()
            client.plain.sendall(answer)
        if answer is None or answer.split()[1] == b"100":
            self.copy(client, store.plain, int(field(head, b"content-length") or 0), SENT, key)
            answer = store.head()
            client.plain.sendall(answer)
        if method == "HEAD" or answer.split()[1] in (b"204", b"304"):
            return True
        if field(answer, b"transfer-encoding"):
            self.copy_chunks(store, client.plain)
        else:
            self.copy(store, client.plain, int(field(answer, b"content-length") or 0), RECEIVED, key)
        return field(answer, b"connection").lower() != "close"

    def copy(self, source, target, count, direction, key):
        while count:
            piece = source.read(min(count, PIECE))
            # Before it is passed on: what was sent and then lost was sent.
            self.note(direction, key, len(piece))
            target.sendall(piece)
            count -= len(piece)

    @staticmethod
    def copy_chunks(source, target):
        while True:
            line = source.line()
            target.sendall(line)
            count = int(line.split(b";")[0], 16) + 2
            while count:
                piece = source.read(min(count, PIECE))
                target.sendall(piece)
                count -= len(piece)
            if line.strip() == b"0":
                return
