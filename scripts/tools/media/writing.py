"""MP4 files as recorders write them, out of tracks of samples (ISO/IEC 14496-12)."""

import struct
from dataclasses import dataclass, field
from fractions import Fraction

from tools.boxes import box, full, numbers

MOVIE_TIMESCALE = 1000
# A duration that no recording has: 6.6 hours of ticks of 90 kHz.
WILD = (1 << 31) - 5
# ISO/IEC 14496-12 §8.8.3.1: a picture that others depend on, and one that depends on others.
KEY, OTHER = 0x02000000, 0x01010000


@dataclass
class Track:
    """A track to be written.

    timescale: its ticks a second. shift: the seconds that are added to its composition offsets. wait: the seconds of an empty edit.
    edit: the seconds on the track's timeline at which the edit begins, and its length or None to the end; None for no edit.
    """

    stream: object
    samples: list
    timescale: int
    shift: Fraction = Fraction(0)
    wait: Fraction = Fraction(0)
    edit: tuple = None
    wild: set = field(default_factory=set)

    def __post_init__(self):
        # Times are rounded one by one, so that errors do not add up.
        self.decoding = [round(sample.decoding * self.timescale) for sample in self.samples]
        shown = [round((sample.shown + self.shift) * self.timescale) for sample in self.samples]
        self.offsets = [a - b for a, b in zip(shown, self.decoding)]
        usual = [round((sample.decoding + sample.duration) * self.timescale) for sample in self.samples]
        self.usual = [max(1, a - b) for a, b in zip(usual, self.decoding)]

    @property
    def end(self):
        return self.decoding[-1] + self.usual[-1]


@dataclass
class Headers:
    """The form of a movie's headers. durations: `right`, `zero`, or `wild`."""

    durations: str = "right"
    is_large: bool = False

    def duration(self, ticks):
        largest = (1 << 64 if self.is_large else 1 << 32) - 1
        return {"zero": 0, "wild": largest}.get(self.durations, min(ticks, largest))

    def time(self, *values):
        return struct.pack(f">{len(values)}{'Q' if self.is_large else 'I'}", *values)

    @property
    def version(self):
        return int(self.is_large)


def _edits(track, headers):
    """The edit list (§8.6.6): an empty edit, then one that begins somewhere."""
    rows = []
    if track.wait:
        rows.append((round(track.wait * MOVIE_TIMESCALE), -1))
    if track.edit or rows:
        start, length = track.edit or (Fraction(0), None)
        rows.append((0 if length is None else round(length * MOVIE_TIMESCALE), round(start * track.timescale)))
    if not rows:
        return b""
    large = headers.is_large or any(start >= 1 << 31 for _, start in rows)
    form = ">QqI" if large else ">IiI"
    return box(b"edts", full(b"elst", numbers(len(rows)), *(struct.pack(form, *row, 0x10000) for row in rows), version=int(large)))


def _trak(number, track, tables, headers, duration):
    seconds = Fraction(duration, track.timescale)
    is_picture = track.stream.is_picture
    matrix = numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    size = numbers(96 << 16, 64 << 16) if is_picture else numbers(0, 0)
    return box(
        b"trak",
        full(b"tkhd", headers.time(0, 0), numbers(number, 0), headers.time(headers.duration(round(seconds * MOVIE_TIMESCALE))), bytes(8),
             b"\0\0\0\0" if is_picture else b"\0\0\1\0", b"\0\0\0\0", matrix, size, version=headers.version, flags=3),
        _edits(track, headers),
        box(b"mdia", full(b"mdhd", headers.time(0, 0), numbers(track.timescale), headers.time(headers.duration(duration)), b"\x55\xc4\0\0",
                          version=headers.version),
            full(b"hdlr", bytes(4), b"vide" if is_picture else b"soun", bytes(12), b"x\0"),
            box(b"minf", full(b"vmhd", bytes(8), flags=1) if is_picture else full(b"smhd", bytes(4)),
                box(b"dinf", full(b"dref", numbers(1), full(b"url ", flags=1))), box(b"stbl", track.stream.descriptions, tables))))


def _moov(tracks, tables, headers, extra=b"", durations=None):
    durations = durations or [track.end for track in tracks]
    whole = max(round(Fraction(ticks, track.timescale) * MOVIE_TIMESCALE) for track, ticks in zip(tracks, durations))
    head = full(
        b"mvhd", headers.time(0, 0), numbers(MOVIE_TIMESCALE), headers.time(headers.duration(whole)), numbers(0x10000), b"\1\0", bytes(10),
        numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000), bytes(24), numbers(len(tracks) + 1), version=headers.version)
    return box(
        b"moov", head,
        *(_trak(n + 1, track, made, headers, ticks) for n, (track, made, ticks) in enumerate(zip(tracks, tables, durations))), extra)


def _runs(values):
    """Equal values in a row, as counts and values."""
    rows = []
    for value in values:
        if rows and rows[-1][1] == value:
            rows[-1][0] += 1
        else:
            rows.append([1, value])
    return rows


def _table(kind, rows, **options):
    return full(kind, numbers(len(rows)), *(numbers(*(value & 0xFFFFFFFF for value in row)) for row in rows), **options)


def _split(tracks, length):
    """The numbers of the tracks' samples, in pieces of about so many seconds: (track, range) in the order of time."""
    pieces = []
    for number, track in enumerate(tracks):
        begin = 0
        for index in range(1, len(track.samples) + 1):
            if index == len(track.samples) or track.samples[index].decoding - track.samples[begin].decoding >= length:
                pieces.append((track.samples[begin].decoding, number, range(begin, index)))
                begin = index
    return [(number, piece) for _, number, piece in sorted(pieces, key=lambda each: each[:2])]


# Progressive files


def progressive(tracks, headers, moov_first=False, wide_offsets=False, negative=0):
    """A file with sample tables. negative: the number of times that an `stts` delta is 256 ticks less than nothing."""
    chunks = _split(tracks, Fraction(1, 2))
    ftyp = box(b"ftyp", b"isom", numbers(512), b"isomavc1")

    def head(offsets):
        return _moov(tracks, [_tables(track, [(piece, offsets[n]) for n, (number, piece) in enumerate(chunks) if number == index],
                                      wide_offsets, negative) for index, track in enumerate(tracks)], headers)

    start = len(ftyp) + 8 + (len(head([0] * len(chunks))) if moov_first else 0)
    offsets, data = [], []
    for number, piece in chunks:
        offsets.append(start)
        data += [tracks[number].samples[index].data for index in piece]
        start += sum(len(tracks[number].samples[index].data) for index in piece)
    moov, mdat = head(offsets), box(b"mdat", *data)
    return ftyp + (moov + mdat if moov_first else mdat + moov)


def _tables(track, chunks, wide_offsets, negative):
    frame = track.stream.frame
    counts = [len(sample.data) // frame if frame else 1 for sample in track.samples]
    if frame:
        times = _table(b"stts", [(sum(counts), 1)])
        sizes = full(b"stsz", numbers(frame, sum(counts)))
    else:
        deltas = [b - a for a, b in zip(track.decoding, track.decoding[1:] + [track.end])]
        for index in track.wild:
            deltas[index] = WILD
        for place in range(negative):
            # A recorder takes back at once what it gave too much.
            index = (place + 1) * len(deltas) // (negative + 2)
            deltas[index], deltas[index + 1] = -256, deltas[index + 1] + deltas[index] + 256
        times = _table(b"stts", _runs(deltas))
        sizes = full(b"stsz", numbers(0, len(counts)), numbers(*(len(sample.data) for sample in track.samples)))
    parts = [times]
    if any(track.offsets):
        parts.append(_table(b"ctts", _runs(track.offsets), version=int(min(track.offsets) < 0)))
    if track.stream.is_picture:
        parts.append(_table(b"stss", [(n + 1,) for n, sample in enumerate(track.samples) if sample.is_key]))
    lengths = [sum(counts[index] for index in piece) for piece, _ in chunks]
    rows = [(n + 1, length, 1) for n, length in enumerate(lengths) if n == 0 or lengths[n - 1] != length]
    parts += [_table(b"stsc", rows), sizes]
    places = [place for _, place in chunks]
    if wide_offsets:
        parts.append(full(b"co64", numbers(len(places)), struct.pack(f">{len(places)}Q", *places)))
    else:
        parts.append(full(b"stco", numbers(len(places), *places)))
    return b"".join(parts)


# Fragmented files


@dataclass
class Fragments:
    """The form of fragments.

    base: the way in which runs are placed: `moof` (default-base-is-moof), `absolute` (base_data_offset) or `implicit` (neither).
    apart: each track has fragments of its own. length: their seconds, or None for one at each key frame.
    short_times: `tfdt` of 32 bits.
    """

    base: str = "moof"
    apart: bool = False
    length: Fraction = None
    short_times: bool = False


def fragmented(tracks, headers, form):
    """A file with an empty movie and fragments."""
    trex = [full(b"trex", numbers(n + 1, 1, 0, 0, 0)) for n in range(len(tracks))]
    empty = b"".join((_table(b"stts", []), _table(b"stsc", []), full(b"stsz", numbers(0, 0)), _table(b"stco", [])))
    file = [box(b"ftyp", b"iso5", numbers(512), b"iso5iso6mp41"),
            _moov(tracks, [empty] * len(tracks), headers, box(b"mvex", *trex), [0] * len(tracks))]
    place = sum(map(len, file))
    for sequence, pieces in enumerate(_fragments(tracks, form), 1):
        made = _fragment(sequence, tracks, pieces, form, place)
        file.append(made)
        place += len(made)
    return b"".join(file)


def _fragments(tracks, form):
    """The parts of each fragment: (track, range)."""
    leading = tracks[0]
    starts = [n for n, sample in enumerate(leading.samples)
              if n == 0 or (sample.is_key if form.length is None else False)]
    if form.length is not None:
        starts = [0]
        for n, sample in enumerate(leading.samples):
            if sample.decoding - leading.samples[starts[-1]].decoding >= form.length:
                starts.append(n)
    # A recorder writes a fragment at a gap, since only a fragment can tell a time.
    for n in range(1, len(leading.samples)):
        before = leading.samples[n - 1]
        if not 0 <= leading.samples[n].decoding - before.decoding - before.duration < Fraction(3, 2):
            starts.append(n)
    starts = sorted(set(starts))
    found = []
    done = [0] * len(tracks)
    for start, end in zip(starts, starts[1:] + [None]):
        parts = [(0, range(start, end if end is not None else len(leading.samples)))]
        for number, track in enumerate(tracks[1:], 1):
            stop = done[number]
            # In the order of the recorder's work, which a clock that was set back does not change.
            while stop < len(track.samples) and (end is None or track.samples[stop].order < leading.samples[end].order):
                stop += 1
            parts += [(number, piece) for piece in _steady(track, range(done[number], stop))]
            done[number] = stop
        parts = [part for part in parts if part[1]]
        while parts:
            group = []
            # A track has one time in a fragment.
            for part in list(parts):
                if part[0] not in [number for number, _ in group]:
                    group.append(part)
                    parts.remove(part)
            found += [[part] for part in group] if form.apart else [group]
    return found


def _steady(track, piece):
    """A range of samples in parts without a gap in them."""
    begin = piece.start
    for index in piece[1:]:
        before = track.samples[index - 1]
        if not -before.duration / 2 < track.samples[index].decoding - before.decoding - before.duration < before.duration * 3 / 2:
            yield range(begin, index)
            begin = index
    if begin < piece.stop:
        yield range(begin, piece.stop)


def _fragment(sequence, tracks, pieces, form, place):
    def moof(length):
        at = length + 8
        trafs = []
        for order, (number, piece) in enumerate(pieces):
            if form.base == "implicit" and order > 0:
                offset = None
            else:
                offset = at if form.base != "absolute" else at - length - 8
            trafs.append(_traf(number, tracks[number], piece, form, offset, place + length + 8))
            at += sum(len(tracks[number].samples[index].data) for index in piece)
        return box(b"moof", full(b"mfhd", numbers(sequence)), *trafs)

    head = moof(len(moof(0)))
    return head + box(b"mdat", *(tracks[number].samples[index].data for number, piece in pieces for index in piece))


def _traf(number, track, piece, form, offset, media):
    flags = {"moof": 0x020000, "absolute": 0x000001, "implicit": 0}[form.base]
    base = struct.pack(">Q", media) if form.base == "absolute" else b""
    time = track.decoding[piece.start]
    tfdt = full(b"tfdt", struct.pack(">I", time)) if form.short_times else full(b"tfdt", struct.pack(">Q", time), version=1)
    offset = (b"", 0) if offset is None else (struct.pack(">i", offset), 1)
    frame = track.stream.frame
    if frame:
        # One tick each, and all of one size.
        tfhd = full(b"tfhd", numbers(number + 1), base, numbers(1, frame, KEY), flags=flags | 0x38)
        count = sum(len(track.samples[index].data) // frame for index in piece)
        return box(b"traf", tfhd, tfdt, full(b"trun", numbers(count), offset[0], flags=offset[1]))
    tfhd = full(b"tfhd", numbers(number + 1), base, flags=flags)
    rows = []
    for index in piece:
        sample = track.samples[index]
        next = track.decoding[index + 1] if index + 1 < piece.stop else track.decoding[index] + track.usual[index]
        duration = WILD if index in track.wild else next - track.decoding[index]
        rows.append(struct.pack(">IIIi", duration, len(sample.data), KEY if sample.is_key else OTHER, track.offsets[index]))
    run = full(b"trun", numbers(len(rows)), offset[0], *rows, version=1, flags=0xF00 | offset[1])
    return box(b"traf", tfhd, tfdt, run)
