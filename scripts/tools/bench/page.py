"""What people wait for on the page, in Chromium: three cameras, a week of a recording a minute from each.

Ten minutes of one of them have pictures of 1 Mbit/s, two seconds between key frames: they are what is played.
"""

import datetime
import os
import statistics
import time

from tools import clips
from tools.bench.measurement import run
from tools.browser import Browser
from tools.table import at_most

TITLE = "The page in Chromium"
PACKAGES = ["ffmpeg", "chromium", "chromium-driver", "fonts-dejavu-core"]
ROUNDS = None
HAS_QUICK = True

MINUTES = 10
CAMERAS = "arm", "front", "rear"
# The day before yesterday, so that it is over wherever the clock stands.
DAY = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=2)
PLAYED = datetime.datetime.combine(DAY, datetime.time(14, 20), datetime.timezone.utc)
# 2 Mbit/s, with a round trip of 100 ms.
THIN = {"offline": False, "latency": 100, "downloadThroughput": 250_000, "uploadThroughput": 250_000}
FREE = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}

THERE = "return $player.player.views[0]?.film.isThere"
# Hears of pictures that are shown, and remembers the longest that one stood, and how often the player had none to show. Where the
# page was too busy to hear of some, the browser still says how many there were.
HOLES = """
const video = document.querySelector('.view video');
window.holes = {longest: 0, at: 0, count: 0, waits: 0};
let last = null, shown = 0;
video.addEventListener('waiting', () => { holes.waits += 1; });
const look = (now, {presentedFrames, mediaTime}) => {
  const stood = (now - last) / (presentedFrames - shown);
  if (last !== null && stood > holes.longest) Object.assign(holes, {longest: stood, at: mediaTime});
  holes.count += last === null ? 0 : presentedFrames - shown;
  [last, shown] = [now, presentedFrames];
  video.requestVideoFrameCallback(look);
};
video.requestVideoFrameCallback(look);
"""


def make_recordings(scene, days):
    """How many there are."""
    folder, made = scene.path("recordings"), 0
    for camera in CAMERAS:
        os.makedirs(f"{folder}/{camera}")
        clips.ffmpeg("-f", "lavfi", "-i", "color=gray:size=64x64:rate=5", "-t", "60", *clips.X264, "-g", "50", f"{scene.folder}/{camera}.mp4")
    first = DAY - datetime.timedelta(days=days - 3)
    for minute in range(days * 1_440):
        start = datetime.datetime.combine(first, datetime.time(), datetime.timezone.utc) + datetime.timedelta(minutes=minute)
        if start > datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=2):
            break
        for camera in CAMERAS:
            made += 1
            target = f"{folder}/{camera}/{start:%Y-%m-%dT%H-%M-%S}.mp4"
            if camera == "rear" and 0 <= (start - PLAYED).total_seconds() < 60 * (MINUTES + 1):
                clips.ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=640x360:rate=25,noise=alls=8:allf=t:all_seed={minute}", "-f", "lavfi",
                             "-i", "sine=frequency=440:sample_rate=48000", "-t", "60", *clips.rate("936k", "-g", "50"), "-c:a", "aac",
                             "-b:a", "64k", target)
            else:
                os.link(f"{scene.folder}/{camera}.mp4", target)
    return made


class Page:
    """The page, with what a person does and sees."""

    def __init__(self, scene, server):
        self.scene = scene
        self.url = f"https://localhost:{server.port}/"
        self.browser = Browser(f"{scene.folder}/profile", self.url, "127.0.0.1", server.pin, "--autoplay-policy=no-user-gesture-required",
                               "--enable-precise-memory-info", "--js-flags=--expose-gc")
        self.run = self.browser.run

    def command(self, name, **values):
        return self.browser.post("/goog/cdp/execute", {"cmd": name, "params": values})

    def link(self, conditions):
        self.command("Network.enable")
        self.command("Network.emulateNetworkConditions", **conditions)

    def open(self, fragment=""):
        self.browser.go("about:blank")
        self.browser.go(self.url + fragment)

    def until(self, what, script):
        """Milliseconds from the page's `began`, as the page itself sees it."""
        self.run("""
            window.reached = null;
            const check = () => (%s)() ? window.reached = performance.now() : requestAnimationFrame(check);
            check();
        """ % script)
        return self.browser.wait(what, "return window.reached && window.reached - (window.began ?? 0)")

    def type(self, text):
        self.run("""
            window.began = performance.now();
            const input = document.getElementById('-moment');
            input.value = arguments[0];
            input.form.requestSubmit();
        """, text)

    def heap(self):
        self.command("HeapProfiler.collectGarbage")
        return self.run("return performance.memory.usedJSHeapSize")


PICTURE = "() => { const still = document.querySelector('.still'); return still && !still.hidden && still.width > 300 || $player.player.views[0]?.film.isThere; }"


def moment(minutes, seconds=0):
    return PLAYED + datetime.timedelta(minutes=minutes, seconds=seconds)


def opening(page, table):
    times = []
    for _ in range(5):
        page.open()
        times.append(page.until("rows", """
            () => $footage.footage.isLoaded && $footage.footage.cameras.every(camera => camera.known.length > 0)"""))
    table.row(f"the timeline with {page.made:,} recordings, from the page's start on", (statistics.median(times), "ms"), goal=at_most(400))
    page.link(THIN)
    times = []
    for minutes in range(3):
        page.open(f"#rear@{moment(minutes, 33):%Y-%m-%dT%H:%M:%SZ}")
        times.append(page.until("picture", PICTURE))
    table.row("a link to a moment over 2 Mbit/s and 100 ms, page and all, to its picture", (statistics.median(times), "ms"), goal=at_most(3_000))


def typing(page, table):
    stills, plays = [], []
    for minutes, seconds in (3, 7), (8, 41), (5, 18), (9, 55), (6, 2):
        page.run("$player.player.pause(); for (const view of $player.player.views) view.still.hidden = true")
        wanted = moment(minutes, seconds)
        page.type(f"{wanted:%Y-%m-%d %H:%M:%S}")
        page.run("document.querySelector('.still').width = 1")
        stills.append(page.until("picture", "() => document.querySelector('.still').width > 300"))
        plays.append(page.until("moving picture", """
            () => { const video = document.querySelector('video'); return !video.paused && video.readyState >= 3
              && $player.player.now > %d && $player.player.now < %d; }""" % (
                  wanted.timestamp() * 1000 + 40, wanted.timestamp() * 1000 + 5000)))
    table.row("a typed time over the same link, to its key frame", (statistics.median(stills), "ms"), goal=at_most(800))
    table.row("  until it plays", (statistics.median(plays), "ms"), goal=at_most(3_000))
    page.link(FREE)


def scrubbing(page, table):
    page.open(f"#rear@{moment(0):%Y-%m-%dT%H:%M:%SZ}")
    page.until("picture", PICTURE)
    page.run("$timeline.timeline.view = {from: arguments[0], to: arguments[1]}; $timeline.timeline.paint()",
             moment(0).timestamp() * 1000, moment(10).timestamp() * 1000)
    time.sleep(3)
    page.run("performance.clearResourceTimings(); performance.setResourceTimingBufferSize(1000)")
    waits = []
    for index in range(60):
        waits.append(page.browser.run_to_end("""
            const done = arguments[arguments.length - 1], canvas = document.getElementById('-canvas'), box = canvas.getBoundingClientRect();
            const x = box.left + box.width * ((arguments[0] * 37 % 60) + 0.5) / 60, place = {clientX: x, clientY: box.top + 90, bubbles: true};
            const before = performance.now(), spent = $pictures.pictures;
            canvas.dispatchEvent(new PointerEvent('pointermove', place));
            const check = () => {
              const {hover} = $timeline.timeline, shown = hover && $choice.rowAt(hover.camera.rows, hover.time);
              if (shown && spent.have(shown, hover.time)) done(performance.now() - before);
              else if (performance.now() - before > 5000) done(5000); else setTimeout(check, 5);
            };
            check();
        """, index, seconds=20))
    moved = page.run("""
        const all = performance.getEntriesByType('resource').filter(each => each.name.includes('keyframe='));
        return Promise.all(all.map(async each => {
          const bytes = new Uint8Array(await (await fetch(each.name)).arrayBuffer());
          return each.transferSize - $boxes.keyFrame(bytes).data.length;
        }));
    """)
    table.row("a picture under the hand, median of 60 positions", (statistics.median(waits), "ms"), goal=at_most(300))
    table.row("  requests for them", (len(moved), ""), goal=at_most(60))
    table.row("  bytes beside each key frame, at most", (max(moved, default=0), "B"), goal=at_most(2_000))


def playing(page, table):
    page.open(f"#rear@{moment(0):%Y-%m-%dT%H:%M:%SZ}")
    page.until("picture", "() => $player.player.views[0]?.film.isThere")
    page.run("$player.player.play()")
    time.sleep(3)
    page.run(HOLES)
    # After the first minute there is one of everything.
    end, heaps = moment(MINUTES).timestamp() * 1000, []
    for minute in range(1, MINUTES + 1):
        while page.run("return $player.player.now") < min(moment(minute).timestamp() * 1000, end - 500):
            if page.run("return document.querySelector('video').paused || !document.getElementById('-note').hidden"):
                page.scene.fault("it stopped: " + page.run("return document.getElementById('-note').innerText + $player.player.now"))
                return
            time.sleep(1)
        heaps.append(page.heap())
    holes = page.run("return window.holes")
    table.row(f"{MINUTES} minutes across {MINUTES} recordings: the longest that a picture stood", (holes["longest"], "ms"), goal=at_most(140))
    table.row("  times that there was none to show", (holes["waits"], ""), goal=at_most(0))
    table.row("  pictures shown", (holes["count"], ""))
    table.row("  the heap after the first minute", (heaps[0] / 1e6, "MB"))
    table.row("  its growth until the end", (100 * min(heaps[-3:]) / heaps[0] - 100, "%"), goal=at_most(10))


def seeking(page, table):
    page.run("$player.player.pause()")
    wrong, times = 0, []
    for index in range(100):
        wanted = moment(0).timestamp() * 1000 + (index * 7919 % 599) * 1000 + 40 * (index % 25)
        page.run("window.began = performance.now(); $player.player.go($footage.footage.camera('rear'), arguments[0], {play: false})", wanted)
        times.append(page.until("picture", "() => $player.player.views[0].film.isThere"))
        shown = page.browser.run_to_end("""
            const done = arguments[arguments.length - 1], {film, video} = $player.player.views[0];
            const canvas = new OffscreenCanvas(8, 8);
            canvas.getContext('2d').drawImage(video, 0, 0, 8, 8);
            done(film.base + video.currentTime * 1000);
        """, seconds=10)
        wrong += abs(shown - wanted) > 1
    table.row("100 seeks in a row that ended elsewhere", (wrong, ""), goal=at_most(0))
    table.row("  a seek, median", (statistics.median(times), "ms"))


def measure(scene):
    scene.certificates()
    made = make_recordings(scene, 3 if scene.is_quick else 7)
    with scene.serve(f"{scene.folder}/recordings", "--name-zone", "UTC") as server:
        while len(found := server.recordings()) < made or any(each["state"] == "recording" for each in found):
            time.sleep(5)
        page = Page(scene, server)
        page.made = made
        table = scene.table("three cameras")
        try:
            for part in opening, typing, scrubbing, playing, seeking:
                part(page, table)
        except RuntimeError as error:
            scene.fault(str(error))
        finally:
            page.browser.quit()


if __name__ == "__main__":
    run(measure, __doc__)
