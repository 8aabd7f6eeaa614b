"""What scripts/check-media.sh checks.

Recordings of many kinds, made by chance from a seed: each one's `.mp4`, its film and three clips, packet by packet against the
recorder's file as ffprobe reads it. With --play, so many of them are played on the robot's page in a Chromium, to the end. The failures are
counted by kind. --keep is a folder for the files of the first of each kind, and for `failures.txt`, the list of all: KIND, a tab, NAME (what
it is), a tab, and what is wrong.
"""

import collections
import concurrent.futures
import copy
import os
import re
import shutil
import sys
import time
from fractions import Fraction

from tools import playing, reading
from tools.arguments import arguments
from tools.browser import Browser
from tools.films import Film, film_targets
from tools.media import comparison, expectation
from tools.media.generate import generate
from tools.server import Server

# Of each kind of failure so many are named.
NAMED = 4
# The sound that Chromium does not take by Media Source Extensions, and what the page remarks then.
UNHEARD = {"PCM", "MP3"}
NO_SOUND = "The sound of this recording"


class Faults:
    """Failures by kind: what was compared, and what is wrong with it."""

    def __init__(self):
        self.found = collections.defaultdict(list)

    def add(self, name, kind, words):
        self.found[kind].append((name, words))


def check(server, item, path, kind, work, faults):
    name = item["name"].rsplit("/", 1)[1]

    def fault(what, words):
        faults.add(name, what, words)

    if item["state"] != "ready":
        fault(f"item: {item['state']}", item.get("reason"))
        return
    source = expectation.read(path)
    source.is_plain = kind["sound"] == "PCM"

    def packets(content, ending):
        made = f"{work}/{name}-{ending}.mp4"
        with open(made, "wb") as file:
            file.write(content)
        try:
            return reading.packets(made)
        finally:
            os.remove(made)

    comparison.recording(source, packets(server.get(item["url"]), "whole"), fault)
    comparison.duration(source, item, fault)
    if not item.get("hls"):
        fault("film: none", item.get("reason"))
        return
    film = Film(server, film_targets(server, item)[0])
    comparison.film(source, film, packets(film.bytes(), "film"), fault)
    for number, (start, end) in enumerate(comparison.clip_times(source)):
        target = f"{item['url']}?start={float(start):.3f}&end={float(end):.3f}"
        status, _, body = server.ask(target)
        if status != 200:
            fault(f"clip: status {status}", f"{start}…{end}: {body[:160]}")
            continue
        comparison.clip(source, start, end, packets(body, f"clip{number}"), fault)


def seconds_of(source):
    """The seconds in which there are pictures, and those that are full of sound, both as sets."""
    seen, heard = collections.Counter(int(packet.time + Fraction(1, 1000)) for packet in source.shown("video")), collections.Counter()
    # A single picture at a second's border may be on the screen for a moment only.
    least = min(2, max(seen.values()))
    for packet in source.shown("audio"):
        heard[int(packet.time)] += packet.duration
    return {second for second, count in seen.items() if count >= least}, {second for second, length in heard.items() if length > Fraction(9, 10)}


def is_decoded(kind):
    """True if Chromium's decoder, which begins with no open group of pictures, can follow: it refuses such recorder's files as well."""
    is_cut = kind["gap"] != "none" or kind["pause"].startswith("pictures") or kind["edit"] not in ("none", "offset", "end 2")
    return kind["pictures"] != "open groups" or not is_cut


def play(given, found, names, faults):
    """Plays recordings on the page, each as one of a camera of its own."""
    folder = f"{given.work}/played"
    for name in names:
        os.makedirs(f"{folder}/{name}")
        os.link(found[name][0], f"{folder}/{name}/{playing.NAME}-00.{found[name][1].ending}")
    with Server(given.footage, given.work, folder, "--name-zone", "UTC", state="state-played") as server:
        items = {item["camera"]: item for item in server.wait_for(len(names))}
        url = f"https://127.0.0.1:{server.port}/"
        browser = Browser(f"{given.work}/browser", url, "127.0.0.1", server.pin)
        try:
            browser.go(url)
            browser.wait("the cameras", "return document.getElementById('-cameras').children.length > 0")
            for name in names:
                path, kind = found[name]
                if items[name]["state"] != "ready":
                    continue
                source = expectation.read(path)
                seen, heard = seconds_of(source)
                remarks = []
                if kind["sound"] in UNHEARD:
                    heard, remarks = set(), [NO_SOUND]
                try:
                    played = playing.play(browser, name, playing.BEGIN, len(seen | heard))
                except RuntimeError as error:
                    faults.add(name, "played: not at all", str(error)[-300:])
                    continue
                wrong = list(playing.faults(played, seen, heard, len(source.shown("video")), remarks))
                print(f"played {name} to {played['at']:.1f} s{': ' if wrong else ''}{'; '.join(wrong)}", file=sys.stderr, flush=True)
                for words in wrong:
                    faults.add(name, f"played: {re.split('[0-9:]', words)[0].strip()}", words)
        finally:
            browser.quit()


def main():
    given = arguments(__doc__, "footage", "work", count=int, seed=int, options={"keep": str, "only": str, "play": int})
    print(f"check-media: {given.count} recordings with the seed {given.seed}", file=sys.stderr, flush=True)
    folder = f"{given.work}/recordings"
    found = generate(f"{folder}/made", given.count, given.seed, f"{given.work}/streams")
    faults = Faults()
    began = time.monotonic()
    with Server(given.footage, given.work, folder) as server:
        items = {item["name"].rsplit("/", 1)[1]: item for item in server.wait_for(given.count)}
        names = sorted(items) if not given.only else given.only.split(",")

        def some(turn):
            # Each thread has a connection of its own.
            own = copy.copy(server)
            own.connection = None
            for name in names[turn::2]:
                path, kind = found[name]
                try:
                    check(own, items[name], path, kind, given.work, faults)
                except (RuntimeError, LookupError, ValueError, KeyError, IndexError) as error:
                    faults.add(name, f"not read: {type(error).__name__}", str(error)[-300:])

        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            list(threads.map(some, range(2)))
    if given.play:
        decoded = [name for name in names if is_decoded(found[name][1])]
        play(given, found, decoded[::max(1, len(decoded) // given.play)][:given.play], faults)
    print(f"{len(names)} recordings in {time.monotonic() - began:.0f} s", file=sys.stderr)
    for kind, each in sorted(faults.found.items(), key=lambda row: -len(row[1])):
        print(f"{len({name for name, _ in each}):>5}  {kind}")
        for name, words in each[:NAMED]:
            print(f"         {name} ({found[name][1]}): {words}")
            if given.keep:
                os.makedirs(given.keep, exist_ok=True)
                shutil.copy(found[name][0], given.keep)
    if given.keep and faults.found:
        with open(f"{given.keep}/failures.txt", "w") as file:
            for kind, each in sorted(faults.found.items()):
                file.writelines(f"{kind}\t{name} ({found[name][1]})\t{words}\n" for name, words in each)
    wrong = {name for each in faults.found.values() for name, _ in each}
    if wrong:
        sys.exit(f"check-media: {len(wrong)} of {len(names)} recordings differ (seed {given.seed})")


main()
