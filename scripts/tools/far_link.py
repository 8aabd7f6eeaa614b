"""A far network on one machine: two network namespaces and a link between them that has a delay, a rate, a loss and a hole.

far_link.py RTT_MS [--rate BYTES_PER_SECOND] [--queue MS] [--loss SHARE] [--seed N] [--hole ADDRESS]…
far_link.py --check      exits with 0 if this kernel allows it, otherwise prints the reason

Needs root, /dev/net/tun and iproute2. The first line on standard output is a JSON object:

  "app", "robot"         the namespaces, as paths for `nsenter --net=PATH COMMAND…`
  "appAddresses", "robotAddresses"   of IPv4, of IPv6, and link-local with its zone
  "deadAddresses"        of IPv4 and IPv6: on the link, and nobody has them
  "seed"                 of the loss

Then each line on standard input is an order, answered by a line each:

  hole on | hole off     nothing gets through any more, what is on its way included, and says nothing of it
  hole ADDRESS           the same for what goes to or comes from this address; `open ADDRESS` ends that
  rtt MS, rate N, loss SHARE
  count                  {"connections": N, "bytes": N}: TCP connections that the app has begun (first SYNs), and bytes that
                         have reached it, since the beginning or the last `reset`
  reset

The rate is that of what the robot sends, and more than `--queue` milliseconds of it are dropped; the delay is halved between
both ways, and the loss strikes both. It ends with its standard input, or by SIGTERM; the namespaces have no names and go with
the last process in them, however this one ends.
"""

import argparse
import ctypes
import fcntl
import heapq
import ipaddress
import json
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
DEVICE = "far0"
PREFIX_V4, PREFIX_V6, PREFIX_LINK = "10.8.0.", "fd08::", "fe80::"
APP, ROBOT, NOBODY = 1, 2, 99
MTU = 1500
# Packets that are taken from one side before the other has its turn.
TURN = 64

libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def run(*command):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        raise OSError(f"{' '.join(command)}: {result.stderr.strip()}")


def side(number):
    """A namespace with one end of the link: the descriptors of both."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    try:
        checked(libc.unshare(CLONE_NEWNET))
        namespace = os.open("/proc/self/ns/net", os.O_RDONLY)
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
        run("ip", "link", "set", "lo", "up")
        # A short queue would lose what a burst brings before the link can.
        run("ip", "link", "set", DEVICE, "addrgenmode", "none")
        run("ip", "link", "set", DEVICE, "mtu", str(MTU), "txqueuelen", "10000", "up")
        run("ip", "addr", "add", f"{PREFIX_V4}{number}/24", "dev", DEVICE)
        for prefix in (PREFIX_V6, PREFIX_LINK):
            run("ip", "addr", "add", f"{prefix}{number}/64", "dev", DEVICE, "nodad")
        return namespace, end
    finally:
        checked(libc.setns(home, CLONE_NEWNET))
        os.close(home)


def addresses(number, zone=True):
    local = [f"{PREFIX_LINK}{number}%{DEVICE}"] if zone else []
    return [f"{PREFIX_V4}{number}", f"{PREFIX_V6}{number}", *local]


def ends(packet):
    """Source and destination of an IP packet, as bytes."""
    if packet[0] >> 4 == 4:
        return packet[12:16], packet[16:20]
    return packet[8:24], packet[24:40]


def first_syn(packet):
    """What tells one attempt to connect from another, for a TCP segment with SYN and without ACK; else nothing."""
    version = packet[0] >> 4
    protocol = packet[9] if version == 4 else packet[6]
    if protocol != 6:
        return None
    start = (packet[0] & 15) * 4 if version == 4 else 40
    if len(packet) < start + 14 or packet[start + 13] & 0x12 != 0x02:
        return None
    # A repeated one has the same ports and the same number.
    return bytes(packet[start:start + 8]) + b"".join(ends(packet))


class Link:
    def __init__(self, options, app, robot):
        self.app, self.robot = app, robot
        self.delay = options.rtt / 2000
        self.rate = options.rate
        self.queue = options.queue / 1000
        self.loss = options.loss
        self.random = random.Random(options.seed)
        self.is_hole = False
        self.holes = {ipaddress.ip_address(address).packed for address in options.hole}
        self.flying, self.sent = [], 0
        # When what the robot has sent so far will have left it.
        self.free = 0.0
        self.reset()

    def reset(self):
        self.connections, self.byte_count = set(), 0

    def deliver(self):
        """Hands over what has arrived; returns the seconds until the next."""
        while self.flying:
            wait = self.flying[0][0] - time.monotonic()
            if wait > 0:
                return wait
            _, _, end, packet = heapq.heappop(self.flying)
            try:
                os.write(end, packet)
            except OSError:
                continue
            if end == self.app:
                self.byte_count += len(packet)
        return None

    def take(self, end):
        for _ in range(TURN):
            try:
                packet = os.read(end, MTU + 100)
            except OSError:
                return
            self.send(end, packet)

    def send(self, end, packet):
        if end == self.app:
            syn = first_syn(packet)
            if syn:
                self.connections.add(syn)
        if self.is_hole or (self.holes and not self.holes.isdisjoint(ends(packet))):
            return
        if self.loss and self.random.random() < self.loss:
            return
        now = arrival = time.monotonic()
        if self.rate and end == self.robot:
            if self.free - now > self.queue:
                return
            arrival = self.free = max(self.free, now) + len(packet) / self.rate
        self.sent += 1
        heapq.heappush(self.flying, (arrival + self.delay, self.sent, self.robot if end == self.app else self.app, packet))

    def obey(self, words):
        """The answer to an order."""
        if words in (["hole", "on"], ["hole", "off"]):
            self.is_hole = words[1] == "on"
            if self.is_hole:
                self.flying = []
        elif len(words) == 2 and words[0] == "hole":
            self.holes.add(ipaddress.ip_address(words[1]).packed)
        elif len(words) == 2 and words[0] == "open":
            self.holes.discard(ipaddress.ip_address(words[1]).packed)
        elif len(words) == 2 and words[0] == "rtt":
            self.delay = float(words[1]) / 2000
        elif len(words) == 2 and words[0] == "rate":
            self.rate, self.free = float(words[1]), 0.0
        elif len(words) == 2 and words[0] == "loss":
            self.loss = float(words[1])
        elif words == ["count"]:
            return json.dumps({"connections": len(self.connections), "bytes": self.byte_count})
        elif words == ["reset"]:
            self.reset()
        else:
            return f"unknown: {' '.join(words)}"
        return "ok"

    def run(self):
        orders = b""
        while True:
            wait = self.deliver()
            ready, _, _ = select.select([self.app, self.robot, 0], [], [], wait)
            for end in ready:
                if end:
                    self.take(end)
                    continue
                read = os.read(0, 4096)
                if not read:
                    return
                *lines, orders = (orders + read).split(b"\n")
                for line in lines:
                    try:
                        answer = self.obey(line.decode().split())
                    except ValueError as error:
                        answer = f"unknown: {error}"
                    print(answer, flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("rtt", type=float, nargs="?", default=100)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rate", type=float, default=0)
    parser.add_argument("--queue", type=float, default=500)
    parser.add_argument("--loss", type=float, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--hole", action="append", default=[])
    options = parser.parse_args()
    # The words of a refusal are for whoever skips what needs a link.
    try:
        (app_space, app), (robot_space, robot) = side(APP), side(ROBOT)
    except OSError as error:
        sys.exit(f"no network namespaces with TUN devices here: {error}")
    if options.check:
        return
    try:
        # Its delays are to be the link's, and not those of a machine that has other things to do.
        os.nice(-10)
    except OSError:
        pass
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(json.dumps({
        "app": f"/proc/{os.getpid()}/fd/{app_space}", "robot": f"/proc/{os.getpid()}/fd/{robot_space}",
        "appAddresses": addresses(APP), "robotAddresses": addresses(ROBOT), "deadAddresses": addresses(NOBODY, zone=False),
        "seed": options.seed}), flush=True)
    Link(options, app, robot).run()


main()
