"""The kinds of recordings: all that recorders vary, crossed by chance."""

import os
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from tools.clips import ffmpeg
from tools.media import writing
from tools.media.streams import PICTURES, SOUND

DAY = 86_400

# What differs from file to file. The first value of each is the usual one.
CHOICES = {
    "pictures": list(PICTURES),
    "sound": [*SOUND, "none"],
    "form": [
        "moov last", "moov first", "fragments", "fragments, absolute", "fragments, implicit", "fragments, tracks apart",
        "fragments of a half second", "fragments of a picture", "ffmpeg +frag_keyframe", "ffmpeg +frag_keyframe+empty_moov",
        "ffmpeg +frag_keyframe+empty_moov+default_base_moof", "ffmpeg +frag_keyframe+delay_moov",
        "ffmpeg +frag_keyframe+empty_moov+separate_moof", "ffmpeg +frag_keyframe+empty_moov+negative_cts_offsets",
        "ffmpeg +frag_every_frame+empty_moov", "ffmpeg +cmaf+frag_keyframe+delay_moov",
    ],
    "timescale": [90_000, 1_000, 12_800, 1_000_000, 1_000_000_000],
    "sound timescale": ["its rate", "its rate", "its rate", 1_000, 90_000, 1_000_000, 1_000_000_000],
    "start": ["0", "5.5", "9.9", "100.9", "3600", "1795169730"],
    "first": ["both", "pictures 0.7", "pictures 3", "pictures 12", "sound 0.3", "sound 3", "sound 12"],
    "last": ["both", "pictures 1.5", "pictures 4", "sound 0.7", "sound 3"],
    "gap": ["none", "3", "12", "30", "7200", "28800", "82800", "90000", "-2", "-3600", "1500000000"],
    "gap place": ["before a key picture", "before a key picture", "within a group"],
    "pause": ["none", "sound 2", "sound 5", "pictures 4", "still 4", "still 9", "still 15"],
    "edit": ["none", "offset", "at 0", "begin 1.3", "begin 2", "end 2", "both 1.3"],
    "composition": ["positive", "positive", "negative"],
    "durations": ["right", "zero", "wild", "last picture wild", "last sound wild", "both last wild", "middle wild", "negative"],
    "headers": ["32 bits", "64 bits"],
}
# So often one of them is the usual one; else a file would have all oddities at once, and its failures no cause.
USUAL = {"start": 0.7, "first": 0.6, "last": 0.7, "gap": 0.6, "pause": 0.7, "edit": 0.5, "durations": 0.6, "headers": 0.8,
         "timescale": 0.4, "pictures": 0.3, "sound": 0.3}


@dataclass
class Kind:
    """A kind of recording: a value for each of CHOICES."""

    values: dict

    def __getitem__(self, name):
        return self.values[name]

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.values.items() if value != CHOICES[name][0]) or "usual"

    @property
    def is_fragmented(self):
        return "frag" in self["form"]

    @property
    def is_by_ffmpeg(self):
        return self["form"].startswith("ffmpeg")

    @property
    def ending(self):
        return "mov" if self["sound"] == "PCM" else "mp4"


def kinds(count, seed):
    """So many different ones, by chance."""
    chance = random.Random(seed)
    found, known = [], set()
    while len(found) < count:
        values = {name: options[0] if chance.random() < USUAL.get(name, 0) else chance.choice(options)
                  for name, options in CHOICES.items()}
        kind = Kind(values)
        if is_possible(kind) and str(kind) not in known:
            known.add(str(kind))
            found.append(kind)
    return found


def is_possible(kind):
    """True if the parts go together: most that is told of a time needs a fragment or a table with room for it."""
    gap = float(kind["gap"]) if kind["gap"] != "none" else 0
    start = float(kind["start"])
    slow = kind["pictures"] == "1 a second"
    if kind["sound"] == "none" and any("sound" in str(kind[name]) for name in ("first", "last", "pause", "durations")):
        return False
    if kind["sound"] in ("none", "PCM") and kind["sound timescale"] != "its rate":
        return False
    # A thousandth of a second is too long a tick for sound without rounding: such files exist, and frames keep their order.
    if kind["durations"] == "middle wild" and (not kind.is_fragmented or kind.is_by_ffmpeg or kind["form"] == "fragments of a picture"):
        return False
    if kind["durations"] == "negative" and (kind.is_fragmented or "B-frames" in kind["pictures"] or kind["timescale"] == 1_000):
        return False
    if "wild" in kind["durations"] and kind["durations"] != "wild" and 1_000_000_000 in (kind["timescale"], kind["sound timescale"]):
        # Two seconds of such short ticks are not wild.
        return False
    if kind["durations"] in ("last sound wild", "both last wild") and kind["sound"] == "PCM":
        return False
    if start + gap < -2:
        return False
    if kind["gap place"] == "within a group" and (gap <= 0 or gap > DAY):
        return False
    if kind["pause"] != "none" and (gap or slow):
        return False
    if not kind.is_fragmented:
        # An empty edit of both tracks tells it.
        if start > DAY or gap < 0 or kind["pause"].startswith("pictures") and slow:
            return False
        ticks = max(kind["timescale"], kind["sound timescale"] if kind["sound timescale"] != "its rate" else 48_000)
        # Beside sound that ends before, so long a time of the pictures alone counts as wild.
        if kind["pause"] == "still 15" and kind["sound"] != "none":
            return False
        if (gap + 30) * ticks >= 1 << 31 or gap > DAY:
            return False
        if kind["sound"] == "PCM" and (gap or kind["pause"].startswith("sound")):
            return False
    if kind.is_by_ffmpeg:
        # It is given a plain file, of which it makes what it makes.
        if start or gap or kind["edit"] != "none" or kind["durations"] != "right" or kind["composition"] != "positive":
            return False
        if kind["headers"] != "32 bits" or kind["sound timescale"] != "its rate" or kind["sound"] == "PCM" and kind["pause"] != "none":
            return False
        # It refuses a duration of more than 31 bits.
        if kind["timescale"] == 1_000_000_000 and kind["pause"].startswith(("pictures", "still")):
            return False
    elif kind.is_fragmented and kind["edit"] not in ("none", "offset", "at 0", "begin 1.3"):
        return False
    if kind["edit"] == "begin 1.3" and slow and kind["timescale"] == 1_000_000_000:
        # FFmpeg ignores so large a composition offset, and with it the picture that the edit cuts.
        return False
    if kind["edit"] == "begin 1.3" and kind.is_fragmented and (start or kind["first"] != "both"):
        return False
    if kind["edit"] not in ("none", "offset", "at 0") and (gap or kind["first"] != "both" or kind["last"] != "both" or kind["pause"] != "none"):
        return False
    return True


def make(kind, streams, path):
    """Writes a recording of a kind."""
    pictures, sound = streams
    is_slow = kind["pictures"] == "1 a second"
    length = Fraction(20 if is_slow else 8)
    tracks = [_track(kind, pictures[kind["pictures"]], length)]
    if kind["sound"] != "none":
        tracks.append(_track(kind, sound[kind["sound"]], length))
    _insert_gap(kind, tracks)
    name, _, seconds = kind["pause"].partition(" ")
    if name == "still":
        # A recorder with a variable rate writes no picture while nothing moves.
        stream, samples = tracks[0]
        begin = _within_group(samples)
        tracks[0] = stream, samples[:begin] + [_later(sample, int(seconds)) for sample in samples[begin:]]
    made = [_timed(kind, stream, samples) for stream, samples in tracks]
    headers = writing.Headers(kind["durations"] if kind["durations"] in ("zero", "wild") else "right", kind["headers"] == "64 bits")
    content = _written(kind, made, headers)
    with open(path, "wb") as file:
        file.write(content)
    if kind.is_by_ffmpeg:
        os.rename(path, plain := f"{path}.plain.{kind.ending}")
        ffmpeg("-i", plain, "-c", "copy", "-strict", "experimental", "-video_track_timescale", kind["timescale"], "-movflags",
               kind["form"].split()[1], path)
        os.remove(plain)


def _track(kind, stream, length):
    """The samples of a track between its beginning and its end, and without those of its pause."""
    name = "pictures" if stream.is_picture else "sound"
    begin, end = Fraction(0), length
    track, _, seconds = kind["first"].partition(" ")
    if track == name:
        begin = Fraction(seconds)
    track, _, seconds = kind["last"].partition(" ")
    if track == name:
        end -= Fraction(seconds)
    # One that begins later than the other ends would leave nothing between.
    samples = [sample for sample in stream.samples if sample.decoding < max(end, 2)]
    track, _, seconds = kind["pause"].partition(" ")
    if track == name:
        left_out, kept = False, []
        for sample in samples:
            if sample.is_key or not stream.is_picture:
                left_out = 2 <= sample.decoding < 2 + int(seconds)
            if not left_out:
                kept.append(sample)
        samples = kept
    if begin and (kind.is_fragmented or kind.is_by_ffmpeg):
        samples = [_later(sample, begin) for sample in samples]
    return stream, samples


def _moved(sample, seconds):
    """The sample by a clock that is ahead by so much."""
    return replace(sample, decoding=sample.decoding + seconds, shown=sample.shown + seconds)


def _later(sample, seconds):
    """The sample if the recorder writes it so much later."""
    return replace(_moved(sample, seconds), order=sample.order + seconds)


def _within_group(samples):
    """The number of a picture in the middle that is no key picture, and behind which none is shown that is decoded before it."""
    latest = list(accumulate((sample.shown for sample in samples), max))
    found = [number for number in range(1, len(samples)) if not samples[number].is_key
             and min(sample.shown for sample in samples[number:]) >= latest[number - 1]]
    return found[len(found) // 2]


def _insert_gap(kind, tracks):
    """Moves all samples from a picture on."""
    start = Fraction(kind["start"] if kind.is_fragmented else 0)
    gap = Fraction(0 if kind["gap"] == "none" else kind["gap"])
    leading = tracks[0][1]
    keys = [sample.order for sample in leading if sample.is_key]
    moment = keys[len(keys) // 2]
    if kind["gap place"] == "within a group":
        moment = min(sample.order for sample in leading[_within_group(leading):])
    for number, (stream, samples) in enumerate(tracks):
        if gap or start:
            moved = []
            for sample in samples:
                moved.append(_moved(sample, start + (gap if sample.order >= moment else 0)))
            tracks[number] = stream, moved


def _timed(kind, stream, samples):
    """The track with its timescale and its edit."""
    scale = kind["timescale"] if stream.is_picture else kind["sound timescale"]
    if scale == "its rate":
        scale = stream.timescale
    first = samples[0].shown - samples[0].decoding
    shift = -first if kind["composition"] == "negative" and stream.is_picture and not kind.is_by_ffmpeg else Fraction(0)
    offset = first + shift
    wait = Fraction(0 if kind.is_fragmented else kind["start"])
    track, _, seconds = kind["first"].partition(" ")
    if track == ("pictures" if stream.is_picture else "sound") and not kind.is_fragmented:
        wait += Fraction(seconds)
    name, _, seconds = kind["edit"].partition(" ")
    second = Fraction(seconds or 0)
    end = max(sample.shown + sample.duration for sample in samples) - first
    edit = {
        "none": None,
        "offset": (offset, None if kind.is_fragmented else end),
        # Before the first picture, where that has a composition offset.
        "at": (Fraction(0), None if kind.is_fragmented else end + offset),
        "begin": (offset + second, None if kind.is_fragmented else end - second),
        "end": (offset, second),
        "both": (offset + second, Fraction(3)),
    }[name]
    if kind["edit"] == "none" and wait:
        edit = (Fraction(0), end + offset)
    last = kind["durations"] in ("both last wild", f"last {'picture' if stream.is_picture else 'sound'} wild")
    return writing.Track(stream, samples, scale, shift, wait, edit, {len(samples) - 1} if last else set())


def _written(kind, tracks, headers):
    if not kind.is_fragmented or kind.is_by_ffmpeg:
        return writing.progressive(tracks, headers, kind["form"] == "moov first", kind["headers"] == "64 bits",
                                   int(kind["durations"] == "negative"))
    form = writing.Fragments()
    if "absolute" in kind["form"]:
        form.base = "absolute"
    elif "implicit" in kind["form"]:
        form.base = "implicit"
    elif "apart" in kind["form"]:
        form.apart = True
    elif "half second" in kind["form"]:
        form.length = Fraction(1, 2)
    elif "of a picture" in kind["form"]:
        form.length = Fraction(1, 100)
    form.short_times = max(track.end for track in tracks) < 1 << 31
    if kind["durations"] == "middle wild":
        # The sample before a key frame in the middle; the time of the next fragment is right.
        leading = tracks[0]
        keys = [n for n, sample in enumerate(leading.samples) if sample.is_key and n > 0]
        if form.length is None:
            leading.wild.add(keys[len(keys) // 2] - 1)
    return writing.fragmented(tracks, headers, form)
