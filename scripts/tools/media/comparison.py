"""The comparison of what Footage serves of a recording, as ffprobe reads it, with what is expected of it.

Each function calls `fault(kind, words)` for what differs.
"""

from collections import Counter
from datetime import datetime
from fractions import Fraction

# Two clocks of different timescales agree to within this, in seconds; and so must sound and pictures.
NEAR = Fraction(21, 10_000)
# A gap that is closed may leave so much, in seconds: decoding times and those of pictures differ by the order of B-frames.
CLOSED = Fraction(3, 20)
# Only the last segment of a film is shorter, in seconds.
SLIVER = 0.3
# A hole in sound that no player stops at, in seconds.
HEARD = Fraction(1, 10)
# The longest clip, in seconds.
LONGEST_CLIP = 7_000
# A gap in all tracks that a film leaves out, in seconds.
LONGEST_PAUSE = 10


def near(one, other, tolerance=NEAR):
    return abs(one - other) <= tolerance


def words(seconds):
    return f"{float(seconds):.4f}"


def duration(source, item, fault):
    """The length in the list is that of what is shown, but for the last picture's or sound's."""
    last = max(packet.duration for kind in source.packets for packet in source.shown(kind)[-1:])
    if not near(Fraction(item["duration"]), source.length, last + Fraction(1, 100)):
        fault("item: duration", f"{item['duration']} of {words(source.length)}")


def _aligned(expected, found, fault, what, are_extras_allowed):
    """Pairs of packets that have the same bytes, in order. Faults are reported of those that are missing or too many."""
    wanted = Counter(packet.hash for packet in expected)
    got = Counter(packet.hash for packet in found)
    missing = sum((Counter(packet.hash for packet in expected if not packet.spans) - got).values())
    if missing:
        fault(f"{what}: packets missing", f"{missing} of {len(expected)}")
    if not are_extras_allowed and (extra := sum((got - wanted).values())):
        fault(f"{what}: packets too many", f"{extra} beside {len(expected)}")
    places = {}
    for packet in sorted(found, key=lambda packet: packet.time):
        places.setdefault(packet.hash, []).append(packet)
    return [(packet, places[packet.hash].pop(0)) for packet in expected if places.get(packet.hash)]


def _one_shift(pairs, fault, what, parts):
    """All times are shifted by one amount, in each part of the recording between closed gaps, and by that of all tracks.

    Returns the shift of each part.
    """
    bases = {}
    for part in range(parts):
        shifts = {kind: [(made.time - packet.time, packet) for packet, made in each if packet.part == part and not packet.spans]
                  for kind, each in pairs.items()}
        values = [shift for each in shifts.values() for shift, _ in each]
        if not values:
            continue
        base = bases[part] = sorted(values)[len(values) // 2]
        for kind, each in shifts.items():
            wrong = [(packet.time, shift) for shift, packet in each if not near(shift, base)]
            if wrong:
                fault(f"{what}: times of {kind}", f"{len(wrong)} of {len(each)}, the first at {words(wrong[0][0])} by "
                      f"{words(wrong[0][1] - base)} s, the last by {words(wrong[-1][1] - base)} s")
    return bases


def recording(source, made, fault):
    pairs = {}
    for kind in source.packets:
        if kind not in made:
            fault("mp4: track missing", kind)
            continue
        found = [packet for packet in made[kind] if not packet.is_discarded]
        if kind == "audio" and source.is_plain:
            continue
        pairs[kind] = _aligned(source.shown(kind), found, fault, f"mp4 {kind}", are_extras_allowed=False)
    _take_times(source, pairs, _one_shift(pairs, fault, "mp4", source.parts), fault)
    if source.is_plain and "audio" in made:
        _plain_sound(source, [packet for packet in made["audio"] if not packet.is_discarded], fault)
    firsts = [packet.time for kind in made for packet in made[kind] if not packet.is_discarded]
    if firsts and min(firsts) > Fraction(1, 10):
        fault("mp4: begins late", words(min(firsts)))


def _take_times(source, pairs, shifts, fault):
    """Gives the source the times of the `.mp4`, with which the other views have to agree: those of its parts follow each other."""
    for part, shift in shifts.items():
        if abs(shift - shifts[min(shifts)]) > CLOSED:
            fault("mp4: closed gap", f"{words(shift - shifts[min(shifts)])} s remain of it")
        for packets in source.packets.values():
            for packet in packets:
                packet.time += shift if packet.part == part else 0
    # What a tick is rounded to decides on which side of a clip's beginning a picture is.
    for each in pairs.values():
        for packet, made in each:
            if near(packet.time, made.time):
                packet.time = made.time


def _plain_sound(source, found, fault):
    """All of it, from the right time on."""
    expected = source.shown("audio")
    sizes = sum(packet.size for packet in expected), sum(packet.size for packet in found)
    # ffprobe reads a chunk at once, of which an edit may show a part.
    largest = max(packet.size for packet in expected + found)
    if abs(sizes[0] - sizes[1]) > 2 * largest:
        fault("mp4: bytes of plain sound", f"{sizes[1]} of {sizes[0]}")
    late = found[0].time - expected[0].time
    if not -max(packet.duration for packet in found) - NEAR <= late <= Fraction(1, 100):
        fault("mp4: times of plain sound", f"begins at {words(found[0].time)} of {words(expected[0].time)}")


# Films


def film(source, film, made, fault):
    if not film.is_whole:
        fault("film: no end", film.text[:80])
    pairs = {}
    for kind in source.packets:
        if kind == "audio" and source.is_plain:
            if kind in made:
                fault("film: plain sound", "no player of films has a decoder for it")
            continue
        if kind not in made:
            fault("film: track missing", kind)
            continue
        found = made[kind]
        expected = source.shown(kind)
        pairs[kind] = _aligned(expected, found, fault, f"film {kind}", are_extras_allowed=True)
        _check_extras(source, kind, found, fault)
        decoding = [packet.decoding for packet in found]
        if any(a > b for a, b in zip(decoding, decoding[1:])):
            fault(f"film: decoding order of {kind}", "")
    _check_dates(source, film, fault)
    _one_shift(pairs, fault, "film", source.parts)
    _check_length(source, film, fault)
    if "audio" in pairs:
        _check_silence(made, fault)


def _check_extras(source, kind, found, fault):
    """What an edit list has cut away is there only where it is needed for decoding."""
    packets = source.packets[kind]
    shown = [index for index, packet in enumerate(packets) if packet.is_shown]
    begin = max((index for index in range(shown[0] + 1) if packets[index].is_key), default=0)
    # Sound is cut with the pictures' groups, in which it may begin earlier.
    if kind == "video":
        allowed = Counter(packet.hash for packet in packets[begin:shown[-1] + 1])
    else:
        allowed = Counter(packet.hash for packet in packets[:shown[-1] + 3])
    known = Counter(packet.hash for packet in packets)
    got = Counter(packet.hash for packet in found)
    hidden = sum(((got & known) - allowed).values())
    if hidden:
        fault(f"film: hidden {kind}", f"{hidden} packets that the edit list cuts away")
    if kind == "video" and (foreign := sum((got - known).values())):
        fault("film: foreign video", f"{foreign} packets")


def _check_silence(made, fault):
    """Sound has no hole in it, as long as there are pictures."""
    sound = sorted(made["audio"], key=lambda packet: packet.time)
    steps = sorted(b.time - a.time for a, b in zip(sound, sound[1:]))
    usual = steps[len(steps) // 2]
    video = sorted(packet.time for packet in made["video"])
    for before, after in zip(sound, sound[1:]):
        silent = [time for time in video if before.time + usual < time < after.time - usual]
        if silent and silent[-1] - silent[0] > HEARD:
            fault("film: hole in sound", f"{words(silent[-1] - silent[0])} s at {words(silent[0])}")
            return
    if sound[0].time - video[0] > usual + HEARD:
        fault("film: sound begins late", words(sound[0].time - video[0]))
    if video[-1] - sound[-1].time > usual + HEARD:
        fault("film: sound ends early", words(video[-1] - sound[-1].time))


def _gaps(source):
    """The times at which all tracks go on after a pause that a film leaves out."""
    kinds = [kind for kind in source.packets if kind == "video" or not source.is_plain]
    times = sorted((packet.time, packet.end) for kind in kinds for packet in source.shown(kind))
    pictures = source.shown("video")
    steps = sorted(b.time - a.time for a, b in zip(pictures, pictures[1:])) or [pictures[0].duration]
    longest = max(LONGEST_PAUSE, 5 * steps[len(steps) // 2])
    end, found = times[0][1], []
    for time, stop in times:
        if time - end > longest and _can_begin(source, time):
            found.append((end, time))
        end = max(end, stop)
    return found


def _can_begin(source, time):
    """True if a decoder can begin with what is shown from a time on. A gap within a group of pictures stays."""
    later = [packet for packet in source.packets["video"] if packet.is_shown and packet.time >= time]
    return not later or later[0].is_key


def _check_dates(source, film, fault):
    dates = [datetime.fromisoformat(start.replace("Z", "+00:00")).timestamp() for *_, start in film.parts if start]
    gaps = _gaps(source)
    if len(dates) != len(gaps) + 1:
        fault("film: discontinuities", f"{len(dates) - 1} for {len(gaps)} gaps")
        return
    # The film begins with its first picture or sound.
    first = max(min(source.shown(kind)[0].time for kind in source.packets if kind == "video" or not source.is_plain), Fraction(0))
    for (end, begin), date in zip(gaps, dates[1:]):
        moved = Fraction(date - dates[0]) - (begin - first)
        if abs(moved) > Fraction(1, 20):
            fault("film: date after a gap", f"by {words(moved)} s")


def _check_length(source, film, fault):
    """The playlist is as long as what is shown, without the gaps that are left out."""
    gaps = _gaps(source)
    pictures = source.shown("video")
    begins = [source.shown(kind)[0].time for kind in source.packets if kind == "video" or not source.is_plain]
    first = max(min(begins), Fraction(0))
    end = pictures[-1].end if source.is_plain else source.length
    # The last picture lasts until the sound ends, and the one before a gap as long as the one before it.
    wanted = end - first - sum(begin - end for end, begin in gaps)
    allowed = 2 * max(packet.duration for kind in source.packets for packet in source.shown(kind)[-1:]) * (1 + len(gaps))
    # A group that the edit list has cut in two is there from its beginning.
    hidden = source.packets["video"][0].duration * 50 if any(not packet.is_shown for packet in source.packets["video"]) else 0
    # Sound that is left out may go on longer than the pictures.
    silent = source.length - end
    if not -allowed <= Fraction(film.seconds) - wanted <= allowed + hidden + silent:
        fault("film: length", f"{film.seconds:.3f} of {words(wanted)}")
    slivers = [seconds for _, _, _, seconds, _ in film.parts[:-1] if seconds < SLIVER]
    if slivers:
        fault("film: sliver", f"{slivers}")


# Clips


def clip_times(source):
    """Three times: at the beginning, over the middle, and beyond the end. None begins or ends where a picture does."""
    pictures = source.shown("video")
    # A recording of pictures at a second has fewer of them.
    count = max(1, min(33, len(pictures) // 4))

    def before(index):
        return round(max(pictures[index].time - pictures[index].duration * Fraction(3, 10), Fraction(0)), 3)

    middle = len(pictures) // 2
    end = max(source.length, pictures[-1].end) + 5
    times = [(before(0), before(count)), (before(middle), before(min(middle + count, len(pictures) - 1))), (before(-count), round(end, 3))]
    return [(start, min(stop, start + LONGEST_CLIP)) for start, stop in times if start < stop]


def clip(source, start, end, made, fault):
    video = sorted((packet for packet in made.get("video", []) if not packet.is_discarded), key=lambda packet: packet.time)
    pictures = source.shown("video")
    inside = [packet for packet in pictures if start <= packet.time < end]
    before = [packet for packet in pictures if packet.time < start][-1:]
    what = f"clip {words(start)}…{words(end)}"
    if not video:
        fault("clip: no picture", what)
        return
    found = [packet.hash for packet in video]
    # The picture that is on the screen at the beginning is the first one. Times are of whole milliseconds, and so may be the one before.
    for wanted in (before + inside, inside):
        if found == [packet.hash for packet in wanted]:
            break
    else:
        fault("clip: pictures", f"{what}: {len(found)} of {len(inside)}, and one before")
        return
    first = next(packet for packet in made["video"] if not packet.is_discarded)
    if not first.is_key and not any(packet.is_discarded and packet.is_key for packet in made["video"]):
        fault("clip: no key frame", what)
    shift = video[-1].time - wanted[-1].time
    wrong = [made for packet, made in zip(wanted[1:], video[1:]) if not near(made.time - packet.time, shift)]
    if wrong:
        fault("clip: times of video", f"{what}: {len(wrong)} pictures")
    if "audio" in source.packets and not source.is_plain:
        _check_sound(source, start, end, made, video, wanted, shift, what, fault)


def _check_sound(source, start, end, made, video, wanted, shift, what, fault):
    sound = source.shown("audio")
    heard = [packet for packet in sound if packet.time < end and packet.end > start]
    found = sorted((packet for packet in made.get("audio", []) if not packet.is_discarded), key=lambda packet: packet.time)
    if not found:
        if len(heard) > 2:
            fault("clip: sound missing", f"{what}: {len(heard)} packets")
        return
    known = {packet.hash: packet for packet in sound}
    times = [made.time - known[made.hash].time for made in found if made.hash in known]
    wrong = [time for time in times if not near(time, shift)]
    if wrong:
        fault("clip: times of sound", f"{what}: {len(wrong)} of {len(times)}, by {words(wrong[0] - shift)} s")
    missing = [packet for packet in heard if packet.time >= start and packet.end <= end and packet.hash not in {each.hash for each in found}]
    if missing:
        fault("clip: packets of sound missing", f"{what}: {len(missing)} of {len(heard)}, at {words(missing[0].time)}")
    # Where the recording has sound at the beginning, the clip has.
    if any(packet.time <= start < packet.end for packet in sound) and found[0].time > max(video[0].time, start + shift) + NEAR:
        fault("clip: sound begins late", f"{what}: {words(found[0].time - video[0].time)} s")
