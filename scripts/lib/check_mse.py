#!/usr/bin/env python3
"""The checks of scripts/check-mse.sh: check_mse.py FOOTAGE ZOO FOLDER SECONDS

Films of a running server in a Chromium by Media Source Extensions, and what a recording costs and comes to that grows.
SECONDS is for how long one grows while nobody watches it.
"""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import media_reading as reading
from browser import Browser
from served import Film, Server, film_targets

FOOTAGE, ZOO, WORK, SECONDS = sys.argv[1:4] + [int(sys.argv[4])]
RECORDINGS = f"{WORK}/recordings"
HERE = os.path.dirname(os.path.abspath(__file__))
FRAGMENTED = ["-movflags", "empty_moov+default_base_moof", "-frag_duration", "200000", "-flush_packets", "1"]
# A day of five recordings of 20 s, with a gap before the fourth.
DAY = [0, 20, 40, 90, 110]
CALL = """
const done = arguments[arguments.length - 1];
const [name, ...rest] = [...arguments].slice(0, -1);
mse[name](...rest).then((value) => done({value}), (error) => done({error: String(error)}));
"""
faults = []


def fault(words):
    faults.append(words)
    print(f"check-mse: {words}", file=sys.stderr, flush=True)


def row(name, value):
    print(f"{name:<66} {value}", flush=True)


def ffmpeg(*arguments):
    return ["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments]


def x264(rate, *more):
    return ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-b:v", rate, "-maxrate", rate,
            "-bufsize", rate, *more]


def make_recordings():
    for kind in "mp4", "mov", "m4v":
        for name in sorted(os.listdir(ZOO)):
            if name.endswith(f".{kind}"):
                os.makedirs(f"{RECORDINGS}/zoo-{kind}", exist_ok=True)
                shutil.copy(f"{ZOO}/{name}", f"{RECORDINGS}/zoo-{kind}/{name}")
    os.makedirs(f"{RECORDINGS}/rear")
    for number, start in enumerate(DAY):
        subprocess.run(ffmpeg(
            "-f", "lavfi", "-i", f"testsrc2=s=320x180:r=30,hue=h={number * 60}", "-f", "lavfi", "-i", "sine=r=48000",
            "-t", "20", *x264("500k", "-g", "60", "-bf", "2"), "-c:a", "aac",
            f"{RECORDINGS}/rear/2026-11-20T14-{start // 60:02}-{start % 60:02}Z.mp4"), check=True)
    subprocess.run(ffmpeg(
        "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=30,noise=alls=40:allf=t", "-f", "lavfi", "-i", "sine=r=48000", "-t", "20",
        *x264("8M", "-g", "30"), "-c:a", "aac", f"{WORK}/busy.mp4"), check=True)


class Page:
    def __init__(self, profile, server):
        # Without a policy, unlike the robot's page, whose own player would be in the way.
        url = f"https://localhost:{server.port}/health"
        self.browser = Browser(profile, url, "127.0.0.1", server.pin, "--autoplay-policy=no-user-gesture-required")
        self.browser.go(url)
        with open(f"{HERE}/check_mse.js") as file:
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


def check_films(server, page, items):
    played, without_decoder, holes = 0, [], []
    for name, item in sorted(items.items()):
        if not name.startswith("zoo-"):
            continue
        try:
            seen = page.call("film", film_targets(server, item)[0], codecs(server, item), None, 8)
        except RuntimeError as error:
            fault(f"{name}: {error}")
            continue
        if not seen["supported"]:
            without_decoder.append(name.split("/")[1])
            continue
        played += 1
        # What is listed begins with the first picture, and what is there once there are sound and picture both.
        begin, end = seen["buffered"][0][0], seen["buffered"][-1][1]
        if not -0.15 <= end - seen["listed"] <= begin + 0.15:
            fault(f"{name}: {seen['buffered']} is there, and its list has {seen['listed']:.3f} s")
        if len(seen["buffered"]) > 1 or seen["holes"]:
            holes.append((name, seen["buffered"]))
    for name, buffered in holes:
        fault(f"{name}: it has holes: {buffered}")
    row("films played by MSE to their ends", played)
    row("films for which this Chromium has no decoder", f"{len(without_decoder)}: {', '.join(without_decoder)}")


def check_day(server, page, items):
    day = "from=2026-11-20T14:00:00Z&to=2026-11-20T15:00:00Z"
    timeline = json.loads(server.get(f"/cameras/rear.json?{day}"))
    rows = [row for span in timeline["spans"] for row in span["recordings"]]
    start = rows[0][2]
    offsets = {f"/hls/{tag}/init.mp4": (begin - start) / 1000 - shift for _, tag, begin, _, _, shift in rows}
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
        fault(f"a day of five recordings: {joined} is there, and was recorded {wanted}")
    # A player of 4 times the speed stops some pictures before the end of what it has.
    if any(not any(-0.1 < to - begin < 0.4 for _, to in wanted) for begin, end in seen["holes"]):
        fault(f"a day of five recordings: it stood still at {seen['holes']}")
    if abs(seen["end"] - wanted[-1][1]) > 0.2:
        fault(f"a day of five recordings: it ended at {seen['end']} s")
    row("a day of five recordings with a gap, played over", f"{len(joined)} spans, {len(seen['holes'])} gap jumped")


# What grows


def live_id(server, name):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for item in server.recordings():
            if item["name"] == name and item.get("live"):
                return item
        time.sleep(0.1)
    raise RuntimeError(f"{name} is not live after 30 s")


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


def check_live(server, page):
    os.makedirs(f"{RECORDINGS}/live", exist_ok=True)
    process = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", "320x96", "-r", "30", "-i", "-",
         *x264("1M", "-tune", "zerolatency", "-g", "30"), *FRAGMENTED, f"{RECORDINGS}/live/clock.mp4"],
        stdin=subprocess.PIPE)
    stop = threading.Event()
    writer = threading.Thread(target=record_clock, args=(stop, process))
    writer.start()
    try:
        item = live_id(server, "live/clock")
        behind = page.call("live", item["tag"], codecs(server, item), 20)[30:]
    finally:
        stop.set()
        writer.join()
        process.stdin.close()
        process.wait()
    median = statistics.median(behind)
    row("live by long poll, fragments of 200 ms: picture behind, median", f"{median:.0f} ms (≤ 600)")
    row("  99 of 100, and the number of pictures", f"{sorted(behind)[len(behind) * 99 // 100]} ms, {len(behind)}")
    if median > 600 or len(behind) < 300:
        fault(f"live by long poll is {median:.0f} ms behind, in {len(behind)} pictures")


def check_end(server, name, is_killed):
    """Parts that were seen of what grew stay what they were, and its film has the packets of what is whole."""
    path = f"{RECORDINGS}/live/{name}.mp4"
    process = subprocess.Popen(ffmpeg("-re", "-stream_loop", "-1", "-i", f"{WORK}/busy.mp4", "-t", "17", "-c", "copy", *FRAGMENTED, path))
    item = live_id(server, f"live/{name}")
    target = f"/recordings/live/{name}.media.m3u8?id={item['tag']}"
    end = time.monotonic() + 60
    while len(Film(server, target).parts) < 2 and time.monotonic() < end:
        time.sleep(0.5)
    early = Film(server, target)
    seen = {part[1]: server.get(part[1]) for part in early.parts}
    if is_killed:
        process.send_signal(signal.SIGKILL)
    process.wait()
    while not (film := Film(server, target)).is_whole and time.monotonic() < end:
        time.sleep(0.5)
    if not film.is_whole or not film.text.startswith(early.text.rstrip("\n")):
        fault(f"{name}: its list has no end, or is another one than while it grew")
    for part, content in seen.items():
        if server.get(part) != content:
            fault(f"{name}: {part} is another one than while it grew")
    whole = f"{WORK}/whole.mp4"
    with open(whole, "wb") as file:
        file.write(film.bytes())
    found, source = reading.packets(whole), reading.packets(path)
    for kind in source:
        # What the recorder had begun when it was killed is in no fragment that is whole.
        hashes = [[packet.hash for packet in each[kind]] for each in (found, source)]
        if hashes[0] != hashes[1]:
            fault(f"{name}: {len(hashes[0])} packets of its {kind} are in its film, and {len(hashes[1])} in the file")
    row(f"a recorder that is {'killed' if is_killed else 'closed'}: parts that stay, packets alike",
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


def check_cost(server):
    path = f"{RECORDINGS}/live/busy.mp4"
    process = subprocess.Popen(ffmpeg(
        "-re", "-stream_loop", "-1", "-i", f"{WORK}/busy.mp4", "-t", str(SECONDS + 30), "-c", "copy", *FRAGMENTED, path))
    try:
        live_id(server, "live/busy")
        time.sleep(5)
        size, (seconds, read, _), begin = os.path.getsize(path), cost(server), time.monotonic()
        time.sleep(SECONDS)
        grown, (later, more, count) = os.path.getsize(path) - size, cost(server)
        share = (later - seconds) / (time.monotonic() - begin) * 100
    finally:
        process.terminate()
        process.wait()
    row(f"a file that grows by {grown * 8 / SECONDS / 1e6:.1f} Mbit/s for {SECONDS} s, nobody watching", f"{share:.2f} % of a core (< 1)")
    row("  bytes read of those that came", f"×{(more - read) / grown:.3f} (≤ 1.1), by {count} processes")
    if share >= 1:
        fault(f"a file that grows costs {share:.2f} % of a core")
    if more - read > grown * 1.1:
        fault(f"of a file that grew by {grown} bytes {more - read} were read")


def main():
    make_recordings()
    server = Server(FOOTAGE, WORK, RECORDINGS)
    try:
        total = sum(len(files) for _, _, files in os.walk(RECORDINGS))
        items = {item["name"]: item for item in server.wait_for(total)}
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            page = Page(profile, server)
            try:
                check_films(server, page, items)
                check_day(server, page, items)
                check_live(server, page)
            finally:
                page.browser.quit()
        check_end(server, "closed", is_killed=False)
        check_end(server, "killed", is_killed=True)
        check_cost(server)
    finally:
        server.stop()
    if faults:
        sys.exit(f"check-mse: {len(faults)} faults")


main()
