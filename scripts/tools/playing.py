"""Playing recordings on the robot's page, and what a browser shows and sounds meanwhile. Tests/PageTests/PlaybackTests.swift does the
same with the same fixtures."""

import collections
import json
import os
import time

from tools.clips import X264, age, ffmpeg

# When what is played was recorded: in milliseconds since 1970, and as it stands in names.
BEGIN = 1_772_600_760_000
NAME = "2026-03-04T05-06"
FIXTURES = f"{os.path.dirname(__file__)}/../../Tests/Fixtures/Playback"
# Seconds for which the page may stand before it is taken for broken; a picture may stand so long while there is more to play.
PATIENCE = 60
LONGEST_STAND = 2
# Of a second with sound, so much has to be heard: what is at its borders comes a little early or late.
HEARD = 0.5


def films():
    """The recordings of Tests/Fixtures/Playback."""
    with open(f"{FIXTURES}/films.json") as file:
        return json.load(file)


def make(folder):
    """Makes them all, each film as those of a camera `film-N`. Returns how many recordings there are."""
    count = 0
    for number, film in enumerate(films()):
        os.makedirs(f"{folder}/film-{number}")
        for recording in film["recordings"]:
            record(recording, f"{folder}/film-{number}/{NAME}-{recording['start']:02}.mp4")
            count += 1
    return count


def record(recording, path):
    """Makes a recording as the fixtures describe it."""
    inputs = ["-f", "lavfi", "-i", f"testsrc=size=160x120:rate=10:duration={recording['pictures']}"]
    sound = []
    if "sound" in recording:
        inputs += ["-f", "lavfi", "-i", f"sine=frequency=440:duration={recording['sound']}"]
        sound = ["-af", recording.get("audioFilter", "anull"), *recording.get("codec", ["-c:a", "aac", "-b:a", "16k", "-ar", "16000"])]
    ffmpeg(*inputs, "-vf", recording.get("videoFilter", "null"), "-fps_mode", "passthrough", *X264, "-g", recording.get("group", 10),
           "-bf", "0", *sound, path)
    age(path)


def play(browser, camera, begin, seconds, ear=None, rate=2):
    """Plays a camera from a moment on, in milliseconds since 1970, until the recordings end or the page stands. Returns what was seen.

    seconds: how long all of that lasts at most. ear: a `hearing.Ear`; without one the browser listens to itself.
    """
    go = "$timeline.timeline.go($footage.footage.camera(arguments[0]), arguments[1]); $player.player.pause();"
    browser.run(f"$player.player.close(); $player.player.setRate(arguments[2]); {go}", camera, begin, rate)
    browser.wait("picture", "return $player.player.views[0]?.film.isThere")
    # It wants a gesture before it plays with sound, and takes its time until it does so for the first time.
    browser.click("#\\-play")
    browser.wait("moving", "return $player.player.isPlaying && $player.player.now > arguments[0]", begin)
    with open(f"{FIXTURES}/watch.js") as file:
        browser.run(file.read(), begin, ear is None)
    browser.wait("listening", "return window.played.isListening")
    # The first pictures are decoded before it plays.
    browser.run(f"window.played.begin(); {go}", camera, begin)
    browser.wait("the picture again", "return $player.player.views[0].film.isThere")
    browser.run("$player.player.play()")
    at, since, end = None, time.monotonic(), time.monotonic() + seconds / rate + PATIENCE
    while True:
        found = browser.run("return window.played.report()")
        now = time.monotonic()
        if found["isAtEnd"] or now > end or now - since > PATIENCE:
            break
        if found["at"] != at:
            at, since = found["at"], now
        time.sleep(0.25)
    browser.run("$player.player.pause()")
    # Of each second, whether there was a sound, as often as it was listened.
    found["heard"] = collections.defaultdict(list)
    for moment, second, is_loud in found["clock"]:
        found["heard"][int(second)].append(ear.is_loud(moment / 1000) if ear else is_loud)
    return found


def faults(found, seen, heard, pictures=0, remarks=()):
    """What is wrong with what was seen, in words.

    seen, heard: seconds in which there are pictures and sounds. pictures: how many there are. remarks: the beginnings of remarks that the
    page has to make.
    """
    if not found["isAtEnd"]:
        yield f"stands at {found['at']:.2f} s: {found['notes']} {found['remarks']}"
        return
    if found["stood"] > LONGEST_STAND * 1000:
        yield f"stood for {found['stood'] / 1000:.1f} s at {found['stoodAt']:.2f} s"
    for note in found["notes"]:
        if "stood still" in note or "stopped" in note:
            yield f"the page says: {note}"
    for remark in found["remarks"]:
        if not remark.startswith(tuple(remarks)):
            yield f"the page remarks: {remark}"
    for remark in remarks:
        if not any(each.startswith(remark) for each in found["remarks"]):
            yield f"the page does not remark: {remark}"
    if found["corrupted"]:
        yield f"{found['corrupted']} damaged pictures"
    if found["pictures"] < pictures:
        yield f"{found['pictures']} of {pictures} pictures"
    if dark := sorted(set(seen) - set(found["seen"])):
        yield f"no picture of the seconds {dark}"
    listened = {second: found["heard"].get(second, []) for second in heard}
    silent = {second: f"{sum(each)} of {len(each)}" for second, each in listened.items() if not each or sum(each) < HEARD * len(each)}
    if silent:
        yield f"no sound in the seconds {silent}"
