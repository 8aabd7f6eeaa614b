"""What `--max-rate` does to downloads and probes, by curl over TLS on the loopback: rates over ten seconds, shares, and how long
a probe takes meanwhile."""

import statistics
import subprocess
import time

from tools import clips
from tools.bench.measurement import run
from tools.processes import Program
from tools.table import number

TITLE = "Rates: `--max-rate`"
PACKAGES = ["curl", "ffmpeg"]
ROUNDS = None
HAS_QUICK = False

SECONDS = 10
PROBES = 100
TARGET = "/recordings/film.mp4"
RATES = ("100K", 1e5), ("1M", 1e6), ("8M", 8e6), ("1MB", 8e6), ("50M", 5e7)
MOST_OFF = 0.05


class Scene:
    """Servers of one film, and clients of theirs."""

    def __init__(self, measurement):
        self.measurement = measurement
        self.table = measurement.table("with `--max-rate`")

    def serve(self, *options):
        server = self.measurement.serve(f"{self.measurement.folder}/recordings", "--max-connections-per-address", "none", *options)
        server.wait_for(1)
        return server

    def curl(self, server, seconds, *options):
        return Program(
            ["curl", "-s", "--cacert", f"{server.certs}/server.pem", "-m", seconds, "-o", "/dev/null", *options,
             f"https://127.0.0.1:{server.port}{TARGET}"], stdout=subprocess.PIPE, text=True)

    def downloads(self, server, *clients):
        """Bytes that as many get within the time, at once: each by an identity, or None."""
        running = [self.curl(
            server, SECONDS, "-w", "%{size_download}",
            *(["--cert-type", "P12", "--cert", f"{server.certs}/clients/{client}.p12:bench"] if client else [])) for client in clients]
        return [int(one.process.communicate()[0]) for one in running]

    def judge(self, words, cell, share):
        self.table.row(words, cell)
        if abs(share - 1) > MOST_OFF:
            self.measurement.fault(f"{words}: {100 * share:.1f} % of the rate was sent, which is off by more than a twentieth")

    def probes(self, server, words):
        """Milliseconds from request to answer, twenty a second over one connection."""
        command = ["curl", "-s", "--cacert", f"{server.certs}/server.pem", "-r", "0-1", "--rate", "20/s"]
        command += ["-w", "%{time_starttransfer} %{time_pretransfer}\n", "-o", "/dev/null"]
        command += [f"https://127.0.0.1:{server.port}{TARGET}?n=[1-{PROBES}]"]
        lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        times = [1000 * (float(first) - float(before)) for first, before in (line.split() for line in lines)]
        self.table.row(words, f"{number(statistics.median(times))} ms, longest {number(max(times))} ms")


def measure(measurement):
    measurement.certificates()
    measurement.certificates("--client", "many", "--client", "one", FOOTAGE_P12_PASSPHRASE="bench")
    film = f"{measurement.path('recordings')}/film.mp4"
    clips.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30", "-t", "60", *clips.X264, "-b:v", "20M", film)
    scene = Scene(measurement)
    for rate, bits in RATES:
        with scene.serve("--max-rate", rate) as server:
            # What was saved up before is not this measurement's.
            time.sleep(1)
            [count] = scene.downloads(server, None)
            share = count * 8 / SECONDS / bits
            scene.judge(f"one download, `{rate}`: sent of the rate in {SECONDS} s", (100 * share, "%"), share)
    with scene.serve("--max-rate", "8M", "--client-auth", "optional") as server:
        time.sleep(1)
        counts = scene.downloads(server, *["many"] * 6, "one")
        many, one = sum(counts[:6]), counts[6]
        scene.judge("six downloads of one viewer and one of another, `8M`", f"{many / 1e6:.2f} MB and {one / 1e6:.2f} MB",
                    (many + one) * 8 / SECONDS / 8e6)
    with scene.serve() as server:
        scene.probes(server, "probe on an idle server")
    for rate in ["8M", None]:
        with scene.serve(*(["--max-rate", rate] if rate else [])) as server:
            # Beside them the probes are few: where nothing is limited, both cores are busy with what is sent.
            running = [scene.curl(server, 60, "--limit-rate", "1G") for _ in range(6)]
            time.sleep(1)
            scene.probes(server, f"probe beside six downloads, {'`' + rate + '`' if rate else 'no limit'}")
            for one in running:
                one.stop()


if __name__ == "__main__":
    run(measure, __doc__)
