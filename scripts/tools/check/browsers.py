"""What scripts/check-browsers.sh checks.

The page in a WebKitGTK and in a Firefox, as somebody uses it who has opened a link; and recordings whose tracks begin, pause and end
apart from each other, played to the end: every picture is shown, and every sound is heard.
"""

import os
import sys

from tools import playing
from tools.arguments import arguments
from tools.clips import X264, ffmpeg
from tools.browser import Firefox, WebKit
from tools.hearing import Ear
from tools.server import Server

GIVEN = arguments(__doc__, "footage", "folder")
WORK = GIVEN.folder
RECORDINGS = f"{WORK}/recordings"
# Each camera has two recordings that adjoin, and another one after a gap.
STARTS = "14-20-00", "14-20-20", "14-21-00"
FIRST = "2026-03-04T14:20:00Z"
# Of another camera, 40 minutes after the first: seconds of sound in six seconds of pictures, one after the other.
SOUNDS = ("15-00-00", 4), ("15-00-06", 0), ("15-00-12", 6)

NOW = "const now = $player.player.now - Date.parse('%s'); " % FIRST
# For whoever looks why something is not as it should be.
STATE = """
    const {player} = $player, {video, film} = player.views[0], {buffered} = video;
    const ranges = [...Array(buffered.length).keys()].map(index => [buffered.start(index), buffered.end(index)]);
    return JSON.stringify({time: video.currentTime, now: new Date(player.now), playing: player.isPlaying, paused: video.paused,
      ready: video.readyState, ranges, error: video.error?.message, base: new Date(film.base)});
"""
MOVES = NOW + "return $player.player.isPlaying && !document.querySelector('video').paused && now > %d && now < %d"


def make_recordings():
    for camera, picture in ("front", "testsrc2"), ("rear", "mandelbrot"):
        os.makedirs(f"{RECORDINGS}/{camera}")
        for start in STARTS:
            ffmpeg("-f", "lavfi", "-i", f"{picture}=size=640x360:rate=25", "-f", "lavfi", "-i",
                   "sine=frequency=440:sample_rate=48000", "-t", "20", *X264, "-g", "50", "-c:a", "aac",
                   f"{RECORDINGS}/{camera}/2026-03-04T{start}.mp4")


    for start, seconds in SOUNDS:
        sound = ["-f", "lavfi", "-i", f"sine=frequency=440:sample_rate=48000:duration={seconds}", "-c:a", "aac"] if seconds else []
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=6", *sound, *X264, "-g", "50",
               f"{RECORDINGS}/rear/2026-03-04T{start}.mp4")


def step(words):
    print(f"- {words}", flush=True)


def press_on_timeline(browser, camera, milliseconds):
    """Where a moment of a camera stands, counted from the first recording."""
    x, y = browser.run("""
        const {view, width} = $timeline.timeline, box = document.getElementById('-canvas').getBoundingClientRect();
        const index = $footage.footage.cameras.findIndex(camera => camera.name === arguments[0]);
        return [box.left + width * (Date.parse(arguments[2]) + arguments[1] - view.from) / (view.to - view.from), box.top + 22 + 30 * index + 15];
    """, camera, milliseconds, FIRST)
    browser.tap(x, y)


def use(browser, address):
    browser.go(f"{address}#rear@2026-03-04T14:20:05Z")
    browser.wait("picture", "return $player.player.views[0]?.film.isThere")
    colours = browser.run("""
        const context = new OffscreenCanvas(32, 18).getContext('2d');
        context.drawImage(document.querySelector('.view video'), 0, 0, 32, 18);
        const {data} = context.getImageData(0, 0, 32, 18), seen = new Set();
        for (let at = 0; at < data.length; at += 4) seen.add(data[at] >> 4 << 8 | data[at + 1] >> 4 << 4 | data[at + 2] >> 4);
        return seen.size;
    """)
    assert colours > 10, f"the picture has {colours} colours"
    step("a link to a moment shows its picture")

    # It wants a gesture before it plays with sound.
    browser.click("#\\-play")
    browser.wait("playing", MOVES % (5_500, 15_000))
    step("the button plays it")

    browser.run("$timeline.timeline.view = {from: Date.parse(arguments[0]), to: Date.parse(arguments[0]) + 90000}; $timeline.timeline.paint()", FIRST)
    press_on_timeline(browser, "front", 17_000)
    browser.wait("the other camera", "return $player.player.camera.name === 'front'")
    browser.wait("playing on", MOVES % (20_500, 38_000))
    step("a press on the timeline plays another camera, across the border of two recordings")

    press_on_timeline(browser, "front", 37_000)
    browser.wait("a word", "return document.getElementById('-note').innerText.includes('nothing was recorded from')")
    browser.wait("playing behind the gap", MOVES % (60_200, 80_000))
    step("it plays on across a gap, with a message")

    browser.run("""
        const input = document.getElementById('-moment');
        input.value = '2026-03-04 14:21:12Z';
        input.form.requestSubmit();
    """)
    browser.wait("the moment", MOVES % (72_000, 76_000))
    step("a typed time is played")

    if browser.run("return typeof VideoDecoder === 'function' && isSecureContext"):
        browser.run("$pictures.pictures.get($player.player.row, $player.player.now, 'check').then(picture => { window.size = picture?.bitmap.width; })")
        browser.wait("a key frame", "return window.size === 640")
        step("key frames are decoded one by one (WebCodecs)")
    else:
        step("this browser has no WebCodecs: no pictures on the timeline")

    # Another camera is another player, which wants a gesture of its own.
    browser.run("$player.player.pause(); location.hash = '#rear@2026-03-04T15:00:02Z'")
    browser.wait("its picture", "return $player.player.camera.name === 'rear' && $player.player.views[0].film.isThere")
    if not browser.run("return $player.player.isPlaying"):
        browser.click("#\\-play")
    browser.wait("playing to the end without sound", MOVES % (2_416_500, 2_419_000))
    assert not browser.run("return document.getElementById('-note').innerText.includes('stood still')")
    step("it plays on where sound ends, and in a recording that has none")
    browser.run("$timeline.timeline.go($footage.footage.camera('front'), Date.parse('2026-03-04T14:21:05Z'))")
    browser.wait("the moment before", "return $player.player.camera.name === 'front' && $player.player.views[0].film.isThere")

    for key in "i", "o":
        browser.run("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true})); $player.player.by(4000)", key)
    browser.wait("a clip", "return / · .*[kM]B/.test(document.getElementById('-clip-text').textContent)")
    step("a clip shows its length and its size")

    for name in "front", "rear":
        assert browser.run("return [...document.querySelectorAll('#\\\\-cameras .chip')].some(chip => chip.textContent === arguments[0])", name)
    browser.click("#\\-beside")
    browser.wait("two cameras", """
        const {views} = $player.player;
        return views.length === 2 && views.every(view => view.film.isThere) && Math.abs(views[0].film.time - views[1].film.time) < 500;
    """)
    step("two cameras are shown side by side")


# What the page remarks where sound cannot be played.
NO_SOUND = "The sound of this recording"


def play(name, browser, address, rate):
    """Plays what the fixtures describe. Prints what is wrong, and returns whether there is anything."""
    is_wrong = False
    browser.go(address)
    browser.wait("the cameras", "return document.getElementById('-cameras').children.length > 0")
    for number, film in enumerate(playing.films()):
        seen, heard = ({second for begin, end in film[each] for second in range(begin, end)} for each in ("seen", "heard"))
        found = playing.play(browser, f"film-{number}", playing.BEGIN, len(seen | heard), EAR, rate)
        count = film["count"]
        if name == "WebKitGTK":
            # It counts from 0 again wherever it goes, and begins with the first picture.
            count, heard = 0, {second for second in heard if second >= min(seen)}
        wrong = list(playing.faults(found, seen, heard, count, [NO_SOUND] if film.get("isSilent") else []))
        step(f"{film['name']}{': ' if wrong else ''}{'; '.join(wrong)}")
        is_wrong |= bool(wrong)
    return is_wrong


def with_browser(name, kind, act):
    with open(f"{WORK}/{name}.log", "a") as log:
        browser = kind(f"{WORK}/{name}-{act.__name__}", log)
        try:
            print(f"the page in {name} {browser.version}:", flush=True)
            return act(browser)
        except (AssertionError, RuntimeError) as error:
            print(browser.run(STATE))
            sys.exit(f"check-browsers: {name}: {error}")
        finally:
            browser.quit()


# By their names: how they are started, and how fast films are played. WebKitGTK leaves pictures out at twice their speed where there is no
# graphics card.
BROWSERS = {"WebKitGTK": (WebKit, 1), "Firefox": (Firefox, 2)}
EAR = Ear(f"{WORK}/ear")


def main():
    os.environ.update(EAR.environment)
    make_recordings()
    with Server(GIVEN.footage, WORK, RECORDINGS, "--name-zone", "UTC") as server:
        server.wait_for(2 * len(STARTS) + len(SOUNDS))
        for name, (kind, _) in BROWSERS.items():
            def using(browser):
                use(browser, f"https://127.0.0.1:{server.port}/")
            with_browser(name, kind, using)
    count = playing.make(f"{WORK}/films")
    wrong = []
    with Server(GIVEN.footage, WORK, f"{WORK}/films", "--name-zone", "UTC", state="state-films") as server:
        server.wait_for(count)
        for name, (kind, rate) in BROWSERS.items():
            def films(browser):
                if play(name, browser, f"https://127.0.0.1:{server.port}/", rate):
                    wrong.append(name)
            with_browser(name, kind, films)
    EAR.stop()
    if wrong:
        sys.exit(f"check-browsers: {' and '.join(wrong)}: see above")


main()
