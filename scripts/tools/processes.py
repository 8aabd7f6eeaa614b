"""What a program and all that it started have cost, as Linux counts it."""

import os
import re
import subprocess
import time

KIB = 1 << 10


class Program:
    """A process that is measured, until `stop`. Figures are of it and its children, and theirs."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(
            [str(word) for word in command], **{"stdin": subprocess.DEVNULL, **options})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        # Nobody needs the ten seconds that running responses are granted.
        for wait in (2, 15):
            self.process.terminate()
            try:
                self.process.wait(wait)
                return
            except subprocess.TimeoutExpired:
                pass
        self.process.kill()
        self.process.wait()

    def processes(self):
        parents = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat") as file:
                    parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
        tree = [self.process.pid]
        for process in tree:
            tree += [child for child, parent in parents.items() if parent == process]
        return tree

    def processor_seconds(self):
        """Run time of all threads, of those that have ended too, as soon as the program has come to rest.

        It is the scheduler's sum in nanoseconds, by the clock of another process (clock_getcpuclockid(3))."""
        last = -1.0
        while True:
            now = sum(time.clock_gettime((~process << 3) | 2) for process in self.processes())
            if now - last < 0.0002:
                return now
            last = now
            time.sleep(0.05)

    def memory(self):
        """PSS, in bytes."""
        total = 0
        for process in self.processes():
            try:
                with open(f"/proc/{process}/smaps_rollup") as file:
                    total += sum(int(line.split()[1]) * KIB for line in file if line.startswith("Pss:"))
            except OSError:
                # A child that has ended meanwhile.
                continue
        return total

    def peak_memory(self):
        """The most that the process alone has had, in bytes."""
        return self._count("status", r"^VmHWM:\s+(\d+)") * KIB

    def written(self):
        """Bytes that the process had the disk write."""
        return self._count("io", r"^write_bytes: (\d+)")

    def _count(self, file, pattern):
        with open(f"/proc/{self.process.pid}/{file}") as opened:
            return int(re.search(pattern, opened.read(), re.M)[1])


def child_processor_seconds(*command, **options):
    """What a program and all that it starts spend, user and system."""
    process = subprocess.Popen([str(word) for word in command], **{"stdin": subprocess.DEVNULL, **options})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def kernel_socket_memory():
    """Bytes that the kernel has for all TCP connections of this machine (proc(5), /proc/net/sockstat)."""
    with open("/proc/net/sockstat") as file:
        words = next(line for line in file if line.startswith("TCP:")).split()
    return int(words[words.index("mem") + 1]) * os.sysconf("SC_PAGE_SIZE")
