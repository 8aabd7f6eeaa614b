"""What --max-rate does to downloads and probes: rates over ten seconds, shares, and how long a probe takes meanwhile.

Usage: bench_pacing.py FOOTAGE WORK, where WORK has `certs`, with the clients `many` and `one`, and `recordings/film.mp4`.
Exits with 1 where a rate is missed by more than a twentieth.
"""

import re
import statistics
import subprocess
import sys
import time

SECONDS = 10
PROBES = 100
TARGET = "/recordings/film.mp4"


class Server:
    """One that runs for the length of a `with`."""

    def __init__(self, footage, work, *options):
        self.work = work
        self.command = [footage, "serve", "--recordings", work + "/recordings", "--certs", work + "/certs"]
        self.command += ["--state", work + "/state", "--listen", "127.0.0.1:0", "--log-level", "warning"]
        self.command += ["--max-connections-per-address", "none", *options]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))
        deadline = time.monotonic() + 60
        while self.curl(2, "-r", "0-1", "-w", "%{http_code}").communicate()[0] != "206":
            if time.monotonic() > deadline:
                sys.exit("the recording was never there")
            time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def curl(self, seconds, *options):
        command = ["curl", "-s", "--cacert", self.work + "/certs/server.pem", "-m", str(seconds), "-o", "/dev/null"]
        command += [*options, f"https://127.0.0.1:{self.port}{TARGET}"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def download(self, client=None):
        identity = []
        if client:
            identity = ["--cert-type", "P12", "--cert", f"{self.work}/certs/clients/{client}.p12:bench"]
        return self.curl(SECONDS, "-w", "%{size_download}", *identity)

    def probes(self):
        """Milliseconds from request to answer, twenty a second over one connection."""
        command = ["curl", "-s", "--cacert", self.work + "/certs/server.pem", "-r", "0-1", "--rate", "20/s"]
        command += ["-w", "%{time_starttransfer} %{time_pretransfer}\n", "-o", "/dev/null"]
        command += [f"https://127.0.0.1:{self.port}{TARGET}?n=[1-{PROBES}]"]
        lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        times = [1000 * (float(first) - float(before)) for first, before in (line.split() for line in lines)]
        return f"{statistics.median(times):.2f} ms, longest {max(times):.1f} ms"


def row(name, value):
    print(f"| {name} | {value} |", flush=True)


def main(footage, work):
    is_missed = False
    print("| with `--max-rate`, by curl over TLS on the loopback | |\n|---|---|")
    for rate, bits in [("100K", 1e5), ("1M", 1e6), ("8M", 8e6), ("1MB", 8e6), ("50M", 5e7)]:
        with Server(footage, work, "--max-rate", rate) as server:
            # What was saved up before is not this measurement's.
            time.sleep(1)
            share = int(server.download().communicate()[0]) * 8 / SECONDS / bits
            is_missed |= abs(share - 1) > 0.05
            row(f"one download, `{rate}`: sent of the rate in {SECONDS} s", f"{100 * share:.1f} %")
    with Server(footage, work, "--max-rate", "8M", "--client-auth", "optional") as server:
        time.sleep(1)
        running = [server.download("many") for _ in range(6)] + [server.download("one")]
        counts = [int(one.communicate()[0]) for one in running]
        many, one = sum(counts[:6]), counts[6]
        is_missed |= abs((many + one) * 8 / SECONDS / 8e6 - 1) > 0.05
        row("six downloads of one viewer and one of another, `8M`", f"{many / 1e6:.2f} MB and {one / 1e6:.2f} MB")
    with Server(footage, work) as server:
        row("probe on an idle server", server.probes())
    for rate in ["8M", None]:
        with Server(footage, work, *(["--max-rate", rate] if rate else [])) as server:
            # Beside them the probes are few: where nothing is limited, both cores are busy with what is sent.
            running = [server.curl(60, "--limit-rate", "1G") for _ in range(6)]
            time.sleep(1)
            row(f"probe beside six downloads, {'`' + rate + '`' if rate else 'no limit'}", server.probes())
            for one in running:
                one.terminate()
                one.wait()
    sys.exit(1 if is_missed else 0)


main(*sys.argv[1:])
