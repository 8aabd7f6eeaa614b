"""What the measurements of scripts/bench-offload.sh are of: recordings, and servers that bring them into a store and read them
there. The program and the folder for all of it are the script's arguments."""

import contextlib
import json
import os
import subprocess
import sys
import time

from served import Server

FOOTAGE, WORK = sys.argv[1:3]
GIB = 1 << 30
RECORDINGS = f"{WORK}/recordings"
STORE, KEY = f"{WORK}/store", f"{WORK}/store/key"
with open(f"{STORE}/address") as file:
    BUCKET = file.read().strip()


def say(words):
    print(words, file=sys.stderr, flush=True)


# Recordings


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments], stdin=subprocess.DEVNULL, check=True)


def make_recordings():
    """A gigabyte and five minutes of 4 Mbit/s, and ten hours of 0.4 Mbit/s, all with sound and their moov boxes last; the
    gigabyte with its moov box first as well."""
    say("making a gigabyte, five minutes, and ten hours")
    os.makedirs(RECORDINGS)
    for name, size, rate in ("small", "640x360", "300k"), ("large", "1280x720", "4M"):
        ffmpeg(
            "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=30,noise=alls={40 if name == 'large' else 5}:allf=t",
            "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-t", "60", "-c:v", "libx264", "-preset",
            "ultrafast", "-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-g", "60", "-bf", "2", "-pix_fmt", "yuv420p",
            "-c:a", "aac", "-b:a", "64k", f"{WORK}/{name}.mp4")
    gigabyte = GIB * 60 / os.path.getsize(f"{WORK}/large.mp4")
    for name, clip, seconds in ("gigabyte", "large", gigabyte), ("five", "large", 300), ("ten", "small", 36_000):
        ffmpeg("-stream_loop", "-1", "-i", f"{WORK}/{clip}.mp4", "-t", str(seconds), "-c", "copy", f"{WORK}/{name}.mp4")
    ffmpeg("-i", f"{WORK}/gigabyte.mp4", "-c", "copy", "-movflags", "+faststart", f"{WORK}/first.mp4")


def first_picture(path):
    """Where the first picture lies in a recorder's file, half-open."""
    found = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-read_intervals", "%+#1", "-show_entries",
         "packet=pos,size", "-of", "json", path], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    packet = json.loads(found.stdout)["packets"][0]
    return int(packet["pos"]), int(packet["pos"]) + int(packet["size"])


# The robot


def serve(state, recordings, bucket, *options):
    """A server that brings what it has into a bucket, at this address; into none without one."""
    folder = f"{WORK}/{state}"
    if not os.path.exists(folder):
        os.makedirs(folder)
        os.symlink(f"{WORK}/certs", f"{folder}/certs")
    if bucket:
        options = "--offload", f"{bucket}/footage", "--offload-key", KEY, *options
    return Server(
        FOOTAGE, folder, recordings, "--robot-name", state, "--status-listen", f"{folder}/status", *options)


@contextlib.contextmanager
def running(server):
    try:
        yield server
    finally:
        server.stop()


def processor_seconds(process):
    """As soon as it has come to rest."""
    last = -1.0
    while True:
        now = time.clock_gettime((~process.pid << 3) | 2)
        if now - last < 0.0005:
            return now
        last = now
        time.sleep(0.25)


def wait_until(holds, seconds, what):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"bench: {what} after {seconds} s")
        time.sleep(0.2)


def item(server, name):
    status, _, body = server.ask(f"/recordings/{name}.json")
    return json.loads(body) if status == 200 else {}


def wait_for_place(server, name, place):
    wait_until(lambda: item(server, name).get("place") == place, 600, f"{name} is not in its place, {place},")


def robot(bucket, *options):
    """The server whose recordings are in the store alone."""
    server = serve("robot", RECORDINGS, bucket, *options)
    for name in "five", "ten":
        wait_for_place(server, name, "store")
    return server


def fleet(bucket):
    """A server of many robots, which has nothing of its own."""
    folder = f"{WORK}/fleet"
    os.makedirs(folder)
    os.symlink(f"{WORK}/certs", f"{folder}/certs")
    with open(f"{WORK}/certs/server.pin") as pin, open(f"{folder}/robots", "w") as robots:
        robots.write(f"robot {pin.read().strip()}\n")
    server = Server(
        FOOTAGE, folder, None, "--store", f"{bucket}/footage", "--store-key", KEY, "--robots", f"{folder}/robots")
    wait_until(lambda: item(server, "robot/ten"), 120, "the fleet's server does not list what is in the store")
    return server


def bring_and_remove(names):
    """Has recordings in the store alone; their manifests."""
    for name in names:
        os.rename(f"{WORK}/{name}.mp4", f"{RECORDINGS}/{name}.mp4")
    with running(serve("robot", RECORDINGS, BUCKET)) as server:
        for name in names:
            wait_for_place(server, name, "both")
            os.remove(f"{RECORDINGS}/{name}.mp4")
            wait_for_place(server, name, "store")
        return {name: json.loads(server.get(f"/recordings/{name}.manifest").split(b"\n")[0]) for name in names}
