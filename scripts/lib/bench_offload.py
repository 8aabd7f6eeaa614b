"""The measurements of scripts/bench-offload.sh: bench_offload.py FOOTAGE FOLDER

FOLDER has `certs`, and `store` with a store that runs. Processor time is that of the server with all its threads, user and
system, as the scheduler sums it in nanoseconds; of others what the kernel tells when they end.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

from far_store import FarStore, is_left_out
from offload_scene import (
    BUCKET, FOOTAGE, KEY, STORE, WORK, bring_and_remove, first_picture, fleet, item, make_recordings, processor_seconds, robot,
    running, say, serve, wait_for_place, wait_until)
from served import Film, film_targets
from store_relay import RECEIVED, SENT, Relay
from store_signature import signed_fields

MB, MIB = 1_000_000, 1 << 20
PART = 8 * MIB
ROUNDS, FAR_ROUNDS = 3, 7
KILLS, VIEWERS = 100, 20
ROUND_TRIP_MS = 50


# The table

missed = []


def row(what, value, unit, goal=None):
    holds = goal is None or value <= goal
    if not holds:
        missed.append(what)
    limit = "" if goal is None else f"≤ {goal:g}"
    print(f"{what:<84} {value:>8.2f} {unit:<3} {limit:>8}  {'' if holds else 'MISSED'}".rstrip(), flush=True)


# Bringing


def upload_seconds(name, state, bucket, *options):
    """What the server spends on a recording, from the moment that its file is there."""
    recordings = f"{WORK}/{state}-recordings"
    os.makedirs(recordings)
    with running(serve(state, recordings, bucket, *options)) as server:
        before = processor_seconds(server.process)
        os.rename(f"{WORK}/{name}.mp4", f"{recordings}/{name}.mp4")
        if bucket:
            wait_for_place(server, name, "both")
        elif options:
            wait_until(lambda: server.ask(f"/recordings/{name}.manifest")[0] == 200, 600, "there is no manifest")
        else:
            server.wait_for(1)
        seconds = processor_seconds(server.process) - before
    os.rename(f"{recordings}/{name}.mp4", f"{WORK}/{name}.mp4")
    return seconds


def rclone(*arguments):
    """Processor time of it, in seconds."""
    url = urllib.parse.urlsplit(BUCKET)
    with open(KEY) as file:
        access_key, secret = file.read().split()
    # What is meant for other stores.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "RCLONE_"))} | {
        "RCLONE_CONFIG": "/dev/null", "RCLONE_CONFIG_STORE_TYPE": "s3", "RCLONE_CONFIG_STORE_PROVIDER": "Other",
        "RCLONE_CONFIG_STORE_ENDPOINT": f"http://{url.netloc}", "RCLONE_CONFIG_STORE_ACCESS_KEY_ID": access_key,
        "RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY": secret, "RCLONE_CONFIG_STORE_REGION": "us-east-1"}
    process = subprocess.Popen(["rclone", *arguments], stdin=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench: rclone {arguments[0]} ends with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def uploads():
    """Beside rclone's, with parts of the same size, in turn: of a gigabyte that is served in the order of its file, and of
    one that is served with its tables in front, of which the manifest has twice the digests."""
    uploads_of("first", "a gigabyte with its moov box first")
    uploads_of("gigabyte", "a gigabyte with its moov box last")


def uploads_of(name, words):
    own, taken, made, others, ratios = [], [], [], [], []
    for turn in range(ROUNDS):
        say(f"bringing {words} into the store, {turn + 1} of {ROUNDS}")
        taken.append(upload_seconds(name, f"taken-{name}{turn}", None))
        made.append(upload_seconds(name, f"made-{name}{turn}", None, "--manifests"))
        own.append(upload_seconds(name, f"brought-{name}{turn}", BUCKET))
        if shutil.which("rclone"):
            others.append(rclone(
                "copy", f"{WORK}/{name}.mp4", "store:recordings/rclone", "--s3-chunk-size", "8Mi",
                "--s3-no-check-bucket"))
            ratios.append(own[-1] / others[-1])
            rclone("delete", "store:recordings/rclone")
            rclone("delete", f"store:recordings/footage/brought-{name}{turn}")
    whole, taking, making = (statistics.median(each) for each in (own, taken, made))
    row(f"{words}, from its arrival until it is stored, processor time", whole, "s")
    row("  of this, taking it in", taking, "s")
    row("  and making its signed manifest", making - taking, "s")
    row("  and sending it", whole - making, "s")
    if others:
        row("  rclone copy of it, in parts of the same size", statistics.median(others), "s")
        row("  the whole in terms of rclone's", statistics.median(ratios), "×", 0.5)
        row("  sending it in terms of rclone's", (whole - making) / statistics.median(others), "×")


def kills():
    """Bytes that are sent again, by what goes over the wire, when the robot is killed within parts and between them."""
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    say(f"killing a robot {KILLS} times, seed {seed}")
    recordings = f"{WORK}/killed-recordings"
    os.makedirs(recordings)
    os.link(f"{WORK}/gigabyte.mp4", f"{recordings}/gigabyte.mp4")
    relay = Relay(urllib.parse.urlsplit(BUCKET).port)
    bucket = f"http://{relay.address}/recordings"
    begun, total, most = set(), 0, 0

    def look():
        nonlocal total, most
        sent = {part: count for (_, _, part), count in relay.take(SENT).items() if part}
        total += sum(sent.values())
        most = max(most, len(begun & sent.keys()))
        begun.update(sent)

    for _ in range(KILLS):
        with running(serve("killed", recordings, bucket)) as server:
            if not relay.wait_for_parts(chance.uniform(1, 1.25 * PART), 120):
                sys.exit("bench: a robot that was killed does not go on")
            server.process.kill()
        look()
    with running(serve("killed", recordings, bucket)) as server:
        wait_for_place(server, "gigabyte", "both")
        look()
        answer = subprocess.run(
            [FOOTAGE, "offload", "verify", "--read", "--status-listen", f"{WORK}/killed/status"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if answer.returncode != 0:
            sys.exit(f"bench: what was stored is not what was there: {answer.stdout}{answer.stderr}")
    again = total - os.path.getsize(f"{WORK}/gigabyte.mp4")
    row(f"bytes sent again over {KILLS} kills", again / MB, "MB")
    row("  in terms of a part of 8 MiB for each kill", again / PART / KILLS, "×", 1)
    row("  parts that are sent again after a kill, at most", most, "", 1)


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


def viewers(manifest):
    """So many who get all of a recording, each a little later than the one before, out of a robot that has none of it."""
    relay = Relay(urllib.parse.urlsplit(BUCKET).port)
    lengths = []
    with running(robot(f"http://{relay.address}/recordings")) as server:
        threads = [threading.Thread(target=watch, args=(server, "five", lengths)) for _ in range(VIEWERS)]
        for thread in threads:
            thread.start()
            time.sleep(0.02)
        for thread in threads:
            thread.join()
    if set(lengths) != {manifest["served"]["size"]}:
        sys.exit(f"bench: viewers got {sorted(set(lengths))} bytes of {manifest['served']['size']}")
    counts = relay.take(RECEIVED)
    given = of_object(counts, "five", ".mp4")
    size = manifest["objects"]["file"]["size"]
    row(f"{VIEWERS} viewers of one stored recording of {size / MB:.0f} MB, its bytes out of the store", given / size, "×", 1)


def seek(begin, name):
    """From nothing to the segment in the middle of ten hours, playlists and all: MiB of index, and of media."""
    relay = Relay(urllib.parse.urlsplit(BUCKET).port)
    with running(begin(f"http://{relay.address}/recordings")) as server:
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


def seeks():
    for who, begin, name in (
        ("a robot", robot, "ten"), ("a fleet's server", fleet, "robot/ten")
    ):
        index, media = seek(begin, name)
        row(f"seek in a stored film of ten hours on {who}, out of the store", index + media, "MiB", 6)
        row("  of this, index", index, "MiB")


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
        sys.exit(f"bench: curl is answered with {status} and {size} bytes of {span[1] - span[0]}: {url}")
    return float(seconds)


def far(name, picture, manifest):
    """A store 50 ms away: the first picture of a recording of which the robot has nothing."""
    if is_left_out(say):
        return
    block = picture[0] // MIB * MIB, min(-(-picture[1] // MIB) * MIB, manifest["objects"]["file"]["size"])
    start = served_offset(manifest, picture[0])
    span = start, start + picture[1] - picture[0]
    say(f"reading out of a store that is {ROUND_TRIP_MS} ms away")
    with FarStore(ROUND_TRIP_MS, STORE, f"{WORK}/certs") as store:
        url = f"{store.bucket}/footage/robot/{name}/{manifest['tag']}.mp4"
        own, films, bytes_alone, blocks = [], [], [], []
        for _ in range(FAR_ROUNDS):
            fields = signed_fields("GET", url, KEY)
            bytes_alone.append(curl_seconds(url, picture, fields))
            blocks.append(curl_seconds(url, block, fields))
            # Its own questions to the store are over by the time that it has its list.
            with running(robot(store.bucket, "--offload-pin", store.pin)) as server:
                own.append(curl_seconds(f"https://127.0.0.1:{server.port}/recordings/{name}.mp4", span, {}))
            with running(robot(store.bucket, "--offload-pin", store.pin)) as server:
                begin = time.monotonic()
                media, _ = film_targets(server, item(server, name))
                film = Film(server, media)
                for target in film.parts[0][:2]:
                    server.get(target)
                films.append(time.monotonic() - begin)
    through, alone, whole = (statistics.median(each) * 1000 for each in (own, bytes_alone, blocks))
    size = (picture[1] - picture[0]) / 1000
    row(f"store at {ROUND_TRIP_MS} ms: the first picture's {size:.0f} kB, through the robot", through, "ms")
    row("  the same bytes from the store by curl", alone, "ms")
    row(f"  the {(block[1] - block[0]) / MIB:.0f} MiB that they lie in from the store by curl", whole, "ms")
    row("  the robot later than curl with the same bytes, in round trips", (through - alone) / ROUND_TRIP_MS, "RTT")
    row("  the robot later than curl with the same mebibytes, in round trips", (through - whole) / ROUND_TRIP_MS, "RTT", 1)
    row("  the film's playlists and its whole first segment, through the robot", statistics.median(films) * 1000, "ms")


def main():
    make_recordings()
    print(f"{'figure':<84} {'measured':>8} {'':<3} {'goal':>8}")
    uploads()
    kills()
    picture = first_picture(f"{WORK}/five.mp4")
    manifests = bring_and_remove(["five", "ten"])
    viewers(manifests["five"])
    seeks()
    far("five", picture, manifests["five"])
    if missed:
        sys.exit(f"bench: {len(missed)} figure(s) miss their goal")


main()
