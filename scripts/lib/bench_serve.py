"""The measurements of scripts/bench.sh: bench_serve.py NGINX FOOTAGE FOLDER ROUNDS QUICK

In every round each figure is taken of both servers, one right after the other, each freshly started and alone on its
processor; the next round begins with the other one. A ratio is nginx's cost by Footage's in the same round, and what is
printed is the median over the rounds.
"""

import concurrent.futures
import hashlib
import http.client
import json
import os
import resource
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import sys
import time

NGINX, FOOTAGE, WORK = sys.argv[1:4]
ROUNDS, QUICK = int(sys.argv[4]), sys.argv[5] == "yes"
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
PATH = "/recordings/bench.mp4"
RECORDING = f"{WORK}/www{PATH}"
SIZE = os.path.getsize(RECORDING)
SUITE = "TLS_AES_128_GCM_SHA256"
AUTHORITY = f"{WORK}/certs/server.pem"
# The first two that this process may use; on a single one servers and clients share it.
PROCESSORS = sorted(os.sched_getaffinity(0))
SERVER_PROCESSOR, CLIENT_PROCESSOR = PROCESSORS[0], PROCESSORS[1 % len(PROCESSORS)]

# Amounts of work: long enough that starting and stopping do not show, short enough for a run of a few minutes.
BULK_DOWNLOADS = 1 if QUICK else 4
RANGE_SECONDS, PROBE_SECONDS = (1, 1) if QUICK else (4, 3)
WARM_UP, HANDSHAKES = (16, 64) if QUICK else (48, 480)
IDLE_CONNECTIONS = 200 if QUICK else 1000
READERS, READER_RATE, READER_SECONDS = 100, 125_000, 2 if QUICK else 5
CONNECTIONS = 32
MEAN_RANGE = (64 * KIB + MIB) // 2
SECONDS_A_ROUND = 80


def say(words):
    print(words, file=sys.stderr, flush=True)


def fail(words):
    sys.exit(f"bench: {words}")


def number(value):
    """Three digits that count, and never an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


# Servers

started = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(command, environment=None, **options):
    """Without the clients' OpenSSL configuration: a server keeps its own choice of suites, or Debian's."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENSSL_CONF"} | (environment or {})
    command = ["taskset", "-c", str(SERVER_PROCESSOR), *command]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, **options)
    started.append(process)
    return process


def stop(process):
    # Nobody needs the ten seconds that Footage grants to running responses.
    for wait in (2, 5):
        process.terminate()
        try:
            process.wait(wait)
            break
        except subprocess.TimeoutExpired:
            pass
    else:
        process.kill()
        process.wait()
    started.remove(process)


def start_nginx(asks_for_certificates):
    """Debian's settings for files, with one worker, and as many requests on a connection as a client likes."""
    port = free_port()
    folder = f"{WORK}/nginx"
    os.makedirs(folder, exist_ok=True)
    certificates = f"{WORK}/certs"
    # Started as root it would serve as a user who cannot look into the folder.
    user = "user root;" if os.geteuid() == 0 else ""
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    verification = f"""
        ssl_verify_client on;
        ssl_client_certificate {certificates}/client-ca.pem;
        ssl_crl {certificates}/client-ca.crl;""" if asks_for_certificates else ""
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
    keepalive_requests 1000000000;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {certificates}/server.pem;
        ssl_certificate_key {certificates}/server.key;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_tickets on;{verification}
        root {WORK}/www;
    }}
}}
""")
    process = start([NGINX, "-e", f"{folder}/error.log", "-p", folder, "-c", f"{folder}/nginx.conf"])
    return process, port


def start_footage(asks_for_certificates):
    authentication = "require" if asks_for_certificates else "none"
    process = start(
        [FOOTAGE, "serve", "--recordings", f"{WORK}/www/recordings", "--certs", f"{WORK}/certs",
         "--state", f"{WORK}/state", "--listen", "127.0.0.1:0", "--threads", "1", "--max-connections", "4096",
         "--client-auth", authentication, "--log-level", "warning"], stdout=subprocess.PIPE)
    address = process.stdout.readline().decode()
    if not address:
        process.wait()
        fail("footage serve did not start: what it says stands above")
    return process, int(address.rstrip("/\n").rsplit(":", 1)[1])


STARTERS = {"nginx": start_nginx, "Footage": start_footage}


class Server:
    """A fresh server that has answered, and its processes."""

    def __init__(self, name, asks_for_certificates=False):
        self.name = name
        self.asks_for_certificates = asks_for_certificates
        self.process, self.port = STARTERS[name](asks_for_certificates)
        self.url = f"https://127.0.0.1:{self.port}{PATH}"

    def __enter__(self):
        try:
            self.wait_until_it_serves()
            return self
        except BaseException:
            stop(self.process)
            raise

    def __exit__(self, *_):
        stop(self.process)

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
                    fail(f"{self.name} ended while it started: what it says stands above, or in its error log")
                if time.monotonic() > deadline:
                    fail(f"{self.name} does not serve {PATH}: {error}")
            time.sleep(0.02)

    def processes(self):
        """The server's process and its children, and theirs."""
        parents = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/stat") as file:
                        parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
                except OSError:
                    continue
        tree = [self.process.pid]
        for process in tree:
            tree += [child for child, parent in parents.items() if parent == process]
        return tree

    def processor_seconds(self):
        """Run time of all threads, of those that have ended too, as soon as the server has come to rest.

        It is the scheduler's sum in nanoseconds, by the clock of another process (clock_getcpuclockid(3))."""
        last = -1.0
        while True:
            now = sum(time.clock_gettime((~process << 3) | 2) for process in self.processes())
            if now - last < 0.0002:
                return now
            last = now
            time.sleep(0.05)

    def memory(self):
        """PSS of all processes, in bytes."""
        total = 0
        for process in self.processes():
            with open(f"/proc/{process}/smaps_rollup") as file:
                total += sum(int(line.split()[1]) * KIB for line in file if line.startswith("Pss:"))
        return total


# Clients


def client_context(with_certificate):
    context = ssl.create_default_context(cafile=AUTHORITY)
    if with_certificate:
        context.load_cert_chain(f"{WORK}/client.pem")
    return context


CONTEXTS = {needed: client_context(needed) for needed in (False, True)}


class Probe:
    """A connection by which a player asks for the first two bytes."""

    def __init__(self, server, session=None, receive_buffer=None):
        plain = socket.socket()
        plain.settimeout(10)
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            plain.connect(("127.0.0.1", server.port))
            context = CONTEXTS[server.asks_for_certificates]
            self.stream = context.wrap_socket(plain, server_hostname="localhost", session=session)
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
            raise http.client.HTTPException(f"status {response.status} where two bytes were asked for")

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


def output(command, timeout=60):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=timeout).stdout
    except subprocess.CalledProcessError as error:
        fail(f"{command[0]} failed with {error.returncode}: {' '.join(command)}")
    except subprocess.TimeoutExpired:
        fail(f"{command[0]} did not end within {timeout} s: {' '.join(command)}")


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


def wrk(server, seconds, seed, size, expected, connections=CONNECTIONS):
    """Requests answered within the time; their mean length has to be `expected` bytes, so that no error is counted.

    A size of 0 asks for two bytes, any other for ranges within it, and a negative one for the last 64 KiB."""
    words = output(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", f"{WORK}/wrk.lua",
                    server.url, "--", str(seed), str(size)], timeout=seconds + 30)
    line = next(line for line in words.decode().splitlines() if line.startswith("figures "))
    requests, length, errors = (int(word) for word in line.split()[1:])
    if errors or not requests:
        fail(f"wrk saw {errors} errors in {requests} answers of {server.name}")
    # What is under way at the end is counted in the bytes and not in the requests.
    lowest, highest = 0.9 * expected, (1.1 + 2 * connections / requests) * expected + 1000
    if not lowest <= length / requests <= highest:
        fail(f"an answer of {server.name} has {length / requests:.0f} bytes where {expected} were asked for")
    return requests


# Figures: each takes a server and a seed, and returns the cost of a unit of work


def bulk(server, _):
    command = ["curl", "-sf", "--http1.1", "--max-time", "50", "--cacert", AUTHORITY, "-w",
               "%{http_code} %{size_download} %{num_connects}\n"]
    for _ in range(BULK_DOWNLOADS):
        command += ["-o", "/dev/null", server.url]
    before = server.processor_seconds()
    answers = output(command).decode().split()
    cost = server.processor_seconds() - before
    expected = [f"200 {SIZE} {1 if index == 0 else 0}" for index in range(BULK_DOWNLOADS)]
    if answers != " ".join(expected).split():
        fail(f"curl's downloads from {server.name} came out as {' '.join(answers)}")
    return cost / (BULK_DOWNLOADS * SIZE / GIB)


def ranges(server, seed):
    before = server.processor_seconds()
    requests = wrk(server, RANGE_SECONDS, seed, SIZE, expected=MEAN_RANGE)
    return (server.processor_seconds() - before) / requests * 1e6


def probes(server, seed):
    before = server.processor_seconds()
    requests = wrk(server, PROBE_SECONDS, seed, 0, expected=2)
    return (server.processor_seconds() - before) / requests * 1e6


def connect(server, session=None):
    """Shakes hands, probes and hangs up: whether the session was resumed, and the one to go on from."""
    probe = Probe(server, session)
    probe.ask()
    result = probe.stream.session_reused, probe.stream.session
    probe.close()
    return result


def handshakes(server, resumes, at_once):
    # A server's first handshakes load code and tables, which would burden a short run.
    sessions = [connect(server)[1] for _ in range(WARM_UP)][:at_once]

    def work(session):
        resumed = 0
        for _ in range(HANDSHAKES // at_once):
            # From the last one's ticket, as a player does.
            was_resumed, session = connect(server, session if resumes else None)
            resumed += was_resumed
        return resumed

    before = server.processor_seconds()
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        resumed = sum(pool.map(work, sessions))
    cost = server.processor_seconds() - before
    count = HANDSHAKES // at_once * at_once
    if resumes:
        resumed_shares[server.name].append(resumed / count)
    elif resumed:
        fail(f"{server.name} resumed sessions that were not offered")
    return cost / count * 1e6


def full_handshakes(server, _):
    return handshakes(server, resumes=False, at_once=16)


def resumed_handshakes(server, _):
    return handshakes(server, resumes=True, at_once=16)


def lone_handshakes(server, _):
    """Between two of them nobody has the recording open."""
    return handshakes(server, resumes=True, at_once=1)


resumed_shares = {name: [] for name in STARTERS}


def idle_memory(server, _):
    before = server.memory()
    probes = []
    try:
        for _ in range(IDLE_CONNECTIONS):
            probes.append(Probe(server))
            probes[-1].ask()
        server.processor_seconds()
        cost = (server.memory() - before) / IDLE_CONNECTIONS / 1000
        # They are there only if they answer again.
        for probe in probes:
            probe.ask()
        return cost
    finally:
        for probe in probes:
            probe.close()


def socket_memory():
    """What the kernel keeps for all TCP connections of this machine, in bytes (proc(5), /proc/net/sockstat)."""
    with open("/proc/net/sockstat") as file:
        words = next(line for line in file if line.startswith("TCP:")).split()
    return int(words[words.index("mem") + 1]) * resource.getpagesize()


def reader_memory(server, _):
    """Readers that take what a video of 1 Mbit/s needs, ten times a second."""
    kernel_before = socket_memory()
    readers, samples = [], []
    buffer = memoryview(bytearray(READER_RATE // 10))
    try:
        for _ in range(READERS):
            # With the kernel's own choice the clients' side would take megabytes and hide the server's.
            readers.append(Probe(server, receive_buffer=64 * KIB))
            readers[-1].send()
        started = time.monotonic()
        for turn in range(READER_SECONDS * 10):
            for reader in readers:
                taken = 0
                while taken < len(buffer):
                    count = reader.stream.recv_into(buffer[taken:])
                    if count == 0:
                        fail(f"{server.name} cut off a slow reader")
                    taken += count
            if turn >= READER_SECONDS * 5:
                samples.append(server.memory() + socket_memory() - kernel_before)
            time.sleep(max(0, started + (turn + 1) / 10 - time.monotonic()))
        return statistics.median(samples) / MIB
    finally:
        for reader in readers:
            reader.close()


# (what it says, how it is taken, whether clients show a certificate)
FIGURES = [
    ("bulk, one connection, CPU-s/GiB", bulk, False),
    (f"ranges of 64 KiB–1 MiB, {CONNECTIONS} connections, CPU-ms/1000", ranges, False),
    (f"probes `bytes=0-1`, {CONNECTIONS} connections, CPU-ms/1000", probes, False),
    ("full handshake and probe, 16 at a time, CPU-ms/1000", full_handshakes, False),
    ("resumed handshake and probe, 16 at a time, CPU-ms/1000", resumed_handshakes, False),
    ("resumed handshake and probe, one at a time, CPU-ms/1000", lone_handshakes, False),
    ("full handshake with client certificate and probe, 16 at a time, CPU-ms/1000", full_handshakes, True),
    ("resumed handshake with client certificate and probe, 16 at a time, CPU-ms/1000", resumed_handshakes, True),
    (f"idle keep-alive connection out of {IDLE_CONNECTIONS:,}, PSS kB", idle_memory, False),
    (f"{READERS} readers at 1 Mbit/s, process and kernel, MiB", reader_memory, False),
]


# Correctness comes first


def digests(server):
    """Of the whole and of a range, as curl receives them."""
    results = []
    for part in ([], ["-r", "1000001-3000000"]):
        command = ["curl", "-sf", "--max-time", "60", "--cacert", AUTHORITY, *part, server.url]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as curl:
            results.append(hashlib.file_digest(curl.stdout, "sha256").hexdigest())
        if curl.returncode != 0:
            fail(f"curl failed with {curl.returncode} at {server.name}: {' '.join(command)}")
    return results


def check():
    with open(RECORDING, "rb") as file:
        whole = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(1_000_001)
        expected = [whole, hashlib.sha256(file.read(2_000_000)).hexdigest()]
    for name in STARTERS:
        with Server(name) as server:
            if digests(server) != expected:
                fail(f"{name} does not serve the bytes of the recording")
            probe = Probe(server)
            protocol, suite = probe.stream.version(), probe.stream.cipher()[0]
            probe.close()
            if (protocol, suite) != ("TLSv1.3", SUITE):
                fail(f"{name} speaks {protocol} with {suite} where TLSv1.3 with {SUITE} was offered")
    say(f"both serve the same {SIZE / MIB:.0f} MiB, with TLSv1.3 and {SUITE}")


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end(which, _):
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + which)


def prepare():
    for each in SIGNALS:
        signal.signal(each, end)
    signal.signal(signal.SIGALRM, lambda *_: fail("it takes too long: is the machine busy with something else?"))
    signal.alarm(60 + SECONDS_A_ROUND * ROUNDS)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < 4096:
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096 if hard < 0 else min(4096, hard), hard))
    os.sched_setaffinity(0, {CLIENT_PROCESSOR})
    for tool in ("taskset", "curl", "wrk"):
        if not shutil.which(tool):
            fail(f"there is no '{tool}' on the PATH: install it")
    # What is younger than ten seconds could still be being written.
    os.utime(RECORDING, (time.time() - 3600,) * 2)
    with open(f"{WORK}/wrk.lua", "w") as file:
        file.write(WRK_SCRIPT)


def main():
    prepare()
    version = subprocess.run([NGINX, "-v"], stderr=subprocess.PIPE, check=True).stderr.decode().split(":")[-1].strip()
    say(f"{version}; server on processor {SERVER_PROCESSOR}, clients on {CLIENT_PROCESSOR}; rounds: {ROUNDS}")
    check()
    costs = {what: {name: [] for name in STARTERS} for what, _, _ in FIGURES}
    for turn in range(ROUNDS):
        order = list(STARTERS) if turn % 2 == 0 else list(STARTERS)[::-1]
        say(f"round {turn + 1}:")
        for what, measure, asks_for_certificates in FIGURES:
            for name in order:
                try:
                    with Server(name, asks_for_certificates) as server:
                        costs[what][name].append(measure(server, turn + 1))
                except (OSError, http.client.HTTPException) as error:
                    fail(f"{name}, {what}: {error}")
            theirs, ours = (costs[what][name][-1] for name in ("nginx", "Footage"))
            say(f"  {what}: {number(theirs)} and {number(ours)}, ×{theirs / ours:.2f}")

    words = ", ".join(f"{name} {100 * statistics.mean(shares):.0f} %" for name, shares in resumed_shares.items())
    say(f"of the handshakes to be resumed were resumed: {words}")
    if min(min(shares) for shares in resumed_shares.values()) < 0.99:
        fail("sessions that should be resumed were not, so the figures of resumed handshakes mean nothing")
    print("| figure | nginx | Footage | ratio (above 1 is better) |\n|---|--:|--:|--:|")
    for what, _, _ in FIGURES:
        theirs, ours = costs[what]["nginx"], costs[what]["Footage"]
        ratio = statistics.median(their / our for their, our in zip(theirs, ours))
        print(f"| {what} | {number(statistics.median(theirs))} | {number(statistics.median(ours))} | ×{ratio:.2f} |")


def run(body):
    try:
        body()
    finally:
        for process in list(started):
            stop(process)


if __name__ == "__main__":
    run(main)
