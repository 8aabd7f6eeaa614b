"""Compares Documentation/reference/http.md with a running server.

Serves a folder of small recordings with the program and sends it every request that the page shows. It is a fault if the
server's answer differs from the page; if an answer has a status, a field, a JSON member or a problem code that the page does
not have; or if the page has one that was in no answer. Prints each fault, and exits with 1 if there is one.

What it reads of the page:
  | request | answer | …     a request (its line, then fields) and what must be in the answer (status, code, fields)
  | code | status | … | seen with |      problem codes, each with a request that gets it, or – if no request does
  | status | when |, | field | …        all statuses and fields
  | resource | methods | answer |       the methods of each resource; a link in `answer` names the section of its JSON
  | member | type | present | …         the members of the section's JSON; members that are present "with" something need
                                      not be in a robot's answer
  | parameter | …                       each must be in some request of the page
  ```http, ```json, ```sh               a request with the whole head of its answer; JSON; commands of curl
A request "with rights" is sent by a viewer who has all rights. The text after `body` is its body, which is JSON.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

from tools.arguments import arguments
from tools.clips import ffmpeg
from tools.server import Server

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "Documentation/reference/http.md"
HOST = "robot7.local:8443"
FIRST = "front/2026-11-20T10-15-30"
GROWING = "front/2026-11-20T10-16-30"
REFUSED = "rear/2026-11-20T10-16-30"
SPAN = '{"from": "2026-11-20T10:15:00Z", "to": "2026-11-20T10:16:00Z"}'
MOMENT = "?from=2026-11-20T10:15:30Z&to=2026-11-20T10:15:32Z"
METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE"]
faults = []


def fault(words):
    if words not in faults:
        faults.append(words)


# The page


class Table:
    def __init__(self, section, names):
        self.section, self.names, self.rows = section, names, []


def read_page():
    """The page's tables and fenced blocks, each with the anchor of the section that it stands in."""
    tables, blocks, section = [], [], ""
    table = block = None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if block is not None:
            if line == "```":
                block = None
            else:
                block[2].append(line)
            continue
        if line.startswith("```"):
            block = (section, line[3:], [])
            blocks.append(block)
        elif line.startswith("#"):
            heading = line.lstrip("#").strip().lower()
            section = re.sub(r"[^\w -]", "", heading).replace(" ", "-")
        if not line.startswith("|"):
            table = None
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if table is None:
            table = Table(section, cells)
            tables.append(table)
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            if len(cells) != len(table.names):
                fault(f"this row has a different number of cells than its table: {line}")
                continue
            table.rows.append(dict(zip(table.names, cells)))
    return tables, blocks


def spans(cell):
    """The code in a cell of Markdown, which stands in one or two backticks."""
    return [found.group(2).strip() for found in re.finditer(r"(`+)(.+?)\1", cell)]


def slug(cell):
    """The section that a link in a cell leads to."""
    found = re.search(r"\(#([\w-]+)\)", cell)
    return found.group(1) if found else None


# Asking


class Answer:
    def __init__(self, received):
        head, separator, self.body = received.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        found = re.fullmatch(r"HTTP/1\.1 (\d{3}) .*", lines[0])
        if not separator or not found:
            raise ValueError(f"no answer: {received[:200]!r}")
        self.line, self.status = lines[0], int(found.group(1))
        self.fields = [tuple(line.split(": ", 1)) for line in lines[1:]]

    def value(self, name):
        return next((value for known, value in self.fields if known.lower() == name.lower()), None)

    def json(self):
        return json.loads(self.body)


def receive(connection, has_body):
    received = b""
    while True:
        head, separator, body = received.partition(b"\r\n\r\n")
        if separator:
            length = re.search(rb"\r\nContent-Length: (\d+)", head)
            bodiless = not has_body or b" 204 " in head[:14] or b" 304 " in head[:14]
            if bodiless or (length and len(body) >= int(length.group(1))):
                break
        try:
            more = connection.recv(1 << 16)
        except (ConnectionError, ssl.SSLError):
            break
        if not more:
            break
        received += more
    return received


class Robot(Server):
    """A server of a folder of its own, asked byte by byte."""

    def __init__(self, program, scratch, name, *options, certs="certs", client=None):
        self.recordings = scratch / name
        self.recordings.mkdir(exist_ok=True)
        self.log = open(scratch / f"{name}.log", "w")
        super().__init__(
            program, scratch, self.recordings, "--name-zone", "UTC", *options, state=None, certs=certs, stderr=self.log)
        if client:
            self.context.load_cert_chain(client)
        self.statuses, self.names = set(), set()

    def ask(self, sent, has_body=True, plain=False):
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            if not plain:
                connection = self.context.wrap_socket(connection, server_hostname="robot7.local")
            with connection:
                connection.sendall(sent)
                answer = Answer(receive(connection, has_body))
        self.statuses.add(str(answer.status))
        self.names.update(name for name, _ in answer.fields)
        return answer

    def get(self, target, method="GET", fields=(), plain=False, body=None):
        lines = [f"{method} {target} HTTP/1.1"]
        if not any(field.lower().startswith("host:") for field in fields):
            lines.append(f"Host: {HOST}")
        if body is not None:
            fields = [*fields, "Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
        sent = ("\r\n".join([*lines, *fields, "", ""]) + (body or "")).encode()
        return self.ask(sent, has_body=method != "HEAD", plain=plain)

    def stop(self):
        super().stop()
        if self.process.returncode != 0:
            fault(f"the server ended with {self.process.returncode}")
        self.log.close()


def run(*command, **options):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options)


def make_scene(folder, growing):
    """The recordings of the page, and what the one that is still being recorded is written from."""
    for camera in ("front", "rear"):
        (folder / camera).mkdir()
    first = folder / f"{FIRST}.mp4"
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x240:r=25", "-f", "lavfi", "-i", "sine=f=440:r=48000", "-t", "2",
           "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", first)
    fragments = folder / "front/2026-11-20T10-17-30.mp4"
    ffmpeg("-i", first, "-c", "copy", "-movflags", "frag_keyframe+empty_moov+default_base_moof", fragments)
    os.truncate(fragments, fragments.stat().st_size - 2000)
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=160x120:r=25", "-t", "14", "-c:v", "libx264", "-preset", "ultrafast", "-g",
           "25", "-pix_fmt", "yuv420p", "-movflags", "frag_keyframe+empty_moov+default_base_moof", growing)
    ffmpeg("-i", first, "-c", "copy", "-vn", folder / "rear/2026-11-20T10-15-30.mp4")
    ffmpeg("-i", first, "-c", "copy", "-an", "-metadata:s:v", "rotate=90", folder / "rear/2099-01-01T00-00-00.mp4")
    (folder / "rear/2026-11-20T10-16-30.mp4").write_bytes(b"this is no MP4 file")
    (folder / "yesterday.mp4").write_bytes(first.read_bytes())
    # Its name is not UTF-8.
    (folder / os.fsdecode(b"caf\xe9.mp4")).write_bytes(first.read_bytes())
    # What was written to a moment ago could still have a writer.
    for path in folder.rglob("*.mp4"):
        os.utime(path, (1_763_600_000, 1_763_600_000))
    # A camera that has been silent for two hours, while the other one records.
    late = time.time() - 7200
    os.utime(folder / "rear/2026-11-20T10-15-30.mp4", (late, late))


def wait_for_scene(robot):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        items = robot.get("/recordings").json()["recordings"]
        states = {item["name"]: item["state"] for item in items}
        reasons = [reason["code"] for reason in robot.get("/health").json()["reasons"]]
        if (len(states) == 8 and sorted(states.values()).count("ready") == 5 and "recording" in states.values()
                and any(item.get("live") for item in items) and "camera-late" in reasons):
            return
        time.sleep(0.02)
    raise SystemExit(f"check-http: the recordings are not in the expected states: {states}")


def wait_for_listing(robot):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if len(robot.get("/recordings").json()["recordings"]) == 7:
            return
        time.sleep(0.02)
    raise SystemExit("check-http: the recordings are not listed")


# Comparing


class Check:
    def __init__(self, robot, closed_robot, known_robot, tables, blocks):
        self.robot, self.closed_robot, self.known_robot = robot, closed_robot, known_robot
        self.tables, self.blocks = tables, blocks
        self.asked, self.codes = [], set()
        self.types = {}
        for table in self.with_columns("member", "type", "present"):
            members = self.types.setdefault(table.section, {})
            for row in table.rows:
                members[spans(row["member"])[0]] = (row["type"], row["present"])
        self.met = {(section, member): set() for section in self.types for member in self.types[section]}
        head = robot.get(f"/recordings/{FIRST}.mp4", "HEAD")
        etag, length = head.value("ETag"), head.value("Content-Length")
        self.values = {
            "{etag}": etag, "{tag}": etag.strip('"')[:16], "{length}": length, "{last}": str(int(length) - 1),
            "{modified}": head.value("Last-Modified"),
            "{id}": robot.get(f"/recordings/{GROWING}.json").json()["tag"],
            "{key}": hashlib.sha256(f"film2\0{FIRST}\0{etag.strip(chr(34))}".encode()).hexdigest()[:32],
        }
        self.values["{next}"] = robot.get(f"/hls/{self.values['{id}']}/next").value("Footage-Next")

    def with_columns(self, *names):
        return [table for table in self.tables if all(name in table.names for name in names)]

    def filled(self, text):
        for name, value in self.values.items():
            text = text.replace(name, value)
        return text

    def resources(self):
        for table in self.with_columns("resource", "methods"):
            yield from table.rows

    def resource(self, target):
        """The row of the resource that a target names."""
        path = urllib.parse.unquote(re.sub(r"^https://[^/]*", "", target).split("?")[0])
        for row in self.resources():
            pattern = re.escape(spans(row["resource"])[0]).replace("NAME", ".+").replace("CAM", "[^/]*")
            pattern = pattern.replace("/KEY/", "/[0-9a-f]{32}/").replace("/ID/", "/[0-9a-f]{16}/").replace("/tN/", "/t[0-9]+/").replace("CODEC", "[a-z]+").replace("PART", "[^/]+")
            if re.fullmatch(pattern, path):
                return row
        return None

    # JSON

    def compare_json(self, value, section, path="", is_answer=True):
        members = self.types.get(section)
        if members is None:
            return fault(f"no section #{section} has a table of members")
        here = {name[len(path):] for name in members if name.startswith(path)}
        for name, content in value.items():
            known = members.get(path + name)
            if known is None:
                fault(f"'{path}{name}' is not a member that #{section} lists")
                continue
            if is_answer:
                self.met[section, path + name].add(self.kind(content))
            self.compare_value(content, known[0], section, path + name, is_answer)
        for name in here:
            if "." not in name and members[path + name][1] == "always" and name not in value:
                fault(f"'{path}{name}' is missing, but #{section} says that it is always present")

    @staticmethod
    def kind(content):
        names = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
        return "null" if content is None else names[type(content)]

    def compare_value(self, content, types, section, name, is_answer):
        kind = self.kind(content)
        wanted = set(re.findall(r"\b(?:boolean|integer|number|string|object|array|null)\b", types))
        if kind not in wanted and not (kind == "integer" and "number" in wanted):
            fault(f"'{name}' in #{section} is {content!r}; expected {types}")
        for part in content if kind == "array" else [content]:
            if isinstance(part, dict):
                self.compare_json(part, slug(types) or section, "" if slug(types) else f"{name}.", is_answer)

    # Exchanges

    def judge(self, answer, target, method="GET"):
        """What holds for every answer."""
        media_type = answer.value("Content-Type")
        if not answer.body or method == "HEAD":
            return
        if media_type == "application/problem+json":
            problem = answer.json()
            self.compare_json(problem, "problems")
            self.codes.add(problem.get("code"))
            if problem.get("status") != answer.status:
                fault(f"{method} {target}: the status in the problem is {problem.get('status')}")
        elif media_type == "application/json":
            row = self.resource(target)
            if row is None or slug(row["answer"]) is None:
                fault(f"{target} is JSON, but the table of resources does not link to its members")
            else:
                self.compare_json(answer.json(), slug(row["answer"]))

    def exchange(self, cell):
        """Asks for what a cell shows: a request line and fields, or the very bytes."""
        first, *fields = (self.filled(span) for span in spans(cell))
        robot = self.closed_robot if "without a certificate" in cell else self.robot
        body = None
        if "with rights" in cell:
            robot = self.known_robot
            if "body" in cell:
                body = fields.pop()
        if "\\n" in first or "\\r" in first:
            self.asked.append(first)
            text = re.sub(r"<(\d+) times ([^>]+)>", lambda found: found.group(2) * int(found.group(1)), first)
            sent = re.sub(r"\\x([0-9A-F]{2})", lambda found: chr(int(found.group(1), 16)), text)
            answer = robot.ask(sent.replace("\\r", "\r").replace("\\n", "\n").encode("latin-1"))
            target = "/"
            method = "GET"
        else:
            method, target = first.split(" ", 1)
            self.asked.append(target)
            answer = robot.get(target, method, fields, plain="without TLS" in cell, body=body)
        self.judge(answer, target, method)
        return answer

    def compare_requests(self):
        for table in self.with_columns("request", "answer"):
            for row in table.rows:
                answer = self.exchange(row["request"])
                status, *wanted = (self.filled(span) for span in spans(row["answer"]))
                status, _, code = status.partition(" ")
                # What is being made is there in a moment.
                patience = time.monotonic() + 20
                while answer.status == 202 and status != "202" and time.monotonic() < patience:
                    time.sleep(0.1)
                    answer = self.exchange(row["request"])
                if answer.status != int(status):
                    fault(f"{row['request']}: {answer.line}; expected {status}")
                if code and answer.json().get("code") != code:
                    fault(f"{row['request']}: {answer.body.decode()}; expected {code}")
                for field in wanted:
                    name, _, value = field.partition(": ")
                    if answer.value(name) is None or value not in ("", answer.value(name)):
                        fault(f"{row['request']}: {name} is {answer.value(name)}; expected {value or 'a value'}")

    def compare_examples(self):
        for section, language, lines in self.blocks:
            text = self.filled("\n".join(lines))
            if language == "json":
                self.compare_json(json.loads(text), section, is_answer=False)
            elif language == "http":
                asked, _, answered = text.partition("\n\n")
                line, *fields = asked.split("\n")
                method, target, _ = line.split(" ")
                self.asked.append(target)
                answer = self.robot.get(target, method, fields)
                self.judge(answer, target, method)
                self.compare_head(line, answered.split("\n"), answer)

    @staticmethod
    def compare_head(request, wanted, answer):
        def matches(line, pattern):
            return re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), line)

        lines = [answer.line] + [f"{name}: {value}" for name, value in answer.fields]
        for line in lines:
            if not any(matches(line, pattern) for pattern in wanted):
                fault(f"{request}: the answer's '{line}' is not in the example")
        for pattern in wanted:
            if not any(matches(line, pattern) for line in lines):
                fault(f"{request}: the example's '{pattern}' is not in the answer")

    def compare_methods(self):
        for row in self.resources():
            resource = spans(row["resource"])[0]
            target = resource.replace("NAME", REFUSED if ".raw" in resource else FIRST).replace("CAM", "front")
            target = target.replace("KEY", self.values["{key}"]).replace("/ID/", f"/{self.values['{id}']}/")
            target = target.replace("/tN/", "/t1/").replace("CODEC", "aac").replace("PART", "0.m4s").replace("CURSOR", "1")
            if target == "/cameras/front.mp4":
                target += MOMENT
            documented = spans(row["methods"])
            robot = self.known_robot if "with rights" in row["answer"] else self.robot
            for method in METHODS:
                answer = robot.get(target, method, body=SPAN if method == "POST" and "CAM" in resource else None)
                self.judge(answer, target, method)
                if method in documented:
                    if answer.status >= 400:
                        fault(f"{method} {target}: {answer.line}, but the page says that the method is supported")
                elif answer.status != 405 or answer.value("Allow") != ", ".join(documented):
                    fault(f"{method} {target}: {answer.line} with Allow: {answer.value('Allow')}; expected 405 with the "
                          "page's methods")
            if robot.get(target, "OPTIONS").value("Allow") != ", ".join(documented):
                fault(f"OPTIONS {target} does not allow exactly {', '.join(documented)}")

    def compare_end(self):
        """What grew is closed."""
        row = next(row for table in self.with_columns("code", "status", "seen with") for row in table.rows
                   if spans(row["code"]) == ["closed"])
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            answer = self.robot.get(f"/hls/{self.values['{id}']}/next?after={self.values['{next}']}")
            if f"{answer.status}" == row["status"] and answer.json()["code"] == "closed":
                return
        fault(f"the end of a growing recording is {answer.line}; expected {row['status']} closed")

    # The whole

    def compare_codes(self):
        documented = set()
        for table in self.with_columns("code", "status", "seen with"):
            for row in table.rows:
                [code] = spans(row["code"])
                documented.add(code)
                if row["seen with"] == "–":
                    continue
                answer = self.exchange(row["seen with"])
                said = answer.json().get("code") if answer.body else None
                if f"{answer.status}" != row["status"] or said != code:
                    fault(f"{row['seen with']}: {answer.status} {said}; expected {row['status']} {code}")
        in_sources = codes_in("FootageAnswers", "FootageAPI", "FootageHTTP", "FootageServer", "FootageServing")
        for code in sorted((self.codes | in_sources) - documented):
            fault(f"the page has no problem code '{code}'")
        for code in sorted(documented - in_sources):
            fault(f"the page's problem code '{code}' is in no source")
        of_proxy = {spans(row["code of the proxy"])[0] for table in self.with_columns("code of the proxy")
                    for row in table.rows}
        in_proxy = codes_in("FootageCore/Loopback", "FootageCore/Linux/Loopback")
        if of_proxy != in_proxy:
            fault(f"the page and the proxy's sources differ in {', '.join(sorted(of_proxy ^ in_proxy))}")

    def documented(self, column, but=""):
        """What the tables with a column have in it: all, and what can be asked for."""
        rows = [row for table in self.with_columns(column) if but not in table.names for row in table.rows]
        return ({row[column].strip("`") for row in rows},
                {row[column].strip("`") for row in rows if row.get("seen with") != "–"})

    def compare_lists(self):
        robots = [self.robot, self.closed_robot, self.known_robot]
        statuses = set().union(*(robot.statuses for robot in robots))
        names = set().union(*(robot.names for robot in robots))
        for what, seen, (everything, shown) in [
            ("status", statuses, self.documented("status", but="code of the proxy")),
            ("field", names, self.documented("field")),
        ]:
            for one in sorted(seen - everything):
                fault(f"the page has no {what} {one}")
            for one in sorted(shown - seen):
                fault(f"the page's {what} {one} was in no answer")
        for table in self.with_columns("parameter"):
            for row in table.rows:
                for name in spans(row["parameter"]):
                    if not any(re.search(rf"[?&]{re.escape(name)}=", target) for target in self.asked):
                        fault(f"the parameter {name} is in no request of the page")
        for (section, member), kinds in self.met.items():
            types = self.types[section][member][0]
            if not kinds:
                if not self.types[section][member][1].startswith("with "):
                    fault(f"'{member}' of #{section} was in no answer")
            elif "null" in types and "null" not in kinds and "(rarely)" not in types:
                fault(f"'{member}' of #{section} was never null")

    def compare_commands(self, scratch):
        home = scratch / "curl"
        home.mkdir()
        shutil.copy(f"{self.robot.certs}/server.pem", home)
        (home / ".curlrc").write_text(
            f"connect-to = {HOST}:127.0.0.1:{self.robot.port}\nsilent\nshow-error\nfail\nmax-time = 60\n")
        environment = {"PATH": os.environ["PATH"], "CURL_HOME": str(home), "HOME": str(home)}
        for _, language, lines in self.blocks:
            if language != "sh":
                continue
            for command in "\n".join(lines).replace("\\\n", " ").split("\n"):
                done = subprocess.run(["sh", "-c", command], cwd=home, env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True)
                if done.returncode != 0:
                    fault(f"{command}: {done.stderr.strip()}")


def codes_in(*folders):
    """The problem codes in the sources of some modules."""
    codes = set()
    for folder in folders:
        for path in (ROOT / "Sources" / folder).rglob("*.swift"):
            text = path.read_text(encoding="utf-8")
            codes.update(re.findall(r'code:(?: String =)? "([a-z0-9.-]+)"', text))
            if re.search("Refusal|ProblemCode", path.name):
                codes.update(re.findall(r'case \w+ = "([a-z0-9.-]+)"', text))
    # Of answers, which a client reads.
    codes.discard("malformed-status-line")
    return codes


def main():
    program = os.path.abspath(arguments(__doc__, "program").program)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="footage-http-"))
    robots = []
    try:
        run(ROOT / "scripts/gen-certs.sh", "--out", scratch / "certs", "--name", "robot7.local", "--ip", "127.0.0.1",
            "--client", "viewer", env={**os.environ, "FOOTAGE_P12_PASSPHRASE": "only for a moment"},
            stderr=subprocess.DEVNULL)
        (scratch / "recordings").mkdir()
        growing_bytes = scratch / "growing.mp4"
        make_scene(scratch / "recordings", growing_bytes)
        run(program, "keep", "--recordings", scratch / "recordings", "yesterday")
        robot = Robot(program, scratch, "recordings")
        robots.append(robot)
        closed_robot = Robot(program, scratch, "closed", "--client-auth", "require")
        robots.append(closed_robot)
        shutil.copytree(scratch / "recordings", scratch / "known", ignore=shutil.ignore_patterns(".footage"))
        shutil.copytree(scratch / "certs", scratch / "known-certs")
        (scratch / "known-certs/viewers.conf").write_text("viewer cameras=* keep release status share\n")
        client = scratch / "viewer.pem"
        run("openssl", "pkcs12", "-in", scratch / "certs/clients/viewer.p12", "-noenc", "-passin",
            "pass:only for a moment", "-out", client)
        known_robot = Robot(program, scratch, "known", "--client-auth", "require", "--allow-origin",
                            "https://dash.example", certs="known-certs", client=client)
        robots.append(known_robot)
        wait_for_listing(known_robot)
        with open(robot.recordings / f"{GROWING}.mp4", "wb") as growing:
            growing.write(growing_bytes.read_bytes()[:-2000])
            growing.flush()
            wait_for_scene(robot)
            check = Check(robot, closed_robot, known_robot, *read_page())
            check.compare_requests()
            check.compare_examples()
            check.compare_methods()
            check.compare_codes()
            check.compare_commands(scratch)
        check.compare_end()
        check.compare_lists()
        for one in robots:
            one.stop()
    finally:
        for one in robots:
            if one.process.poll() is None:
                one.process.kill()
                one.process.wait()
        shutil.rmtree(scratch)
    for words in faults:
        print(f"check.http_reference: {words}", file=sys.stderr)
    return 1 if faults else 0


sys.exit(main())
