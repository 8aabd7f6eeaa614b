"""What ffprobe, ffmpeg and GStreamer read in a file: packets, pictures, access units."""

import json
import re
import struct
import subprocess
from fractions import Fraction


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout.decode(errors="replace")


class Packet:
    def __init__(self, fields, scale):
        self.time = Fraction(fields["pts"]) * scale if "pts" in fields else None
        self.decoding = Fraction(fields["dts"]) * scale if "dts" in fields else None
        self.is_key = fields["flags"].startswith("K")
        self.is_discarded = "D" in fields["flags"]
        self.hash = fields["data_hash"]
        self.size = int(fields["size"])
        self.place = int(fields.get("pos", -1))
        self.duration = Fraction(fields.get("duration", 0)) * scale


def packets(path, *options):
    """Of the first stream of each kind, `video` and `audio`, in the order of the file."""
    read = json.loads(run(
        "ffprobe", "-v", "error", *options, "-show_data_hash", "sha256", "-show_entries",
        "stream=index,codec_type,time_base:packet=stream_index,pts,dts,duration,size,pos,flags,data_hash", "-of", "json", path))
    kinds, scales = {}, {}
    for stream in read["streams"]:
        if stream["codec_type"] in ("video", "audio") and stream["codec_type"] not in kinds.values():
            kinds[stream["index"]] = stream["codec_type"]
            scales[stream["index"]] = Fraction(stream["time_base"])
    found = {kind: [] for kind in kinds.values()}
    for fields in read["packets"]:
        if (index := fields["stream_index"]) in kinds:
            found[kinds[index]].append(Packet(fields, scales[index]))
    return found


def children(content, start, end):
    """The boxes in a range (ISO/IEC 14496-12 §4.2): their kinds, and where their contents lie."""
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", content, start)
        head = 8
        if size == 1:
            size, head = struct.unpack_from(">Q", content, start + 8)[0], 16
        size = size or end - start
        yield kind, start + head, start + size
        start += size


def lateness(path, packets):
    """By how many seconds ffprobe reads the pictures later, beside the sound, than ISO/IEC 14496-12 has them.

    GStreamer does the same. Where fragments have negative composition offsets, both add the least of them to all (§8.6.1.3);
    where the edit of a file begins between two pictures, both show the first one at once (§8.6.6).

    packets: of the pictures, without edits.
    """
    with open(path, "rb") as file:
        content = file.read()
    scales, least, start = {}, Fraction(0), None

    def find(kinds, start, end):
        if not kinds:
            yield start, end
            return
        for kind, inner, stop in children(content, start, end):
            if kind == kinds[0]:
                yield from find(kinds[1:], inner, stop)

    for track, stop in find([b"moov", b"trak"], 0, len(content)):
        [(tkhd, _)] = find([b"tkhd"], track, stop)
        [(mdhd, _)] = find([b"mdia", b"mdhd"], track, stop)
        [(hdlr, _)] = find([b"mdia", b"hdlr"], track, stop)
        # The first of several cameras is what the film shows.
        if content[hdlr + 8:hdlr + 12] == b"vide" and not scales:
            number = struct.unpack_from(">I", content, tkhd + (20 if content[tkhd] else 12))[0]
            scales[number] = struct.unpack_from(">I", content, mdhd + (20 if content[mdhd] else 12))[0]
            for elst, _ in find([b"edts", b"elst"], track, stop):
                [count, *_] = struct.unpack_from(">I", content, elst + 4)
                if count == 1:
                    time = struct.unpack_from(">q" if content[elst] else ">i", content, elst + (16 if content[elst] else 12))[0]
                    start = Fraction(time, scales[number])
    for fragment, stop in find([b"moof", b"traf"], 0, len(content)):
        [(tfhd, _)] = find([b"tfhd"], fragment, stop)
        scale = scales.get(struct.unpack_from(">I", content, tfhd + 4)[0])
        for run_start, _ in find([b"trun"], fragment, stop):
            version, flags = content[run_start], int.from_bytes(content[run_start + 1:run_start + 4], "big")
            if scale is None or version == 0 or not flags & 0x800:
                continue
            count = struct.unpack_from(">I", content, run_start + 4)[0]
            row = run_start + 8 + 4 * bool(flags & 1) + 4 * bool(flags & 4)
            width = 4 * (flags >> 8 & 0xF).bit_count()
            for index in range(count):
                offset = struct.unpack_from(">i", content, row + width * (index + 1) - 4)[0]
                least = min(least, Fraction(offset, scale))
    if start is None:
        return -least
    return start - min(packet.time for packet in packets if packet.time >= start)


def pictures(path, *options):
    """Decoded pictures in the order in which they are shown: (time in seconds, hash)."""
    text = run("ffmpeg", "-nostdin", "-v", "error", *options, "-copyts", "-i", path, "-map", "0:v:0", "-fps_mode",
               "passthrough", "-enc_time_base", "1:90000", "-f", "framemd5", "-")
    scale = Fraction(1)
    found = []
    for line in text.splitlines():
        if line.startswith("#tb 0:"):
            scale = Fraction(line.split(":")[1].strip())
        elif line and not line.startswith("#"):
            fields = [field.strip() for field in line.split(",")]
            found.append((Fraction(fields[2]) * scale, fields[5]))
    return found


def access_units(path):
    """The times in seconds of the pictures that GStreamer's demultiplexer hands out."""
    text = run("gst-launch-1.0", "-v", "filesrc", f"location={path}", "!", "qtdemux", "name=d", "d.video_0", "!",
               "identity", "silent=false", "!", "fakesink")
    return [
        Fraction(int(hours) * 3600 + int(minutes) * 60) + Fraction(seconds)
        for hours, minutes, seconds in re.findall(r"identity0: last-message = chain .*? pts: (\d+):(\d+):([\d.]+)", text)]
