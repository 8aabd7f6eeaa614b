"""Files that ask more of the process that reads them than it may have, made in a folder.

memory.mp4: fragments of samples whose times, sizes and offsets all differ, so that none of their tables can be
short. Every one of them is within its limit, and together they take more than half of what the service may have.

processor-time.mp4: 100 tracks, each with thousands of tables beside its own, every one of which is looked up
among all the others.
"""

import os
import struct

from tools.arguments import arguments
from tools.boxes import AVC1, FTYP, box, full, movie, numbers, track

PCM = box(b"sowt", bytes(6), b"\0\1", bytes(8), struct.pack(">HHII", 2, 16, 0, 8000 << 16))


def tables(*entries, beside=b""):
    """Of a track: one sample of four bytes at each offset in `entries`."""
    count = len(entries)
    return b"".join([
        full(b"stts", numbers(1, count, 40) if count else numbers(0)), full(b"stsc", numbers(1, 1, 1, 1)),
        full(b"stsz", numbers(4, count)), full(b"stco", numbers(count, *entries)), beside])


def memory(path, fragments=12, samples=1 << 20):
    run = bytearray(12 * samples)
    for index in range(samples):
        struct.pack_into(">III", run, 12 * index, 40 + index % 2, 1 + index % 3, index % 5)
    payload = sum(1 + index % 3 for index in range(samples))
    extends = box(b"mvex", full(b"trex", numbers(1, 1, 40, 0, 0)))
    with open(path, "wb") as file:
        file.write(FTYP + movie(track(1, b"vide", AVC1, 1000, tables()), extra=extends))
        for number in range(fragments):
            def moof(offset):
                return box(
                    b"moof", full(b"mfhd", numbers(number + 1)),
                    box(b"traf", full(b"tfhd", numbers(1), flags=0x20000),
                        full(b"trun", numbers(samples, offset), run, flags=0xB01)))
            head = moof(len(moof(0)) + 8)
            file.write(head + struct.pack(">I4s", 8 + payload, b"mdat"))
            file.seek(payload, os.SEEK_CUR)
        file.truncate()


def processor_time(path, tracks=100, children=2_000):
    beside = children * (full(b"saio", numbers(0)) + box(b"free"))
    sample = len(FTYP) + 8
    with open(path, "wb") as file:
        file.write(FTYP + box(b"mdat", bytes(4)))
        file.write(movie(*(track(1 + number, b"soun", PCM, 8000, tables(sample, beside=beside))
                           for number in range(tracks))))


if __name__ == "__main__":
    folder = arguments(__doc__, "folder").folder
    memory(os.path.join(folder, "memory.mp4"))
    processor_time(os.path.join(folder, "processor-time.mp4"))
