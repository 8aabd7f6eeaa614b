"""Processor time and memory of serving, beside Debian's nginx with TLSv1.3 and one suite, on one recording of 256 MiB.

In every round each figure is taken of both servers, one right after the other, each freshly started and alone on its
processor; the next round begins with the other one. A ratio is nginx's cost by Footage's in the same round, and what stands here is
the median of the rounds' ratios, which need not be that of the two medians beside it.
"""

import concurrent.futures
import hashlib
import http.client
import os
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import time

from tools import clips
from tools.bench import nginx
from tools.bench.measurement import GIB, KIB, MIB, fail, output, run, say
from tools.processes import kernel_socket_memory
from tools.server import Server
from tools.table import number

TITLE = "Serving, beside nginx"
PACKAGES = ["nginx-light", "wrk", "curl", "ffmpeg"]
ROUNDS = 3
HAS_QUICK = True

PATH = "/recordings/bench.mp4"
SUITE = "TLS_AES_128_GCM_SHA256"
CONNECTIONS = 32
MEAN_RANGE = (64 * KIB + MIB) // 2
READERS, READER_RATE = 100, 125_000
SECONDS_A_ROUND = 80
# The first two that this process may use; on a single one servers and clients share it.
PROCESSORS = sorted(os.sched_getaffinity(0))
SERVER_PROCESSOR, CLIENT_PROCESSOR = PROCESSORS[0], PROCESSORS[1 % len(PROCESSORS)]
PINNED = ["taskset", "-c", str(SERVER_PROCESSOR)]


class Amounts:
    """Of work: long enough that starting and stopping do not show, short enough for a run of a few minutes."""

    def __init__(self, is_quick):
        self.downloads = 1 if is_quick else 4
        self.range_seconds, self.probe_seconds = (1, 1) if is_quick else (4, 3)
        self.warm_up, self.handshakes = (16, 64) if is_quick else (48, 480)
        self.idle_connections = 200 if is_quick else 1000
        self.reader_seconds = 2 if is_quick else 5


# Servers


def servers_environment():
    """Without the clients' OpenSSL configuration: a server keeps its own choice of suites, or Debian's."""
    return {name: value for name, value in os.environ.items() if name != "OPENSSL_CONF"}


class Peer:
    """A server that is measured, and how clients reach it: what both have in common."""

    def prepare(self, certificates, recording, with_certificate=False):
        self.recording = recording
        self.authority = f"{certificates}/server.pem"
        self.url = f"https://127.0.0.1:{self.port}{PATH}"
        self.client_context = ssl.create_default_context(cafile=self.authority)
        if with_certificate:
            self.client_context.load_cert_chain(f"{certificates}/client.pem")

    def __enter__(self):
        try:
            self.wait_until_it_serves()
            return self
        except BaseException:
            self.stop()
            raise

    def wait_until_it_serves(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                probe = Probe(self)
                probe.ask()
                probe.close()
                return
            except (OSError, http.client.HTTPException) as error:
                if self.process.poll() is not None:
                    fail(f"{self.name} ended while it started: see its messages above, or its error log")
                if time.monotonic() > deadline:
                    fail(f"{self.name} does not serve {PATH}: {error}")
            time.sleep(0.02)


class Nginx(Peer, nginx.Nginx):
    name = "nginx"

    def __init__(self, scene, asks_for_certificates=False):
        certificates = f"{scene.folder}/certs"
        verification = f"""
        ssl_verify_client on;
        ssl_client_certificate {certificates}/client-ca.pem;
        ssl_crl {certificates}/client-ca.crl;""" if asks_for_certificates else ""
        nginx.Nginx.__init__(self, f"{scene.folder}/nginx", f"{scene.folder}/www", f"""
        ssl_certificate {certificates}/server.pem;
        ssl_certificate_key {certificates}/server.key;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_tickets on;{verification}""", prefix=PINNED, environment=servers_environment())
        self.prepare(certificates, f"{scene.folder}/www{PATH}", asks_for_certificates)


class Footage(Peer, Server):
    name = "Footage"

    def __init__(self, scene, asks_for_certificates=False, recordings=None, threads=1, state="state", environment=None):
        self.begun = time.monotonic()
        Server.__init__(
            self, scene.footage, scene.folder, recordings or f"{scene.folder}/www/recordings", "--threads", str(threads),
            "--max-connections", "4096", "--client-auth", "require" if asks_for_certificates else "none",
            state=state, prefix=PINNED, env=servers_environment() | (environment or {}))
        self.prepare(self.certs, f"{scene.folder}/www{PATH}", asks_for_certificates)


PEERS = {"nginx": Nginx, "Footage": Footage}


# Clients


class Probe:
    """A connection by which a player asks for the first two bytes."""

    def __init__(self, server, session=None, receive_buffer=None):
        plain = socket.socket()
        plain.settimeout(10)
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            plain.connect(("127.0.0.1", server.port))
            self.stream = server.client_context.wrap_socket(plain, server_hostname="localhost", session=session)
        except BaseException:
            plain.close()
            raise

    def send(self, headers=""):
        self.stream.sendall(f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())

    def ask(self):
        self.send("Range: bytes=0-1\r\n")
        response = http.client.HTTPResponse(self.stream)
        response.begin()
        if response.status != 206 or len(response.read()) != 2:
            raise http.client.HTTPException(f"status {response.status} where two bytes were requested")

    def get(self, target):
        """The whole of a document."""
        self.stream.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        response = http.client.HTTPResponse(self.stream)
        response.begin()
        body = response.read()
        if response.status != 200:
            raise http.client.HTTPException(f"status {response.status} for {target}")
        return body

    def close(self):
        self.stream.close()


WRK_SCRIPT = """
-- The lengths are spread evenly and only their order and places are drawn, so every run asks for the same work.
local requests, turn = {}, 0
function init(arguments)
  math.randomseed(tonumber(arguments[1]))
  local size, count = tonumber(arguments[2]), 256
  for index = 1, count do
    local first, length = 0, 2
    if size < 0 then
      first, length = -size - 65536, 65536
    elseif size > 0 then
      length = 65536 + math.floor((index - 1) * (1048576 - 65536) / (count - 1))
      first = math.random(0, size - length)
    end
    requests[index] = wrk.format("GET", nil, {
      Host = "localhost", Range = string.format("bytes=%d-%d", first, first + length - 1) })
  end
  for index = count, 2, -1 do
    local other = math.random(1, index)
    requests[index], requests[other] = requests[other], requests[index]
  end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
function done(summary)
  local errors = summary.errors
  io.write(string.format("\\nfigures %d %d %d\\n", summary.requests, summary.bytes,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
"""


def wrk(server, folder, seconds, seed, size, expected, connections=CONNECTIONS):
    """Requests answered within the time; their mean length has to be `expected` bytes, so that no error is counted.

    A size of 0 asks for two bytes, any other for ranges within it, and a negative one for the last 64 KiB."""
    script = f"{folder}/wrk.lua"
    if not os.path.exists(script):
        with open(script, "w") as file:
            file.write(WRK_SCRIPT)
    words = output(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", script,
                    server.url, "--", str(seed), str(size)], timeout=seconds + 30)
    line = next(line for line in words.decode().splitlines() if line.startswith("figures "))
    requests, length, errors = (int(word) for word in line.split()[1:])
    if errors or not requests:
        fail(f"wrk saw {errors} errors in {requests} answers of {server.name}")
    # What is under way at the end is counted in the bytes and not in the requests.
    lowest, highest = 0.9 * expected, (1.1 + 2 * connections / requests) * expected + 1000
    if not lowest <= length / requests <= highest:
        fail(f"an answer of {server.name} has {length / requests:.0f} bytes where {expected} were requested")
    return requests


# Figures: each takes a server, the measurement's folder, amounts and a seed, and returns the cost of a unit of work


def bulk(server, _, amounts, __):
    size = os.path.getsize(server.recording)
    command = ["curl", "-sf", "--http1.1", "--max-time", "50", "--cacert", server.authority, "-w",
               "%{http_code} %{size_download} %{num_connects}\n"]
    for _ in range(amounts.downloads):
        command += ["-o", "/dev/null", server.url]
    before = server.processor_seconds()
    answers = output(command).decode().split()
    cost = server.processor_seconds() - before
    expected = [f"200 {size} {1 if index == 0 else 0}" for index in range(amounts.downloads)]
    if answers != " ".join(expected).split():
        fail(f"curl's downloads from {server.name} ended as {' '.join(answers)}")
    return cost / (amounts.downloads * size / GIB)


def ranges(server, folder, amounts, seed):
    before = server.processor_seconds()
    requests = wrk(server, folder, amounts.range_seconds, seed, os.path.getsize(server.recording), expected=MEAN_RANGE)
    return (server.processor_seconds() - before) / requests * 1e6


def probes(server, folder, amounts, seed):
    before = server.processor_seconds()
    requests = wrk(server, folder, amounts.probe_seconds, seed, 0, expected=2)
    return (server.processor_seconds() - before) / requests * 1e6


def connect(server, session=None):
    """Shakes hands, probes and hangs up: whether the session was resumed, and the one to go on from."""
    probe = Probe(server, session)
    probe.ask()
    result = probe.stream.session_reused, probe.stream.session
    probe.close()
    return result


def handshakes(server, amounts, resumes, at_once):
    # A server's first handshakes load code and tables, which would burden a short run.
    sessions = [connect(server)[1] for _ in range(amounts.warm_up)][:at_once]

    def work(session):
        resumed = 0
        for _ in range(amounts.handshakes // at_once):
            # From the last one's ticket, as a player does.
            was_resumed, session = connect(server, session if resumes else None)
            resumed += was_resumed
        return resumed

    before = server.processor_seconds()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        resumed = sum(pool.map(work, sessions))
    cost = server.processor_seconds() - before
    count = amounts.handshakes // at_once * at_once
    if resumes and resumed < 0.99 * count:
        fail(f"{server.name} resumed {resumed} of {count} sessions, so the cost of a resumed handshake is unknown")
    if resumed and not resumes:
        fail(f"{server.name} resumed sessions that were not offered")
    return cost / count * 1e6


def full_handshakes(server, _, amounts, __):
    return handshakes(server, amounts, resumes=False, at_once=16)


def resumed_handshakes(server, _, amounts, __):
    return handshakes(server, amounts, resumes=True, at_once=16)


def lone_handshakes(server, _, amounts, __):
    """Between two of them nobody has the recording open."""
    return handshakes(server, amounts, resumes=True, at_once=1)


def idle_memory(server, _, amounts, __):
    before = server.memory()
    probes = []
    try:
        for _ in range(amounts.idle_connections):
            probes.append(Probe(server))
            probes[-1].ask()
        server.processor_seconds()
        cost = (server.memory() - before) / amounts.idle_connections / 1000
        # They are there only if they answer again.
        for probe in probes:
            probe.ask()
        return cost
    finally:
        for probe in probes:
            probe.close()


def reader_memory(server, _, amounts, __):
    """Readers that take what a video of 1 Mbit/s needs, ten times a second."""
    kernel_before = kernel_socket_memory()
    readers, samples = [], []
    buffer = memoryview(bytearray(READER_RATE // 10))
    try:
        for _ in range(READERS):
            # With the kernel's own choice the clients' side would take megabytes and hide the server's.
            readers.append(Probe(server, receive_buffer=64 * KIB))
            readers[-1].send()
        started = time.monotonic()
        for turn in range(amounts.reader_seconds * 10):
            for reader in readers:
                taken = 0
                while taken < len(buffer):
                    count = reader.stream.recv_into(buffer[taken:])
                    if count == 0:
                        fail(f"{server.name} cut off a slow reader")
                    taken += count
            if turn >= amounts.reader_seconds * 5:
                samples.append(server.memory() + kernel_socket_memory() - kernel_before)
            time.sleep(max(0, started + (turn + 1) / 10 - time.monotonic()))
        return statistics.median(samples) / MIB
    finally:
        for reader in readers:
            reader.close()


def figures(amounts):
    """Each by what it says, its unit, how it is taken, and whether clients show a certificate."""
    thousand = "ms per 1,000"
    return [
        ("bulk, one connection, processor time", "s/GiB", bulk, False),
        (f"ranges of 64 KiB–1 MiB, {CONNECTIONS} connections", thousand, ranges, False),
        (f"probes `bytes=0-1`, {CONNECTIONS} connections", thousand, probes, False),
        ("full handshake and probe, 16 at a time", thousand, full_handshakes, False),
        ("resumed handshake and probe, 16 at a time", thousand, resumed_handshakes, False),
        ("resumed handshake and probe, one at a time", thousand, lone_handshakes, False),
        ("full handshake with client certificate and probe, 16 at a time", thousand, full_handshakes, True),
        ("resumed handshake with client certificate and probe, 16 at a time", thousand, resumed_handshakes, True),
        (f"idle keep-alive connection out of {amounts.idle_connections:,}, PSS", "kB", idle_memory, False),
        (f"{READERS} readers at 1 Mbit/s, process and kernel", "MiB", reader_memory, False),
    ]


# Correctness comes first


def digests(server):
    """Of the whole and of a range, as curl receives them."""
    results = []
    for part in ([], ["-r", "1000001-3000000"]):
        command = ["curl", "-sf", "--max-time", "60", "--cacert", server.authority, *part, server.url]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as curl:
            results.append(hashlib.file_digest(curl.stdout, "sha256").hexdigest())
        if curl.returncode != 0:
            fail(f"curl failed with {curl.returncode} at {server.name}: {' '.join(command)}")
    return results


def check(scene):
    recording = f"{scene.folder}/www{PATH}"
    with open(recording, "rb") as file:
        whole = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(1_000_001)
        expected = [whole, hashlib.sha256(file.read(2_000_000)).hexdigest()]
    for name, start in PEERS.items():
        with start(scene) as server:
            if digests(server) != expected:
                fail(f"{name} does not serve the bytes of the recording")
            probe = Probe(server)
            protocol, suite = probe.stream.version(), probe.stream.cipher()[0]
            probe.close()
            if (protocol, suite) != ("TLSv1.3", SUITE):
                fail(f"{name} speaks {protocol} with {suite} where TLSv1.3 with {SUITE} was offered")
    say(f"both serve the same {os.path.getsize(recording) / MIB:.0f} MiB, with TLSv1.3 and {SUITE}")


def prepare(scene, seconds):
    """Certificates and the recording, and a limit for all of it."""
    signal.signal(signal.SIGALRM, lambda *_: fail("it takes too long: is the machine busy with something else?"))
    signal.alarm(seconds)
    os.sched_setaffinity(0, {CLIENT_PROCESSOR})
    for tool in ("taskset", "curl", "wrk"):
        if not shutil.which(tool):
            fail(f"there is no '{tool}' on the PATH: install it")
    scene.peers["nginx"] = nginx.version()
    say("making certificates and a recording of 256 MiB")
    # Protects a key that is thrown away in a few minutes.
    phrase = {"FOOTAGE_P12_PASSPHRASE": "benchmark"}
    scene.certificates("--name", "localhost", "--ip", "127.0.0.1", "--client", "bench", **phrase)
    certificates = f"{scene.folder}/certs"
    subprocess.run(
        ["openssl", "pkcs12", "-in", f"{certificates}/clients/bench.p12", "-passin", "pass:benchmark", "-clcerts", "-nodes", "-out",
         f"{certificates}/client.pem"], stderr=subprocess.DEVNULL, env=servers_environment(), check=True)
    clips.noise(f"{scene.path('www/recordings')}/bench.mp4", 256 * MIB, seconds=4)


def measure(scene):
    prepare(scene, 180 + SECONDS_A_ROUND * scene.rounds)
    say(f"server on processor {SERVER_PROCESSOR}, clients on {CLIENT_PROCESSOR}; rounds: {scene.rounds}")
    check(scene)
    amounts = Amounts(scene.is_quick)
    costs = {what: {name: [] for name in PEERS} for what, *_ in figures(amounts)}
    for turn in range(scene.rounds):
        order = list(PEERS) if turn % 2 == 0 else list(PEERS)[::-1]
        say(f"round {turn + 1}:")
        for what, _, take, asks_for_certificates in figures(amounts):
            for name in order:
                try:
                    with PEERS[name](scene, asks_for_certificates) as server:
                        costs[what][name].append(take(server, scene.folder, amounts, turn + 1))
                except (OSError, http.client.HTTPException) as error:
                    fail(f"{name}, {what}: {error}")
            theirs, ours = (costs[what][name][-1] for name in ("nginx", "Footage"))
            say(f"  {what}: {number(theirs)} and {number(ours)}, ×{theirs / ours:.2f}")
    table = scene.table("processor time and memory", "nginx", "Footage", "ratio (above 1 is better)")
    for what, unit, *_ in figures(amounts):
        theirs, ours = costs[what]["nginx"], costs[what]["Footage"]
        table.row(what, (statistics.median(theirs), unit), (statistics.median(ours), unit),
                  (statistics.median(their / our for their, our in zip(theirs, ours)), "×"))


if __name__ == "__main__":
    run(measure, __doc__)
