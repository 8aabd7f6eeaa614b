"""Runs the commands of the guide exactly as written: check.guide PROGRAM

A robot named robot7.local serves the recordings that the pages mention on port 8443, in its own network namespace. The commands of the
pages run one after another, and each must end with 0; `footage serve` must keep serving. Commands that cannot run here are listed below
with the reason; a listed text that no command contains is a fault. curl stands in for players. Needs root, and a kernel with namespaces.
"""

import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tools.arguments import arguments
from tools.clips import X264, ffmpeg

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = ["README.md", *(f"Documentation/guide/{name}.md" for name in (
    "moments", "evidence", "files", "retention", "store", "certificates", "viewers", "monitoring", "other-machines", "thin-link", "install"))]
# Beginnings of commands, or parts of them, and why they do not run here.
LEFT_OUT = {
    "scripts/run.sh": "builds the program, which test.sh does",
    "scripts/test.sh": "is what runs this",
    "scripts/build.sh": "builds the program",
    "scripts/package.sh": "makes packages, which check-package.sh installs",
    "sudo apt install": "check-first-picture.sh runs the package's commands",
    "sudo cat /etc/footage": "the same",
    "sudo cp one.mp4 /srv": "the same",
    "podman": "check-image.sh runs the image",
    "sudo chown -R 10000": "the image's user",
    "install .build": "installs what is built",
    "rsync": "copies to a robot",
    "--offload": "needs a store: check-stores.sh and the suite have some",
    "footage offload": "the same",
    "offload-key": "the same",
    "/etc/footage": "the package's folder",
    "…": "has a gap for the reader to fill",
    "-listen": "waits for a camera",
    "-rtsp_flags": "the same",
    "footage robots": "looks for Avahi, which this namespace does not have",
    "$ sudo footage status": "is shown with its answer",
    "degraded:": "is an answer",
    "Camera rear has": "is an answer",
    "audit:": "is a line of the log",
}
PLAYER = """#!/bin/sh
# Reads what it is given, as a player would that plays it to its end.
ca=
for word; do
  case $word in
    --tls-ca-file=*) ca=${word#*=} ;;
    http*) url=$word ;;
  esac
done
exec curl -sf --max-time 20 ${ca:+--cacert "$ca"} -o /dev/null "$url"
"""


def commands(page):
    """Each command of the indented blocks and of fences for a shell, with its line's number."""
    found, pending, start, fence = [], "", 0, None
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            fence = None if fence is not None else line[3:]
            continue
        if fence not in (None, "sh") or fence is None and not line.startswith("    "):
            continue
        text = line[4:] if fence is None else line
        if fence is None and re.match(r"\s*(\||\*|- )", text):
            continue
        start = start or number
        pending += text.removesuffix("\\")
        if text.endswith("\\"):
            continue
        if pending.strip() and not pending.lstrip().startswith("#"):
            found.append((start, pending.strip()))
        pending, start = "", 0
    return found


def make_recordings(folder):
    yesterday = datetime.date.today() - datetime.timedelta(days=1)
    clip = folder.parent / "clip.mp4"
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=160x120:r=10", "-t", "180", *X264, "-g", "10", clip)
    for name in (f"rear/{yesterday}T14-19-00", f"front/{yesterday}T14-19-00", "front/2026-11-20T10-15-30", "front/2026-11-20T14-20-00",
                 "rear/2026-11-20T14-20-00", "sample"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(clip, folder / f"{name}.mp4")
        os.utime(folder / f"{name}.mp4", (1_763_600_000, 1_763_600_000))
    recent = datetime.datetime.now() - datetime.timedelta(minutes=30)
    shutil.copyfile(clip, folder / f"front/{recent:%Y-%m-%dT%H-%M-%S}.mp4")
    os.utime(folder / f"front/{recent:%Y-%m-%dT%H-%M-%S}.mp4", (recent.timestamp(),) * 2)


class Scene:
    """A robot, and a person at a terminal in its folder."""

    def __init__(self, work, program):
        self.work = work
        tools = work / "bin"
        tools.mkdir()
        (tools / "footage").symlink_to(program)
        for name, text in (("mpv", PLAYER), ("sudo", '#!/bin/sh\nexec "$@"\n')):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        (work / "scripts").symlink_to(ROOT / "scripts")
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(work / "home"), "LANG": "C.UTF-8",
            "FOOTAGE_P12_PASSPHRASE": "of the guide", "FOOTAGE_STATUS_LISTEN": str(work / "status")}
        make_recordings(work / "recordings")
        self.run("scripts/gen-certs.sh --out certs --name robot7.local --name localhost --ip 127.0.0.1", check=True)
        for name in "server.pem", "server.pin":
            shutil.copy(work / "certs" / name, work)
        shutil.copy(work / "certs/server.pem", work / "alice.pem")
        self.server = None

    def run(self, command, timeout=60, **options):
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, **options)

    def begin(self, command="footage serve --robot-name robot7 --log-level warning"):
        self.server = subprocess.Popen(
            command.split(), cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, executable=self.work / "bin/footage")
        line = self.server.stdout.readline()
        while line and "https://" not in line:
            line = self.server.stdout.readline()
        return line

    def end(self):
        self.server.terminate()
        self.server.wait(20)

    def serves(self, command):
        """Whether a server as a page starts it is there; the robot's own makes place for it."""
        self.end()
        try:
            return bool(self.begin(command))
        finally:
            self.end()
            self.begin()

    def try_pages(self):
        faults, used, count = [], set(), 0
        self.begin()
        # Before anything is asked for: the recordings are indexed, a robot is known by its key, and there is a copy to be proved.
        for command in ("for n in $(seq 100); do [ $(footage list | grep -c ready) -ge 7 ] && exit; sleep 0.2; done; exit 1",
                        'footage pair robot7.local --pin "$(cat server.pin)"',
                        "footage export front/2026-11-20T10-15-30 -o copy.mp4"):
            self.run(command, check=True)
        for page in PAGES:
            variables = ""
            for number, command in commands(page):
                reasons = [words for words in LEFT_OUT if words in command]
                if reasons:
                    used.update(reasons)
                    continue
                count += 1
                plain = re.sub(r"\s+#.*$", "", command)
                if plain.startswith("footage serve"):
                    if not self.serves(plain):
                        faults.append(f"{page}:{number}: {plain}: it serves nothing")
                    continue
                if re.match(r"\w+=", plain):
                    variables += f"{plain}\n"
                done = self.run(variables + plain)
                # curl -J writes over no file, and each command is one that somebody gives first.
                for saved in self.work.glob("robot7_*"):
                    saved.unlink()
                if done.returncode != 0:
                    faults.append(f"{page}:{number}: {plain}: exit status {done.returncode}: {done.stdout.strip()[-300:]}")
        self.end()
        faults += [f"no command contains '{words}', which is to be left out" for words in sorted(LEFT_OUT.keys() - used)]
        for words in faults:
            print(f"check.guide: {words}", file=sys.stderr)
        print(f"check.guide: {count} commands of {len(PAGES)} pages", file=sys.stderr)
        return 1 if faults else 0


def inside(program):
    with tempfile.TemporaryDirectory(prefix="footage-guide-", ignore_cleanup_errors=True) as folder:
        work = pathlib.Path(folder)
        hosts = work / "hosts"
        hosts.write_text("127.0.0.1 localhost robot7.local robot7\n::1 localhost\n")
        for command in (["ip", "link", "set", "lo", "up"], ["mount", "--bind", hosts, "/etc/hosts"], ["hostname", "robot7"]):
            subprocess.run(command, check=True)
        return Scene(work, program).try_pages()


def main():
    given = arguments(__doc__, "program", options={"inside": False})
    program = os.path.abspath(given.program)
    if given.inside:
        return inside(program)
    apart = ["unshare", "--net", "--mount", "--uts", "--propagation", "private"]
    if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        return "check.guide: no namespace can be had here: it needs root, and a kernel that makes them"
    return subprocess.run([*apart, sys.executable, "-B", ROOT / "scripts/tools", "check.guide", program, "--inside"]).returncode


if __name__ == "__main__":
    sys.exit(main())
