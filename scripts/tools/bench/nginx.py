"""nginx as a peer: Debian's settings for files, with one worker."""

import os
import shutil
import socket
import subprocess

from tools.bench.measurement import fail
from tools.processes import Program


def binary():
    """Debian has it in /usr/sbin, which not everybody's PATH has."""
    found = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    return found or fail("there is no nginx here")


def version():
    said = subprocess.run([binary(), "-v"], stderr=subprocess.PIPE, check=True).stderr.decode()
    return said.split("/")[-1].split()[0]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx(Program):
    """A server of a folder's files on 127.0.0.1.

    folder: for what it writes. prefix: a command that starts it. tls: lines of its configuration; plain HTTP without them.
    """

    def __init__(self, folder, root, tls=None, prefix=(), environment=None):
        os.makedirs(folder, exist_ok=True)
        self.port = free_port()
        # Started as root it would serve as a user who cannot look into the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        temporary = "\n    ".join(
            f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(f"""{user}
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    types {{ video/mp4 mp4; }}
    {temporary}
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 75s;
    # As many requests on a connection as a client likes.
    keepalive_requests 1000000000;
    server {{
        listen 127.0.0.1:{self.port}{' ssl' if tls else ''};
        {tls or ''}
        root {root};
    }}
}}
""")
        super().__init__(
            [*prefix, binary(), "-e", f"{folder}/error.log", "-p", folder, "-c", f"{folder}/nginx.conf"], env=environment)
