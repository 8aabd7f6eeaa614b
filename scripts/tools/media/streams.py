"""Encoded pictures and sound, made once by ffmpeg, as samples for other files."""

import os
import struct
from dataclasses import dataclass
from fractions import Fraction

from tools import reading
from tools.clips import X264, ffmpeg
from tools.reading import children

# The seconds of media in a stream. A file takes as much as it needs.
LENGTH = 24
# The bytes of a sample of PCM: one channel of 16 bits.
FRAME = 2

PICTURES = {
    "25 a second": ("25", ["-g", "25", "-bf", "0"]),
    "25 a second, B-frames": ("25", ["-g", "25", "-bf", "2"]),
    "29.97 a second, B-frames": ("30000/1001", ["-g", "45", "-bf", "3"]),
    "10 a second": ("10", ["-g", "20", "-bf", "0"]),
    "1 a second": ("1", ["-g", "5", "-bf", "0"]),
    "open groups": ("25", ["-g", "25", "-bf", "2", "-x264-params", "open-gop=1"]),
}

SOUND = {
    "AAC of 48 kHz": ("48000", "mp4", ["-c:a", "aac", "-b:a", "32k"]),
    "AAC of 44.1 kHz": ("44100", "mp4", ["-c:a", "aac", "-b:a", "32k"]),
    "Opus": ("48000", "mp4", ["-c:a", "libopus", "-b:a", "32k", "-strict", "experimental"]),
    "MP3": ("48000", "mp4", ["-c:a", "libmp3lame", "-b:a", "48k"]),
    "FLAC": ("48000", "mp4", ["-c:a", "flac", "-strict", "experimental"]),
    # Slow, since ffprobe makes a packet of each of its frames in a fragment.
    "PCM": ("2000", "mov", ["-c:a", "pcm_s16le"]),
}


@dataclass
class Sample:
    """A sample: its bytes, and its times in seconds. order: the time at which the recorder writes it, which no clock changes."""

    data: bytes
    decoding: Fraction
    shown: Fraction
    duration: Fraction
    is_key: bool
    order: Fraction = Fraction(0)


@dataclass
class Stream:
    """A track's sample descriptions, as the whole `stsd` box, and its samples in decoding order.

    Pictures are decoded from 0 on, so that those with B-frames are shown later. Sound is shown when it is decoded. Of PCM, whose
    samples of `frame` bytes last one tick each, a Sample here is as many of them as a packet has.
    """

    is_picture: bool
    descriptions: bytes
    timescale: int
    samples: list
    frame: int = 0


def make(folder):
    """The streams by their names, of pictures and of sound."""
    os.makedirs(folder, exist_ok=True)
    pictures, sound = {}, {}
    for name, (rate, options) in PICTURES.items():
        path = f"{folder}/{name}.mp4"
        if not os.path.exists(path):
            ffmpeg("-f", "lavfi", "-i", f"testsrc2=s=96x64:r={rate}", "-t", LENGTH, *X264, "-crf", "40", "-threads", "1", *options, path)
        pictures[name] = _read(path, is_picture=True)
    for name, (rate, kind, options) in SOUND.items():
        path = f"{folder}/{name}.{kind}"
        if not os.path.exists(path):
            # A tone that changes, so that no two frames are equal.
            ffmpeg("-f", "lavfi", "-i", f"aevalsrc=0.4*sin(600*t*(1+0.1*t)):s={rate}:d={LENGTH}", *options, path)
        sound[name] = _read(path, is_picture=False)
    return pictures, sound


def boxes(content, kinds, start=0, end=None):
    """The contents of the boxes at a path."""
    for kind, inner, stop in children(content, start, len(content) if end is None else end):
        if kind == kinds[0]:
            if len(kinds) == 1:
                yield inner, stop
            else:
                yield from boxes(content, kinds[1:], inner, stop)


def _read(path, is_picture):
    with open(path, "rb") as file:
        content = file.read()
    tables = [b"moov", b"trak", b"mdia", b"minf", b"stbl"]
    [(start, stop)] = boxes(content, [*tables, b"stsd"])
    [(header, _)] = boxes(content, [b"moov", b"trak", b"mdia", b"mdhd"])
    timescale = struct.unpack_from(">I", content, header + 12)[0]
    packets = reading.packets(path, "-ignore_editlist", "1")["video" if is_picture else "audio"]
    first = packets[0].decoding
    samples = [
        Sample(content[packet.place:packet.place + packet.size], packet.decoding - first, packet.time - first, packet.duration, packet.is_key,
               packet.decoding - first)
        for packet in packets]
    frame = FRAME if path.endswith(".mov") else 0
    return Stream(is_picture, content[start - 8:stop], timescale, samples, frame)
