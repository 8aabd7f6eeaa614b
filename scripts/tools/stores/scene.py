"""Robots that bring recordings into a store on this machine, and servers that read them there."""

import json
import os
import subprocess
import sys
import time

from tools.server import Server


def wait_until(holds, seconds, what):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"{what} after {seconds} s")
        time.sleep(0.2)


def item(server, name):
    status, _, body = server.ask(f"/recordings/{name}.json")
    return json.loads(body) if status == 200 else {}


def wait_for_place(server, name, place):
    wait_until(lambda: item(server, name).get("place") == place, 600, f"{name} is not in its place ({place})")


def first_picture(path):
    """Where the first picture lies in a recorder's file, half-open."""
    found = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-read_intervals", "%+#1", "-show_entries",
         "packet=pos,size", "-of", "json", path], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    packet = json.loads(found.stdout)["packets"][0]
    return int(packet["pos"]), int(packet["pos"]) + int(packet["size"])


class StoreScene:
    """A folder with `certs`, and `store` with a store that runs (scripts/lib/object_store.sh).

    bucket: the store's address. key: the file with its key. recordings: the folder of what is stored and read.
    """

    def __init__(self, footage, folder):
        self.footage, self.folder = footage, folder
        self.recordings, self.store = f"{folder}/recordings", f"{folder}/store"
        self.key = f"{self.store}/key"
        with open(f"{self.store}/address") as file:
            self.bucket = file.read().strip()

    def folder_of(self, state):
        """A server's own, with the certificates that all have."""
        folder = f"{self.folder}/{state}"
        if not os.path.exists(folder):
            os.makedirs(folder)
            os.symlink(f"{self.folder}/certs", f"{folder}/certs")
        return folder

    def serve(self, state, recordings, bucket, *options):
        """A server that brings what it has into a bucket, at this address; into none without one."""
        folder = self.folder_of(state)
        if bucket:
            options = "--offload", f"{bucket}/footage", "--offload-key", self.key, *options
        return Server(self.footage, folder, recordings, "--robot-name", state, "--status-listen", f"{folder}/status", *options)

    def robot(self, bucket, *options):
        """The server whose recordings, `five` and `ten`, are in the store alone."""
        server = self.serve("robot", self.recordings, bucket, *options)
        for name in "five", "ten":
            wait_for_place(server, name, "store")
        return server

    def fleet(self, bucket):
        """A server of many robots, which has nothing of its own."""
        folder = self.folder_of("fleet")
        with open(f"{folder}/certs/server.pin") as pin, open(f"{folder}/robots", "w") as robots:
            robots.write(f"robot {pin.read().strip()}\n")
        server = Server(
            self.footage, folder, None, "--store", f"{bucket}/footage", "--store-key", self.key, "--robots", f"{folder}/robots")
        wait_until(lambda: item(server, "robot/ten"), 120, "the fleet's server does not list the stored recording")
        return server

    def bring_and_remove(self, names):
        """Has recordings in the store alone; their manifests."""
        for name in names:
            os.rename(f"{self.folder}/{name}.mp4", f"{self.recordings}/{name}.mp4")
        with self.serve("robot", self.recordings, self.bucket) as server:
            for name in names:
                wait_for_place(server, name, "both")
                os.remove(f"{self.recordings}/{name}.mp4")
                wait_for_place(server, name, "store")
            return {name: json.loads(server.get(f"/recordings/{name}.manifest").split(b"\n")[0]) for name in names}
