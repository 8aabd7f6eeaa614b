"""What scripts/check-store-kills.sh does.

folder: has `certs`, and `store` with a store that runs.
"""

import glob
import hashlib
import os
import random
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree

from tools.arguments import arguments
from tools.clips import X264, ffmpeg
from tools.bench.measurement import say
from tools.stores.far import OBJECT_STORE
from tools.stores.scene import StoreScene, wait_until
from tools.stores.signature import signed_fields

GIVEN = arguments(__doc__, "footage", "folder", rounds=int, seed=int)
FOOTAGE, WORK, ROUNDS, SEED = GIVEN.footage, GIVEN.folder, GIVEN.rounds, GIVEN.seed
SCENE = StoreScene(FOOTAGE, WORK)
BUCKET = SCENE.bucket
RECORDINGS = f"{WORK}/kept"
# What is stored may go at once, nothing else ever.
RULES = "--keep-at-least", "1s", "--max-size", "8M", "--offload-strict", "--offload-rate", "120M", "--log-level", "error"
# Of Swift's S3 API.
NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
chance = random.Random(SEED)
# By name: SHA-256.
recorded = {}


# The store, with the robot away


def store(verb, *words):
    subprocess.run(
        [OBJECT_STORE, verb, SCENE.store, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


def start_store():
    store("start", str(urllib.parse.urlsplit(BUCKET).port))


def ask(address):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(
                urllib.request.Request(address, headers=signed_fields("GET", address, SCENE.key)), timeout=60) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise


def listed(query, name):
    """The keys of a list, which is short enough for one page."""
    page = xml.etree.ElementTree.fromstring(ask(f"{BUCKET}?{query}"))
    if page.findtext(f"{NAMESPACE}IsTruncated") == "true":
        sys.exit(f"the list {query} has more than one page")
    return [each.findtext(f"{NAMESPACE}Key") for each in page.iter(f"{NAMESPACE}{name}")]


def objects_of(name):
    return listed(f"list-type=2&prefix=footage%2Fkilled%2F{name}%2F", "Contents")


def is_stored(name):
    """Whether a manifest says so, and the recorder's bytes are there."""
    keys = objects_of(name)
    for key in keys:
        if key.endswith(".json") and f"{key[:-5]}.mp4" in keys:
            body = ask(f"{BUCKET}/{key[:-5]}.mp4")
            if body is not None and hashlib.sha256(body).hexdigest() == recorded[name]:
                return True
    return False


# The robot's folder


def make_clips():
    for name, seconds in ("small", 2), ("large", 33):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30,noise=alls=60:allf=t", "-t", seconds, *X264, "-b:v", "5M", "-g", "30",
               f"{WORK}/{name}.mp4")


def record(number):
    """A recording that no other one is alike: a box of its own stands at its end. A large one takes three parts."""
    with open(f"{WORK}/{'large' if chance.random() < 0.4 else 'small'}.mp4", "rb") as clip:
        content = clip.read() + (72).to_bytes(4, "big") + b"free" + chance.randbytes(64)
    name = f"{number:04}"
    path = f"{RECORDINGS}/{name}.mp4"
    with open(f"{path}.part", "wb") as file:
        file.write(content)
    # Nobody is writing to it any more.
    os.utime(f"{path}.part", (time.time() - 1000,) * 2)
    os.rename(f"{path}.part", path)
    recorded[name] = hashlib.sha256(content).hexdigest()


def is_here(name):
    for path in f"{RECORDINGS}/{name}.mp4", f"{RECORDINGS}/.footage-leaving-{name}.mp4":
        try:
            with open(path, "rb") as file:
                return hashlib.sha256(file.read()).hexdigest() == recorded[name]
        except FileNotFoundError:
            pass
    return False


# The rounds


def round_of(number):
    """Kills, and says what."""
    victim = chance.choice(["robot", "robot", "store", "both"])
    server = SCENE.serve("killed", RECORDINGS, BUCKET, *RULES)
    try:
        time.sleep(chance.uniform(0, 1.5))
        record(number)
        time.sleep(chance.uniform(0, 1.5))
        if victim == "store":
            store("kill")
            time.sleep(chance.uniform(0, 0.5))
            start_store()
            time.sleep(chance.uniform(0, 2))
    finally:
        server.process.kill()
        server.process.wait()
    if victim == "both":
        store("kill")
        start_store()
    return victim


def check_whereabouts(names, words):
    """Those of them that are no longer here."""
    gone = []
    for name in names:
        if is_here(name):
            continue
        if not is_stored(name):
            sys.exit(f"{words}, seed {SEED}: {name} is neither here nor complete in the store")
        gone.append(name)
    return gone


def check_end():
    with SCENE.serve("killed", RECORDINGS, BUCKET, *RULES) as server:
        wait_until(
            lambda: (places := [each.get("place") for each in server.recordings()]).count("here") == 0
            and len(places) == len(recorded), 600, "not all recordings are stored")
        done = subprocess.run(
            [FOOTAGE, "offload", "verify", "--read", "--status-listen", f"{WORK}/killed/status"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"the stored recordings differ from the original ones, seed {SEED}: {done.stdout}{done.stderr}")
    if uploads := listed("uploads=", "Upload"):
        sys.exit(f"the store has abandoned uploads, seed {SEED}: {uploads}")
    for name in recorded:
        keys = objects_of(name)
        if len({key.rsplit(".", 1)[0] for key in keys}) != 1 or not any(key.endswith(".json") for key in keys):
            sys.exit(f"the store does not have exactly one version of {name}, seed {SEED}: {keys}")
        if not is_stored(name):
            sys.exit(f"{name} is not complete in the store, seed {SEED}")


def main():
    say(f"killing robot and store {ROUNDS} times, seed {SEED}")
    os.makedirs(RECORDINGS)
    subprocess.run(
        [FOOTAGE, "keep", "--recordings", RECORDINGS, "--mark-disk"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        check=True)
    make_clips()
    killed = {"robot": 0, "store": 0, "both": 0}
    watched = set()
    for number in range(ROUNDS):
        killed[round_of(number)] += 1
        watched.add(f"{number:04}")
        watched -= set(check_whereabouts(sorted(watched), f"round {number}"))
        if number % 20 == 19:
            say(f"{number + 1} rounds: {len(glob.glob(f'{RECORDINGS}/*.mp4'))} of {len(recorded)} recordings are here")
    check_end()
    print(
        f"{ROUNDS} rounds: the robot was killed in all of them, the store in {killed['store'] + killed['both']}; "
        f"{len(recorded)} recordings are complete in the store, and nothing else is there")


main()
