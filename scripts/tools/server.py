"""`footage serve` for checks and benchmarks, and what it answers: the one place where they start it."""

import http.client
import json
import socket
import ssl
import subprocess
import sys
import time

from tools.processes import Program


class Server(Program):
    """A server on 127.0.0.1, from its beginning to `stop`: of a folder, or of what the options say without one.

    work: a folder with `certs`. state: its folder for the state in there; with None the recordings' own is taken.
    address, prefix: where it listens, and the command that starts it there (`nsenter` and its options, say).
    """

    def __init__(self, footage, work, recordings, *options, state="state", address="127.0.0.1", prefix=(), certs="certs", **process):
        self.address = address
        self.certs = f"{work}/{certs}"
        self.started = time.monotonic()
        super().__init__(
            [*prefix, footage, "serve", *(["--recordings", recordings] if recordings else []), "--certs", self.certs,
             *(["--state", f"{work}/{state}"] if state else []), "--listen",
             f"[{address}]:0" if ":" in address else f"{address}:0", "--log-level", "warning", *options],
            stdout=subprocess.PIPE, **process)
        # Its certificate is checked, and names no address of a far link.
        self.context = ssl.create_default_context(cafile=f"{self.certs}/server.pem")
        self.context.check_hostname = False
        self.connection = None
        line = self.process.stdout.readline().decode()
        if not line:
            self.process.wait()
            sys.exit("footage serve did not start: see its messages above")
        self.port = int(line.rstrip("/\n").rsplit(":", 1)[1])
        with open(f"{self.certs}/server.pin") as file:
            self.pin = file.read().strip()

    def connect(self, receive_buffer=None):
        """A connection with TLS."""
        plain = socket.socket()
        plain.settimeout(60)
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.connect((self.address, self.port))
        return self.context.wrap_socket(plain)

    def ask(self, target, method="GET", **fields):
        """A whole answer: its status, its fields by their names in lower case, its body."""
        for attempt in 0, 1:
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(self.address, self.port, timeout=60, context=self.context)
            try:
                named = {name.replace("_", "-"): value for name, value in fields.items()}
                self.connection.request(method, target, headers=named)
                answer = self.connection.getresponse()
                body = answer.read()
                return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body
            except (http.client.HTTPException, OSError):
                # One that was kept open may have been closed meanwhile.
                self.connection.close()
                self.connection = None
                if attempt:
                    raise

    def get(self, target, **fields):
        status, _, body = self.ask(target, **fields)
        if status not in (200, 206):
            raise LookupError(f"{target} returned status {status}: {body[:300].decode(errors='replace')}")
        return body

    def recordings(self):
        """All of the list."""
        found, after = [], ""
        while True:
            page = json.loads(self.get(f"/recordings?limit=1000{after}"))
            found += page["recordings"]
            if page["next"] is None:
                return found
            after = f"&after={page['next']}"

    def wait_for(self, count, seconds=300):
        """Until so many recordings are there, and each is ready or refused."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.recordings()
            if len(found) >= count and all(each["state"] != "recording" for each in found):
                return found
            time.sleep(0.2)
        sys.exit(f"not all of the {count} recordings are listed after {seconds} s")

    def stop(self):
        if self.connection:
            self.connection.close()
        super().stop()
