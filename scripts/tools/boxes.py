"""MP4 files out of boxes (ISO/IEC 14496-12), for what measures and what attacks: a movie of H.264, and its tables."""

import struct


def box(kind, *parts):
    content = b"".join(parts)
    return struct.pack(">I4s", 8 + len(content), kind) + content


def full(kind, *parts, version=0, flags=0):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def numbers(*values):
    return struct.pack(f">{len(values)}I", *values)


FTYP = box(b"ftyp", b"isom", numbers(512), b"isomavc1")


def video_entry(kind):
    return box(
        kind, bytes(6), b"\0\1", bytes(16), struct.pack(">HH", 1280, 720), numbers(0x480000, 0x480000), bytes(4),
        b"\0\1", bytes(32), b"\0\x18\xff\xff")


# Without parameter sets, so that nothing can decode it.
AVC1 = video_entry(b"avc1")
# Needs none.
MP4V = video_entry(b"mp4v")


def track(number, handler, entry, timescale, tables):
    return box(
        b"trak", full(b"tkhd", bytes(8), numbers(number), bytes(4), bytes(64), flags=3),
        box(b"mdia", full(b"mdhd", bytes(8), numbers(timescale, 0), b"\x55\xc4\0\0"),
            full(b"hdlr", bytes(4), handler, bytes(12), b"x\0"),
            box(b"minf", full(b"vmhd", bytes(8), flags=1),
                box(b"dinf", full(b"dref", numbers(1), full(b"url ", flags=1))),
                box(b"stbl", full(b"stsd", numbers(1), entry), tables))))


def movie(*tracks, extra=b""):
    return box(
        b"moov",
        full(b"mvhd", numbers(0, 0, 1000, 0, 0x10000), b"\1\0", bytes(10),
             numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000), bytes(24), numbers(9)),
        *tracks, extra)
