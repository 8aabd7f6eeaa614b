"""A server of recordings for checks and benchmarks in Python, and what it answers."""

import http.client
import os
import ssl
import subprocess
import sys
import time
import json


class Server:
    """`footage serve` on 127.0.0.1, from `start` to `stop`: of a folder, or of what the options say without one."""

    def __init__(self, footage, work, recordings, *options):
        self.command = [
            footage, "serve", *(["--recordings", recordings] if recordings else []), "--certs", f"{work}/certs", "--state", f"{work}/state",
            "--listen", "127.0.0.1:0", "--log-level", "warning", *options]
        self.context = ssl.create_default_context(cafile=f"{work}/certs/server.pem")
        self.context.check_hostname = False
        self.connection = None
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        if not line:
            sys.exit("footage serve did not start: what it says stands above")
        self.port = int(line.rstrip("/\n").rsplit(":", 1)[1])
        self.pin = self.process.stdout.readline().decode().strip()

    def ask(self, target, method="GET", **fields):
        """A whole answer: its status, its fields by their names in lower case, its body."""
        for attempt in 0, 1:
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(
                    "127.0.0.1", self.port, timeout=60, context=self.context)
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
            raise LookupError(f"{target} is answered with {status}: {body[:300].decode(errors='replace')}")
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
        sys.exit(f"the {count} recordings are not all there after {seconds} s")

    def stop(self):
        if self.connection:
            self.connection.close()
        self.process.terminate()
        self.process.wait()


class Film:
    """A media playlist: its init segments and its segments, as targets."""

    def __init__(self, server, target):
        self.server = server
        self.text = server.get(target).decode()
        folder = target.split("?")[0].rsplit("/", 1)[0]
        self.parts = []
        self.is_whole = "#EXT-X-ENDLIST" in self.text
        initialization = start = None
        seconds = at = 0.0
        for line in self.text.splitlines():
            if line.startswith("#EXT-X-MAP:"):
                uri = line.split('URI="')[1].split('"')[0]
                initialization = os.path.normpath(f"{folder}/{uri}")
            elif line.startswith("#EXT-X-PROGRAM-DATE-TIME:"):
                start = line.split(":", 1)[1]
            elif line.startswith("#EXTINF:"):
                seconds = float(line[8:].split(",")[0])
            elif line and not line.startswith("#"):
                self.parts.append((initialization, os.path.normpath(f"{folder}/{line}"), at, seconds, start))
                at += seconds
                start = None
        self.seconds = at

    def bytes(self):
        """The first init segment, and all segments that go with it."""
        first = self.parts[0][0]
        return self.server.get(first) + b"".join(
            self.server.get(part) for initialization, part, *_ in self.parts if initialization == first)


def film_targets(server, item):
    """The media playlist and the key frames' playlist of a recording."""
    target = item.get("hls") or item["url"].removesuffix(".mp4") + ".m3u8"
    folder = target.rsplit("/", 1)[0]
    text = server.get(target).decode()
    media = next(line for line in text.splitlines() if line and not line.startswith("#"))
    frames = text.split("I-FRAME-STREAM-INF")[1].split('URI="')[1].split('"')[0]
    return f"{folder}/{media}", f"{folder}/{frames}"
