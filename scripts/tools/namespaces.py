"""A far link (far_link.py) whose near end this process is at while it lasts."""

import ctypes
import json
import os
import subprocess
import sys

FAR_LINK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "far_link.py")
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def is_left_out(say, what):
    """Whether there can be none here; a word says why."""
    check = subprocess.run([sys.executable, FAR_LINK, "--check"], capture_output=True, text=True)
    if check.returncode != 0:
        say(f"{what} is skipped: {check.stderr.strip()}")
    return check.returncode != 0


def enter(namespace):
    if libc.setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class FarLink:
    """From `with` on this thread is at the near end; what `far` begins is at the other.

    A namespace is a thread's own, so threads have to be started within it.
    """

    def __init__(self, round_trip_ms, rate=None):
        self.options = [str(round_trip_ms), *(["--rate", str(rate)] if rate else [])]

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, FAR_LINK, *self.options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        place = json.loads(self.process.stdout.readline())
        self.far = ["nsenter", f"--net={place['robot']}"]
        self.far_addresses = place["robotAddresses"]
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY)
        near = os.open(place["app"], os.O_RDONLY)
        try:
            enter(near)
        finally:
            os.close(near)
        return self

    def __exit__(self, *_):
        enter(self.home)
        os.close(self.home)
        self.process.stdin.close()
        self.process.wait()

    def order(self, words):
        """What it answers to an order, as far_link.py says."""
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def connections(self):
        """TCP connections that the near end has begun since the last `reset`."""
        return json.loads(self.order("count"))["connections"]
