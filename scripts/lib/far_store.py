"""A store behind TLS and a far link, for benchmarks: this process is at the near end while it lasts."""

import ctypes
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOST, PORT = "10.8.0.2", 9443
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def is_left_out(say):
    """Whether there can be none here; a word says why."""
    if not shutil.which("haproxy"):
        say("the far store is left out: there is no haproxy")
        return True
    check = subprocess.run([sys.executable, f"{HERE}/far_link.py", "--check"], capture_output=True, text=True)
    if check.returncode != 0:
        say(f"the far store is left out: {check.stderr.strip()}")
    return check.returncode != 0


def enter(path):
    namespace = os.open(path, os.O_RDONLY)
    try:
        if libc.setns(namespace, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(namespace)


class FarStore:
    """What a folder of scripts/lib/object_store.sh has, at the far end; the near store of that folder is ended before.

    Its threads have to be started within it: a namespace is a thread's own.
    """

    def __init__(self, round_trip_ms, folder, certs):
        self.folder, self.certs, self.round_trip_ms = folder, certs, round_trip_ms
        self.bucket = f"https://{HOST}:{PORT}/recordings"
        with open(f"{certs}/server.pin") as file:
            self.pin = file.read().strip()

    def store(self, *arguments, prefix=()):
        return subprocess.run(
            [*prefix, f"{HERE}/object_store.sh", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            check=True).stdout.strip()

    def __enter__(self):
        self.store("stop", self.folder)
        self.link = subprocess.Popen(
            [sys.executable, f"{HERE}/far_link.py", str(self.round_trip_ms)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        place = json.loads(self.link.stdout.readline())
        far = ["nsenter", f"--net={place['robot']}"]
        address = self.store("start", self.folder, prefix=far)
        with open(f"{self.folder}/haproxy.pem", "w") as pem:
            os.fchmod(pem.fileno(), 0o600)
            for name in "server.pem", "server.key":
                with open(f"{self.certs}/{name}") as file:
                    pem.write(file.read())
        with open(f"{self.folder}/haproxy.cfg", "w") as file:
            file.write(f"""defaults
  mode http
  timeout connect 5s
  timeout client 300s
  timeout server 300s
listen store
  bind {HOST}:{PORT} ssl crt {self.folder}/haproxy.pem
  server swift {address.split('/')[2]}
""")
        self.front = subprocess.Popen([*far, "haproxy", "-f", f"{self.folder}/haproxy.cfg"], stdin=subprocess.DEVNULL)
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY)
        enter(place["app"])
        time.sleep(1)
        return self

    def __exit__(self, *_):
        if libc.setns(self.home, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        os.close(self.home)
        self.front.terminate()
        self.front.wait()
        self.store("stop", self.folder)
        self.link.stdin.close()
        self.link.wait()
