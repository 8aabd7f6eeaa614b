"""Films in Chromium by Media Source Extensions: whether each plays to its end, and what a recording costs and comes to that grows.

Films and clips are compared with the recorder's files by `scripts/check-views.sh`; here a browser plays them.
"""

import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time

from tools import reading
from tools import clips
from tools.bench.measurement import ROOT, run
from tools.browser import Browser
from tools.films import Film, film_targets
from tools.processes import Program
from tools.table import at_least, at_most

TITLE = "Films by Media Source Extensions, and recordings that grow"
PACKAGES = ["ffmpeg", "chromium", "chromium-driver"]
ROUNDS = None
HAS_QUICK = True

ZOO = f"{ROOT}/.build/zoo"
HERE = os.path.dirname(os.path.abspath(__file__))
FRAGMENTED = ["-movflags", "empty_moov+default_base_moof", "-frag_duration", "200000", "-flush_packets", "1"]
# A day of five recordings of 20 s, with a gap before the fourth.
DAY = [0, 20, 40, 90, 110]
CALL = """
const done = arguments[arguments.length - 1];
const [name, ...rest] = [...arguments].slice(0, -1);
mse[name](...rest).then((value) => done({value}), (error) => done({error: String(error)}));
"""


class Scene:
    """The measurement, and the server of its recordings."""

    def __init__(self, measurement):
        self.measurement = measurement
        self.fault = measurement.fault
        self.table = measurement.table("in Chromium")
        self.recordings = measurement.path("recordings")
        self.busy = f"{measurement.folder}/busy.mp4"
        self.seconds = 20 if measurement.is_quick else 60
        self.make_recordings()

    def make_recordings(self):
        subprocess.run([f"{ROOT}/scripts/make-zoo.sh", ZOO], stdin=subprocess.DEVNULL, check=True)
        for kind in "mp4", "mov", "m4v":
            for name in sorted(os.listdir(ZOO)):
                if name.endswith(f".{kind}"):
                    os.makedirs(f"{self.recordings}/zoo-{kind}", exist_ok=True)
                    shutil.copy(f"{ZOO}/{name}", f"{self.recordings}/zoo-{kind}/{name}")
        os.makedirs(f"{self.recordings}/rear")
        for number, start in enumerate(DAY):
            clips.ffmpeg(
                "-f", "lavfi", "-i", f"testsrc2=s=320x180:r=30,hue=h={number * 60}", "-f", "lavfi", "-i", "sine=r=48000",
                "-t", "20", *clips.rate("500k", "-g", "60", "-bf", "2"), "-c:a", "aac",
                f"{self.recordings}/rear/2026-11-20T14-{start // 60:02}-{start % 60:02}Z.mp4")
        clips.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=30,noise=alls=40:allf=t", "-f", "lavfi", "-i", "sine=r=48000", "-t", "20",
            *clips.rate("8M", "-g", "30"), "-c:a", "aac", self.busy)
        os.makedirs(f"{self.recordings}/live")

    def record(self, name, seconds):
        """Begins what a recorder of fragments writes."""
        return Program(
            ["ffmpeg", "-nostdin", "-v", "error", "-y", "-re", "-stream_loop", "-1", "-i", self.busy, "-t", seconds, "-c", "copy",
             *FRAGMENTED, f"{self.recordings}/live/{name}.mp4"])

    def item_that_grows(self, name):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for item in self.server.recordings():
                if item["name"] == name and item.get("live"):
                    return item
            time.sleep(0.1)
        raise RuntimeError(f"{name} is not live after 30 s")


class Page:
    def __init__(self, profile, server):
        # Without a policy, unlike the robot's page, whose own player would be in the way.
        url = f"https://localhost:{server.port}/health"
        self.browser = Browser(profile, url, "127.0.0.1", server.pin, "--autoplay-policy=no-user-gesture-required")
        self.browser.go(url)
        with open(f"{HERE}/mse.js") as file:
            self.browser.run(file.read())

    def call(self, name, *arguments, seconds=120):
        came = self.browser.run_to_end(CALL, name, *arguments, seconds=seconds)
        if "error" in came:
            raise RuntimeError(came["error"])
        return came["value"]


def codecs(server, item):
    text = server.get(item.get("hls") or item["url"].removesuffix(".mp4") + ".m3u8").decode()
    return text.split('CODECS="')[1].split('"')[0]


# Films


def check_films(scene, page, items):
    server = scene.server
    played, without_decoder, holes = 0, [], []
    for name, item in sorted(items.items()):
        if not name.startswith("zoo-"):
            continue
        try:
            seen = page.call("film", film_targets(server, item)[0], codecs(server, item), None, 8)
        except RuntimeError as error:
            scene.fault(f"{name}: {error}")
            continue
        if not seen["supported"]:
            without_decoder.append(name.split("/")[1])
            continue
        played += 1
        # What is listed begins with the first picture, and what is there once there are sound and picture both.
        begin, end = seen["buffered"][0][0], seen["buffered"][-1][1]
        if not -0.15 <= end - seen["listed"] <= begin + 0.15:
            scene.fault(f"{name}: {seen['buffered']} is buffered, but its playlist has {seen['listed']:.3f} s")
        if len(seen["buffered"]) > 1 or seen["holes"]:
            holes.append((name, seen["buffered"]))
    for name, buffered in holes:
        scene.fault(f"{name}: it has holes: {buffered}")
    scene.table.row("films played by MSE to their ends", (played, ""))
    scene.table.row("films for which this Chromium has no decoder", f"{len(without_decoder)}: {', '.join(without_decoder)}")


def check_day(scene, page, items):
    server = scene.server
    day = "from=2026-11-20T14:00:00Z&to=2026-11-20T15:00:00Z"
    timeline = json.loads(server.get(f"/cameras/rear.json?{day}&rows=films"))
    rows = [row for span in timeline["spans"] for row in span["recordings"]]
    start = rows[0][2]
    offsets = {f"/hls/{film}/init.mp4": (begin - start) / 1000 - shift for _, _, begin, _, _, shift, _, _, film in rows}
    seen = page.call("film", f"/cameras/rear.m3u8?{day}", codecs(server, items[rows[0][0]]), offsets, 4)
    # Within a span nothing longer than 100 ms is missing; between spans nothing is there.
    joined = []
    for begin, end in seen["buffered"]:
        if joined and begin - joined[-1][1] <= 0.1:
            joined[-1][1] = end
        else:
            joined.append([begin, end])
    wanted = [((span["from"] - start) / 1000, (span["to"] - start) / 1000) for span in timeline["spans"]]
    if len(joined) != len(wanted) or any(
            abs(have - want) > 0.1 for pair in zip(joined, wanted) for have, want in zip(*pair)):
        scene.fault(f"a day of five recordings: {joined} is buffered, but {wanted} was recorded")
    # A player of 4 times the speed stops some pictures before the end of what it has.
    if any(not any(-0.1 < to - begin < 0.4 for _, to in wanted) for begin, end in seen["holes"]):
        scene.fault(f"a day of five recordings: it stopped at {seen['holes']}")
    if abs(seen["end"] - wanted[-1][1]) > 0.2:
        scene.fault(f"a day of five recordings: it ended at {seen['end']} s")
    scene.table.row("a day of five recordings with a gap, played over", f"{len(joined)} spans, {len(seen['holes'])} gap jumped")


# What grows


def record_clock(stop, process):
    """Pictures with the clock in them, as 32 bars, in milliseconds."""
    begin, number = time.monotonic(), 0
    while not stop.is_set():
        time.sleep(max(0, begin + number / 30 - time.monotonic()))
        clock = int(time.time() * 1000) % 2 ** 32
        line = b"".join((b"\xeb" if clock >> (31 - bit) & 1 else b"\x10") * 10 for bit in range(32))
        try:
            process.stdin.write(line * 96)
            process.stdin.flush()
        except BrokenPipeError:
            return
        number += 1


def check_live(scene, page):
    process = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", "320x96", "-r", "30", "-i", "-",
         *clips.rate("1M", "-tune", "zerolatency", "-g", "30"), *FRAGMENTED, f"{scene.recordings}/live/clock.mp4"],
        stdin=subprocess.PIPE)
    stop = threading.Event()
    writer = threading.Thread(target=record_clock, args=(stop, process))
    writer.start()
    try:
        item = scene.item_that_grows("live/clock")
        behind = page.call("live", item["tag"], codecs(scene.server, item), 20)[30:]
    finally:
        stop.set()
        writer.join()
        process.stdin.close()
        process.wait()
    median = statistics.median(behind)
    scene.table.row("live by long poll, fragments of 200 ms: picture behind the recorder's clock, median", (median, "ms"), goal=at_most(600))
    scene.table.row("  99 of 100", (sorted(behind)[len(behind) * 99 // 100], "ms"))
    scene.table.row("  of how many pictures", (len(behind), ""), goal=at_least(300))


def check_end(scene, name, is_killed):
    """Parts that were seen of what grew stay what they were, and its film has the packets of what is whole."""
    server, path = scene.server, f"{scene.recordings}/live/{name}.mp4"
    recorder = scene.record(name, 17).process
    item = scene.item_that_grows(f"live/{name}")
    target = f"/recordings/live/{name}.media.m3u8?id={item['tag']}"
    end = time.monotonic() + 60
    while len(Film(server, target).parts) < 2 and time.monotonic() < end:
        time.sleep(0.5)
    early = Film(server, target)
    seen = {part[1]: server.get(part[1]) for part in early.parts}
    if is_killed:
        recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    while not (film := Film(server, target)).is_whole and time.monotonic() < end:
        time.sleep(0.5)
    if not film.is_whole or not film.text.startswith(early.text.rstrip("\n")):
        scene.fault(f"{name}: its playlist has no end, or differs from the one while it grew")
    for part, content in seen.items():
        if server.get(part) != content:
            scene.fault(f"{name}: {part} differs from the one while it grew")
    whole = f"{scene.measurement.folder}/whole.mp4"
    with open(whole, "wb") as file:
        file.write(film.bytes())
    found, source = reading.packets(whole), reading.packets(path)
    for kind in source:
        # What the recorder had begun when it was killed is in no fragment that is whole.
        hashes = [[packet.hash for packet in each[kind]] for each in (found, source)]
        if hashes[0] != hashes[1]:
            scene.fault(f"{name}: {len(hashes[0])} packets of its {kind} are in its film, but {len(hashes[1])} in the file")
    scene.table.row(f"a recorder that is {'killed' if is_killed else 'closed'}: parts that stay, packets alike",
        f"{len(seen)}, {sum(map(len, source.values())):,}")


def children(pid):
    """Of all threads."""
    found = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/children") as file:
            found += [int(word) for word in file.read().split()]
    return found


def cost(server):
    """Processor seconds, and bytes read, of the server and its children, and how many processes that are."""
    seconds = read = 0
    pids = [server.process.pid] + children(server.process.pid)
    for pid in pids:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                seconds += int(file.read().split()[0]) / 1e9
        with open(f"/proc/{pid}/io") as file:
            read += int(file.read().split("rchar: ")[1].split()[0])
    return seconds, read, len(pids)


def check_cost(scene):
    with scene.record("busy", scene.seconds + 30):
        scene.item_that_grows("live/busy")
        time.sleep(5)
        path = f"{scene.recordings}/live/busy.mp4"
        size, (seconds, read, _), begin = os.path.getsize(path), cost(scene.server), time.monotonic()
        time.sleep(scene.seconds)
        grown, (later, more, count) = os.path.getsize(path) - size, cost(scene.server)
        share = (later - seconds) / (time.monotonic() - begin) * 100
    scene.table.row(f"a file that grows by {grown * 8 / scene.seconds / 1e6:.0f} Mbit/s for {scene.seconds} s, nobody watching, of a core",
                    (share, "%"), goal=at_most(1))
    scene.table.row(f"  bytes read of those that came, by {count} processes", ((more - read) / grown, "×"), goal=at_most(1.1))


def measure(measurement):
    measurement.certificates()
    scene = Scene(measurement)
    with measurement.serve(scene.recordings) as scene.server:
        total = sum(len(files) for _, _, files in os.walk(scene.recordings))
        items = {item["name"]: item for item in scene.server.wait_for(total)}
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            page = Page(profile, scene.server)
            try:
                check_films(scene, page, items)
                check_day(scene, page, items)
                check_live(scene, page)
            finally:
                page.browser.quit()
        check_end(scene, "closed", is_killed=False)
        check_end(scene, "killed", is_killed=True)
        check_cost(scene)


if __name__ == "__main__":
    run(measure, __doc__)
