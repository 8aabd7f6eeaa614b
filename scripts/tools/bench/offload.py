"""What a store costs: bringing recordings there beside rclone, kills, and reading them back. The store is OpenStack Swift on the
loopback, and for what a far store costs in a network namespace, with haproxy for its TLS.

Processor time is that of the server with all its threads, user and system, as the scheduler sums it in nanoseconds; of others what the
kernel tells when they end. What comes from a store is checked by whole mebibytes before anybody gets a byte of it: over a long way the
first picture is there when its mebibyte is, and what `curl` has sooner nobody has checked.
"""

import os
import random
import shutil
import statistics
import subprocess
import threading
import time
import urllib.parse

from tools import clips
from tools.bench.measurement import GIB, MB, MIB, ROOT, fail, run, say
from tools.films import Film, film_targets
from tools.processes import child_processor_seconds
from tools.stores.far import FarStore, is_left_out
from tools.stores.relay import RECEIVED, SENT, Relay
from tools.stores.scene import StoreScene, first_picture, item, wait_for_place, wait_until
from tools.stores.signature import signed_fields
from tools.table import at_most

TITLE = "A store"
PACKAGES = ["curl", "ffmpeg", "iproute2", "rclone", "haproxy"]
ROUNDS = 3
HAS_QUICK = False

PART = 8 * MIB
FAR_ROUNDS = 7
KILLS, VIEWERS = 100, 20
ROUND_TRIP_MS = 50


def make_recordings(scene):
    """A gigabyte and five minutes of 4 Mbit/s, and ten hours of 0.4 Mbit/s, all with sound and their moov boxes last; the
    gigabyte with its moov box first as well."""
    say("making a gigabyte, five minutes, and ten hours")
    os.makedirs(scene.recordings)
    made = {name: f"{scene.folder}/{name}-clip.mp4" for name in ("small", "large")}
    clips.minute(made["small"], "640x360", "300k", 5)
    clips.minute(made["large"], "1280x720", "4M", 40)
    gigabyte = GIB * 60 / os.path.getsize(made["large"])
    for name, clip, seconds in ("gigabyte", "large", gigabyte), ("five", "large", 300), ("ten", "small", 36_000):
        clips.loop(made[clip], seconds, f"{scene.folder}/{name}.mp4")
    clips.ffmpeg("-i", f"{scene.folder}/gigabyte.mp4", "-c", "copy", "-movflags", "+faststart", f"{scene.folder}/first.mp4")


# Bringing


def upload_seconds(scene, name, state, bucket, *options):
    """What the server spends on a recording, from the moment that its file is there."""
    recordings = f"{scene.folder}/{state}-recordings"
    os.makedirs(recordings)
    with scene.serve(state, recordings, bucket, *options) as server:
        before = server.processor_seconds()
        os.rename(f"{scene.folder}/{name}.mp4", f"{recordings}/{name}.mp4")
        if bucket:
            wait_for_place(server, name, "both")
        elif options:
            wait_until(lambda: server.ask(f"/recordings/{name}.manifest")[0] == 200, 600, "there is no manifest")
        else:
            server.wait_for(1)
        seconds = server.processor_seconds() - before
    os.rename(f"{recordings}/{name}.mp4", f"{scene.folder}/{name}.mp4")
    return seconds


def rclone(scene, *arguments):
    """Processor time of it, in seconds."""
    url = urllib.parse.urlsplit(scene.bucket)
    with open(scene.key) as file:
        access_key, secret = file.read().split()
    # What is meant for other stores.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "RCLONE_"))} | {
        "RCLONE_CONFIG": "/dev/null", "RCLONE_CONFIG_STORE_TYPE": "s3", "RCLONE_CONFIG_STORE_PROVIDER": "Other",
        "RCLONE_CONFIG_STORE_ENDPOINT": f"http://{url.netloc}", "RCLONE_CONFIG_STORE_ACCESS_KEY_ID": access_key,
        "RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY": secret, "RCLONE_CONFIG_STORE_REGION": "us-east-1"}
    return child_processor_seconds("rclone", *arguments, env=environment)


def uploads(scene):
    """Beside rclone's, with parts of the same size, in turn: of a gigabyte that is served in the order of its file, and of
    one that is served with its tables in front, of which the manifest has twice the digests."""
    uploads_of(scene, "first", "a gigabyte with its moov box first")
    uploads_of(scene, "gigabyte", "a gigabyte with its moov box last")


def uploads_of(scene, name, words):
    own, taken, made, others, ratios = [], [], [], [], []
    for turn in range(scene.rounds):
        say(f"uploading {words} to the store, {turn + 1} of {scene.rounds}")
        taken.append(upload_seconds(scene, name, f"taken-{name}{turn}", None))
        made.append(upload_seconds(scene, name, f"made-{name}{turn}", None, "--manifests"))
        own.append(upload_seconds(scene, name, f"brought-{name}{turn}", scene.bucket))
        if shutil.which("rclone"):
            others.append(rclone(
                scene, "copy", f"{scene.folder}/{name}.mp4", "store:recordings/rclone", "--s3-chunk-size", "8Mi",
                "--s3-no-check-bucket"))
            ratios.append(own[-1] / others[-1])
            rclone(scene, "delete", "store:recordings/rclone")
            rclone(scene, "delete", f"store:recordings/footage/brought-{name}{turn}")
    whole, taking, making = (statistics.median(each) for each in (own, taken, made))
    scene.table.row(f"{words}, from its arrival until it is stored, processor time", (whole, "s"))
    scene.table.row("  of this, taking it in", (taking, "s"))
    scene.table.row("  and making its signed manifest", (making - taking, "s"))
    scene.table.row("  and sending it", (whole - making, "s"))
    if others:
        scene.table.row("  rclone copy of it, in parts of the same size", (statistics.median(others), "s"))
        scene.table.row("  the whole in terms of rclone's", (statistics.median(ratios), "×"), goal=at_most(0.5))
        scene.table.row("  sending it in terms of rclone's", ((whole - making) / statistics.median(others), "×"))


def kills(scene):
    """Bytes that are sent again, by what goes over the wire, when the robot is killed within parts and between them."""
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    say(f"killing a robot {KILLS} times, seed {seed}")
    recordings = f"{scene.folder}/killed-recordings"
    os.makedirs(recordings)
    os.link(f"{scene.folder}/gigabyte.mp4", f"{recordings}/gigabyte.mp4")
    relay = Relay(urllib.parse.urlsplit(scene.bucket).port)
    bucket = f"http://{relay.address}/recordings"
    begun, total, most = set(), 0, 0

    def look():
        nonlocal total, most
        sent = {part: count for (_, _, part), count in relay.take(SENT).items() if part}
        total += sum(sent.values())
        most = max(most, len(begun & sent.keys()))
        begun.update(sent)

    for _ in range(KILLS):
        with scene.serve("killed", recordings, bucket) as server:
            if not relay.wait_for_parts(chance.uniform(1, 1.25 * PART), 120):
                fail("a robot that was killed does not continue its upload")
            server.process.kill()
        look()
    with scene.serve("killed", recordings, bucket) as server:
        wait_for_place(server, "gigabyte", "both")
        look()
        answer = subprocess.run(
            [scene.footage, "offload", "verify", "--read", "--status-listen", f"{scene.folder}/killed/status"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if answer.returncode != 0:
            fail(f"the stored recordings differ from the original ones: {answer.stdout}{answer.stderr}")
    again = total - os.path.getsize(f"{scene.folder}/gigabyte.mp4")
    scene.table.row(f"bytes sent again over {KILLS} kills", (again / MB, "MB"))
    scene.table.row("  in terms of a part of 8 MiB for each kill", (again / PART / KILLS, "×"), goal=at_most(1))
    scene.table.row("  parts that are sent again after a kill, at most", (most, ""), goal=at_most(1))


# Reading back


def of_object(counts, name, suffix):
    return sum(count for (_, path, _), count in counts.items() if path.endswith(suffix) and f"/{name}/" in path)


def watch(server, name, lengths):
    """Gets all of a recording, and notes how much that was."""
    done = subprocess.run(
        ["curl", "--silent", "--noproxy", "*", "--insecure", "--output", "/dev/null", "--write-out", "%{size_download}",
         f"https://127.0.0.1:{server.port}/recordings/{name}.mp4"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    lengths.append(int(done.stdout))


def viewers(scene, manifest):
    """So many who get all of a recording, each a little later than the one before, out of a robot that has none of it."""
    relay = Relay(urllib.parse.urlsplit(scene.bucket).port)
    lengths = []
    with scene.robot(f"http://{relay.address}/recordings") as server:
        threads = [threading.Thread(target=watch, args=(server, "five", lengths)) for _ in range(VIEWERS)]
        for thread in threads:
            thread.start()
            time.sleep(0.02)
        for thread in threads:
            thread.join()
    if set(lengths) != {manifest["served"]["size"]}:
        fail(f"viewers got {sorted(set(lengths))} bytes of {manifest['served']['size']}")
    counts = relay.take(RECEIVED)
    given = of_object(counts, "five", ".mp4")
    size = manifest["objects"]["file"]["size"]
    scene.table.row(f"{VIEWERS} viewers of one stored recording of {size / MB:.0f} MB, its bytes out of the store", (given / size, "×"), goal=at_most(1))


def seek(scene, begin, name):
    """From nothing to the segment in the middle of ten hours, playlists and all: MiB of index, and of media."""
    relay = Relay(urllib.parse.urlsplit(scene.bucket).port)
    with begin(f"http://{relay.address}/recordings") as server:
        relay.take(RECEIVED)
        media, _ = film_targets(server, item(server, name))
        film = Film(server, media)
        beginning, segment = film.parts[len(film.parts) // 2][:2]
        server.get(beginning)
        server.get(segment)
        # What it fetches ahead counts as well.
        time.sleep(2)
    counts = relay.take(RECEIVED)
    return of_object(counts, "ten", ".index") / MIB, (
        of_object(counts, "ten", ".mp4") + of_object(counts, "ten", ".preamble")) / MIB


def seeks(scene):
    for who, begin, name in (
        ("a robot", scene.robot, "ten"), ("a fleet's server", scene.fleet, "robot/ten")
    ):
        index, media = seek(scene, begin, name)
        scene.table.row(f"seek in a stored film of ten hours on {who}, out of the store", (index + media, "MiB"), goal=at_most(6))
        scene.table.row("  of this, index", (index, "MiB"))


def served_offset(manifest, offset):
    """Where a byte of the recorder's file is in what is served."""
    start = 0
    for each in manifest["composition"]:
        if each["object"] == "file" and each["from"] <= offset < each["to"]:
            return start + offset - each["from"]
        start += each["to"] - each["from"]
    raise LookupError(f"byte {offset} is not served")


def curl_seconds(url, span, fields):
    """Of a whole connection."""
    headers = [word for name, value in fields.items() for word in ("--header", f"{name}: {value}")]
    done = subprocess.run(
        ["curl", "--silent", "--noproxy", "*", "--insecure", "--range", f"{span[0]}-{span[1] - 1}", "--output", "/dev/null",
         "--write-out", "%{http_code} %{size_download} %{time_total}", *headers, url],
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    status, size, seconds = done.stdout.split()
    if status != "206" or int(size) != span[1] - span[0]:
        fail(f"curl got status {status} and {size} of {span[1] - span[0]} bytes: {url}")
    return float(seconds)


def far(scene, name, picture, manifest):
    """A store 50 ms away: the first picture of a recording of which the robot has nothing."""
    if is_left_out(say):
        return
    block = picture[0] // MIB * MIB, min(-(-picture[1] // MIB) * MIB, manifest["objects"]["file"]["size"])
    start = served_offset(manifest, picture[0])
    span = start, start + picture[1] - picture[0]
    say(f"reading from a store that is {ROUND_TRIP_MS} ms away")
    with FarStore(ROUND_TRIP_MS, scene.store, f"{scene.folder}/certs") as store:
        url = f"{store.bucket}/footage/robot/{name}/{manifest['tag']}.mp4"
        own, films, bytes_alone, blocks = [], [], [], []
        for _ in range(FAR_ROUNDS):
            fields = signed_fields("GET", url, scene.key)
            bytes_alone.append(curl_seconds(url, picture, fields))
            blocks.append(curl_seconds(url, block, fields))
            # Its own questions to the store are over by the time that it has its list.
            with scene.robot(store.bucket, "--offload-pin", store.pin) as server:
                own.append(curl_seconds(f"https://127.0.0.1:{server.port}/recordings/{name}.mp4", span, {}))
            with scene.robot(store.bucket, "--offload-pin", store.pin) as server:
                begin = time.monotonic()
                media, _ = film_targets(server, item(server, name))
                film = Film(server, media)
                for target in film.parts[0][:2]:
                    server.get(target)
                films.append(time.monotonic() - begin)
    through, alone, whole = (statistics.median(each) * 1000 for each in (own, bytes_alone, blocks))
    size = (picture[1] - picture[0]) / 1000
    scene.table.row(f"store at {ROUND_TRIP_MS} ms: the first picture's {size:.0f} kB, through the robot", (through, "ms"))
    scene.table.row("  the same bytes from the store by curl", (alone, "ms"))
    scene.table.row(f"  the {(block[1] - block[0]) / MIB:.0f} MiB that they lie in from the store by curl", (whole, "ms"))
    scene.table.row("  the robot later than curl with the same bytes, in round trips", ((through - alone) / ROUND_TRIP_MS, "RTT"))
    scene.table.row("  the robot later than curl with the same mebibytes, in round trips", ((through - whole) / ROUND_TRIP_MS, "RTT"), goal=at_most(1))
    scene.table.row("  the film's playlists and its whole first segment, through the robot", (statistics.median(films) * 1000, "ms"))


def measure(measurement):
    begun = subprocess.run(
        [f"{ROOT}/scripts/lib/object_store.sh", "start", f"{measurement.folder}/store"], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL)
    if begun.returncode != 0:
        fail("no store is available")
    try:
        measurement.certificates("--name", "localhost", "--ip", "127.0.0.1", "--ip", "10.8.0.2")
        scene = StoreScene(measurement.footage, measurement.folder)
        scene.rounds, scene.table = measurement.rounds, measurement.table("a store on the loopback")
        make_recordings(scene)
        uploads(scene)
        kills(scene)
        picture = first_picture(f"{scene.folder}/five.mp4")
        manifests = scene.bring_and_remove(["five", "ten"])
        viewers(scene, manifests["five"])
        seeks(scene)
        far(scene, "five", picture, manifests["five"])
    finally:
        subprocess.run(
            [f"{ROOT}/scripts/lib/object_store.sh", "stop", f"{measurement.folder}/store"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    run(measure, __doc__)
