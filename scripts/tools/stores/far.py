"""A store behind TLS and a far link: this process is at the near end while it lasts."""

import os
import shutil
import subprocess
import time

from tools import namespaces
from tools.processes import Program

OBJECT_STORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib/object_store.sh")
HOST, PORT = "10.8.0.2", 9443


def is_left_out(say):
    """Whether there can be none here; a word says why."""
    if not shutil.which("haproxy"):
        say("the far store is skipped: there is no haproxy")
        return True
    return namespaces.is_left_out(say, "the far store")


class FarStore(namespaces.FarLink):
    """What a folder of scripts/lib/object_store.sh has, at the far end; the near store of that folder is ended before."""

    def __init__(self, round_trip_ms, folder, certs):
        super().__init__(round_trip_ms)
        self.folder, self.certs = folder, certs
        self.bucket = f"https://{HOST}:{PORT}/recordings"
        with open(f"{certs}/server.pin") as file:
            self.pin = file.read().strip()

    def store(self, *arguments, prefix=()):
        return subprocess.run(
            [*prefix, OBJECT_STORE, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()

    def __enter__(self):
        self.store("stop", self.folder)
        super().__enter__()
        address = self.store("start", self.folder, prefix=self.far)
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
        self.front = Program([*self.far, "haproxy", "-f", f"{self.folder}/haproxy.cfg"])
        time.sleep(1)
        return self

    def __exit__(self, *failure):
        self.front.stop()
        self.store("stop", self.folder)
        super().__exit__(*failure)
