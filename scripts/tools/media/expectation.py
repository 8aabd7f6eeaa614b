"""The packets of a recorder's file as ISO/IEC 14496-12 places them, and what of them each view has to show.

The file is read by ffprobe without its edit lists, which are applied here: ffprobe's own treatment of them depends on its version.
"""

import struct
from dataclasses import dataclass, field
from fractions import Fraction

from tools import reading
from tools.media.streams import boxes

DAY = 86_400
KINDS = {b"vide": "video", b"soun": "audio"}


@dataclass
class Shown:
    """A packet. time: when it is shown, in seconds from the first picture or sound of the recording.

    part: the number of closed gaps before it. is_shown: false where the edit list leaves it out. spans: true for the one that is
    on the screen where the edit begins.
    """

    hash: str
    size: int
    time: Fraction
    decoding: Fraction
    duration: Fraction
    is_key: bool
    part: int = 0
    is_shown: bool = True
    spans: bool = False

    @property
    def end(self):
        return self.time + self.duration


@dataclass
class Source:
    """A recorder's file: its packets by kind, in decoding order.

    parts: the number of closed gaps and one. is_plain: true where the sound is PCM, of which readers make packets as they like.
    """

    packets: dict = field(default_factory=dict)
    parts: int = 1
    is_plain: bool = False

    def shown(self, kind):
        """In the order in which they are shown."""
        return sorted((packet for packet in self.packets.get(kind, []) if packet.is_shown), key=lambda packet: packet.time)

    @property
    def length(self):
        return max(packet.end for kind in self.packets for packet in self.packets[kind] if packet.is_shown)


def read(path):
    """The file's packets. Its clock is the movie's: a gap of more than a day is closed, and so is a time before the present one."""
    raw = reading.packets(path, "-ignore_editlist", "1")
    with open(path, "rb") as file:
        content = file.read()
    fragments = content.find(b"moof") >= 0
    source = Source()
    edits = dict(_edits(content))
    for kind, packets in raw.items():
        wait, start, length = edits.get(kind, (Fraction(0), Fraction(0), None))
        # ffprobe adds the least composition offset of fragments to all times (§8.6.1.3).
        late = -min([Fraction(0), *_offsets(content, kind)]) if fragments else Fraction(0)
        durations = _durations(packets)
        made = []
        for packet, duration in zip(packets, durations):
            time, end = packet.time - late, packet.time - late + duration
            is_shown = end > start and (length is None or time < start + length)
            spans = is_shown and time < start
            if spans and kind == "video":
                # A picture is shown from the beginning of the edit on.
                time, duration = start, end - start
            made.append(Shown(packet.hash, packet.size, time - start + wait, packet.decoding, duration, packet.is_key, is_shown=is_shown,
                              spans=spans))
        source.packets[kind] = made
    source.parts = _close_gaps(source)
    first = min(max(packet.time, Fraction(0)) if packet.spans else packet.time
                for packets in source.packets.values() for packet in packets if packet.is_shown)
    for packets in source.packets.values():
        for packet in packets:
            packet.time -= first
    return source


def _edits(content):
    """By kind: the seconds of the empty edit, the second at which the edit begins, and its length or None."""
    [(head, _)] = boxes(content, [b"moov", b"mvhd"])
    movie = struct.unpack_from(">I", content, head + (20 if content[head] else 12))[0]
    for start, stop in boxes(content, [b"moov", b"trak"]):
        [(mdhd, _)] = boxes(content, [b"mdia", b"mdhd"], start, stop)
        [(hdlr, _)] = boxes(content, [b"mdia", b"hdlr"], start, stop)
        scale = struct.unpack_from(">I", content, mdhd + (20 if content[mdhd] else 12))[0]
        wait, begin, length = Fraction(0), Fraction(0), None
        for elst, _ in boxes(content, [b"edts", b"elst"], start, stop):
            form = ">QqI" if content[elst] else ">IiI"
            for row in range(struct.unpack_from(">I", content, elst + 4)[0]):
                duration, time, _ = struct.unpack_from(form, content, elst + 8 + row * struct.calcsize(form))
                if time < 0:
                    wait += Fraction(duration, movie)
                else:
                    begin, length = Fraction(time, scale), Fraction(duration, movie) or None
        if kind := KINDS.get(content[hdlr + 8:hdlr + 12]):
            # An edit of a fragmented file is as long as its fragments, whatever the part before them is.
            yield kind, (wait, begin, None if content.find(b"moof") >= 0 else length)


def _offsets(content, kind):
    """The composition offsets of a track's fragments, in seconds."""
    for start, stop in boxes(content, [b"moov", b"trak"]):
        [(tkhd, _)] = boxes(content, [b"tkhd"], start, stop)
        [(mdhd, _)] = boxes(content, [b"mdia", b"mdhd"], start, stop)
        [(hdlr, _)] = boxes(content, [b"mdia", b"hdlr"], start, stop)
        if KINDS.get(content[hdlr + 8:hdlr + 12]) == kind:
            number = struct.unpack_from(">I", content, tkhd + (20 if content[tkhd] else 12))[0]
            scale = struct.unpack_from(">I", content, mdhd + (20 if content[mdhd] else 12))[0]
    for start, stop in boxes(content, [b"moof", b"traf"]):
        [(tfhd, _)] = boxes(content, [b"tfhd"], start, stop)
        if struct.unpack_from(">I", content, tfhd + 4)[0] != number:
            continue
        for run, _ in boxes(content, [b"trun"], start, stop):
            flags = int.from_bytes(content[run + 1:run + 4], "big")
            if content[run] == 0 or not flags & 0x800:
                continue
            row = run + 8 + 4 * bool(flags & 1) + 4 * bool(flags & 4)
            width = 4 * (flags >> 8 & 0xF).bit_count()
            for index in range(struct.unpack_from(">I", content, run + 4)[0]):
                yield Fraction(struct.unpack_from(">i", content, row + width * (index + 1) - 4)[0], scale)


def _durations(packets):
    """The time until the next picture is shown; of the last one, as long as most of them."""
    times = sorted({packet.time for packet in packets})
    following = dict(zip(times, times[1:]))
    steps = sorted(b - a for a, b in zip(times, times[1:]) if b - a > 0)
    usual = steps[len(steps) // 2] if steps else packets[0].duration
    steps = [following.get(packet.time, packet.time + usual) - packet.time for packet in packets]
    # A longer time than three of the usual ones is a gap.
    return [step if step <= 3 * usual else usual for step in steps]


def _close_gaps(source):
    """Closes gaps of more than a day and times that go back, of all tracks together. Returns the number of parts."""
    pieces = {kind: _pieces(packets) for kind, packets in source.packets.items()}
    longest = max(pieces.values(), key=len)
    for each in pieces.values():
        for number, piece in enumerate(each):
            # A track that begins after a gap, or has ended before it, has fewer pieces than the other.
            part = number if each is longest or len(each) == len(longest) else min(
                range(len(longest)), key=lambda part: _distance(piece, longest[part], part))
            for packet in piece:
                packet.part = part
    for part in range(1, len(longest)):
        end = max(packet.end for packets in source.packets.values() for packet in packets if packet.part == part - 1)
        later = [packet for packets in source.packets.values() for packet in packets if packet.part == part]
        shift = end - min(packet.time for packet in later)
        for packet in later:
            packet.time += shift
    return len(longest)


def _pieces(packets):
    """A track's packets between the gaps that are closed."""
    pieces = [packets[:1]]
    for before, packet in zip(packets, packets[1:]):
        step = packet.decoding - before.decoding
        if step < -before.duration / 2 or step > DAY + before.duration:
            pieces.append([])
        pieces[-1].append(packet)
    return pieces


def _distance(one, other, part):
    """The time between two pieces; of equal ones, the later part is nearer to a piece that begins after it."""
    after, before = one[0].decoding - other[-1].decoding, other[0].decoding - one[-1].decoding
    return max(after, before), -part if after > before else part
