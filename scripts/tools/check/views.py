"""What scripts/check-views.sh checks.

Films, key frames and clips of a running server, as ffprobe, ffmpeg and GStreamer read them, against the recorder's files.
"""

import collections
import concurrent.futures
import os
import random
import shutil
import sys
from fractions import Fraction

from tools import reading
from tools.arguments import arguments
from tools.clips import ffmpeg
from tools.films import Film, film_targets
from tools.server import Server

GIVEN = arguments(__doc__, "footage", "zoo", "folder", clips=int, seed=int)
ZOO, WORK, CLIPS, SEED = GIVEN.zoo, GIVEN.folder, GIVEN.clips, GIVEN.seed
RECORDINGS = f"{WORK}/recordings"
faults = []
counts = collections.Counter()


def fault(words):
    faults.append(words)
    print(f"check-views: {words}", file=sys.stderr, flush=True)


def write(name, content):
    path = f"{WORK}/{name}"
    with open(path, "wb") as file:
        file.write(content)
    return path


def at_once(work, items):
    """Two at a time: as many as there are cores where this usually runs."""
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        return list(threads.map(work, items))


# Recordings


def make_recordings():
    for kind in "mp4", "mov", "m4v":
        for name in sorted(os.listdir(ZOO)):
            if name.endswith(f".{kind}"):
                os.makedirs(f"{RECORDINGS}/zoo-{kind}", exist_ok=True)
                shutil.copy(f"{ZOO}/{name}", f"{RECORDINGS}/zoo-{kind}/{name}")
    # Of one camera, alike, the third after a gap: the clips across recordings.
    os.makedirs(f"{RECORDINGS}/rear")
    for number, start in enumerate(REAR):
        clock = f"{start // 60:02}-{start % 60:02}"
        record(f"{RECORDINGS}/rear/2026-11-20T14-{clock}Z.mp4", 30, ["-g", "30", "-bf", "2"], f"testsrc2=s=160x120:r=30,hue=h={90 * number}")
    # Of several recorders: the clips within one.
    os.makedirs(f"{RECORDINGS}/front")
    record(f"{RECORDINGS}/front/pal.mp4", 40, ["-g", "50", "-bf", "0"], "testsrc2=s=160x120:r=25")
    record(f"{RECORDINGS}/front/ntsc.mp4", 40, ["-g", "45", "-bf", "3"], "testsrc2=s=160x120:r=30000/1001")
    record(f"{RECORDINGS}/front/uneven.mp4", 40, ["-g", "40", "-bf", "2", "-fps_mode", "vfr"],
           "testsrc2=s=160x120:r=30,select='lt(mod(n\\,7)\\,4)'")
    record(f"{RECORDINGS}/front/open.mp4", 40, ["-g", "30", "-bf", "2", "-x264-params", "open-gop=1"], "testsrc2=s=160x120:r=30")
    record(f"{RECORDINGS}/front/parts.mp4", 40, ["-g", "30", "-bf", "2", "-movflags", "frag_keyframe+empty_moov+default_base_moof"],
           "testsrc2=s=160x120:r=30")
    minute = f"{WORK}/minute.mp4"
    record(minute, 61, ["-g", "60", "-bf", "2", "-b:v", "60k"], "testsrc2=s=160x120:r=30")
    os.makedirs(f"{RECORDINGS}/long")
    ffmpeg("-stream_loop", "-1", "-i", minute, "-t", "36000", "-c", "copy", f"{RECORDINGS}/long/ten.mp4")


REAR = [0, 30, 90]


def record(path, seconds, options, picture):
    """As a recorder leaves it: its moov box last."""
    ffmpeg("-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", "sine=r=48000", "-t", str(seconds), "-c:v", "libx264",
           "-preset", "ultrafast", "-pix_fmt", "yuv420p", *options, "-c:a", "aac", path)


# Films


def check_film(server, item, path):
    name = item["name"]
    media, frames = film_targets(server, item)
    film = write(f"film-{name.replace('/', '-')}.mp4", Film(server, media).bytes())
    source, made = reading.packets(path), reading.packets(film)
    whole = reading.packets(path, "-ignore_editlist", "1")
    check_packets(name, source, whole, made, reading.lateness(path, whole["video"]))
    units = sorted(reading.access_units(film))
    times = sorted(packet.time for packet in made["video"])
    counts["pictures that GStreamer reads"] += len(units)
    apart = {round(float(a - b), 3) for a, b in zip(units, times)}
    if len(units) != len(times) or len(apart) > 2 or max(apart) - min(apart) > 0.0011:
        fault(f"{name}: GStreamer reads {len(units)} pictures and ffprobe {len(times)}; their times differ by {sorted(apart)[:5]} s")
    check_key_frames(server, name, frames, path, whole["video"])
    os.remove(film)


def is_between(found, known):
    """True if packets that are not known lie where none of the others is."""
    found = sorted(found, key=lambda packet: packet.time)
    pairs = [pair for pair in zip(found, found[1:]) if not all(packet.hash in known for packet in pair)]
    return all(later.time - packet.time >= packet.duration * Fraction(4, 5) for packet, later in pairs)


def check_packets(name, source, whole, made, late):
    """Bytes, flags and times of what is shown, with one shift for all; of the rest, that it is the recorder's.

    late: by how much ffprobe reads the recording's pictures too late, in seconds.
    """
    if late:
        counts["recordings whose pictures ffprobe reads late"] += 1
    shifts = set()
    for kind, expected in source.items():
        if kind not in made:
            # Sound that no player of HLS has a decoder for is left out, which `footage inspect` says.
            counts[f"streams left out: {kind}"] += 1
            if kind == "video":
                fault(f"{name}: its film has no picture")
            continue
        found = made[kind]
        by_hash = collections.defaultdict(list)
        for packet in found:
            by_hash[packet.hash].append(packet)
        for number, packet in enumerate(expected):
            counts["packets"] += 1
            twins = by_hash.get(packet.hash)
            if not twins:
                fault(f"{name}: packet {number} of its {kind} is not in its film")
                break
            twin = twins.pop(0)
            if packet.is_key != twin.is_key and kind == "video":
                fault(f"{name}: packet {number} of its {kind} is a key frame in only one of the two")
                break
            if not packet.is_discarded and packet.time is not None:
                shifts.add((kind, round(float(twin.time - packet.time + (late if kind == "video" else 0)), 4)))
        # What lies before the edit is in the film, and not shown by it.
        known = collections.Counter(packet.hash for packet in whole[kind])
        extra = collections.Counter(packet.hash for packet in found) - known
        if kind == "audio" and len(extra) == 1 and is_between(found, known):
            # Where sound is missing a film has silence: one frame, over and over.
            counts["packets of silence"] += sum(extra.values())
        elif extra:
            fault(f"{name}: {sum(extra.values())} packets of the film's {kind} are not in the recording")
        decoding = [packet.decoding for packet in found]
        if any(a > b for a, b in zip(decoding, decoding[1:])):
            fault(f"{name}: the film's {kind} is not in decoding order")
    values = sorted(value for _, value in shifts)
    if values and values[-1] - values[0] > 0.0006:
        fault(f"{name}: its film is shifted by {sorted(shifts)[:6]}")


def check_key_frames(server, name, playlist, path, packets):
    film = Film(server, playlist)
    shown = reading.pictures(path, "-ignore_editlist", "1")
    keys = [packet for packet in packets if packet.is_key]
    order = {id(packet): rank for rank, packet in enumerate(sorted(packets, key=lambda packet: packet.time))}
    if len(film.parts) != len(keys):
        fault(f"{name}: {len(film.parts)} key frames are listed, but it has {len(keys)}")

    def check(number):
        initialization, part, *_ = film.parts[number]
        one = write(f"key-{name.replace('/', '-')}-{number}.mp4", server_get(initialization) + server_get(part))
        found = reading.pictures(one)
        os.remove(one)
        counts["key frames"] += 1
        rank = order[id(keys[number])] if number < len(keys) else -1
        expected = shown[rank][1] if len(shown) == len(packets) else None
        if len(found) != 1 or (found[0][1] != expected if expected else found[0][1] not in {hash for _, hash in shown}):
            fault(f"{name}: key frame {number} ({part}) decodes to {len(found)} pictures, or not to the recording's")

    get = {}

    def server_get(target):
        if target not in get:
            get[target] = server.get(target)
        return get[target]

    for initialization, part, *_ in film.parts:
        server_get(initialization), server_get(part)
    at_once(check, range(len(film.parts)))


# Clips


def check_clips(server):
    chance = random.Random(SEED)
    print(f"check-views: {CLIPS} clips with the seed {SEED}", file=sys.stderr, flush=True)
    front = {name: reading.pictures(f"{RECORDINGS}/front/{name}.mp4") for name in ("pal", "ntsc", "uneven", "open", "parts")}
    rear = []
    for start in REAR:
        path = f"{RECORDINGS}/rear/2026-11-20T14-{start // 60:02}-{start % 60:02}Z.mp4"
        rear += [(time + start, hash) for time, hash in reading.pictures(path)]
    wanted = []
    for number in range(CLIPS):
        start, length = chance.randrange(0, 39_000), chance.choice([1, 40, 333, 2_000, 9_999])
        if number % 2:
            name = chance.choice(sorted(front))
            target = f"/recordings/front/{name}.mp4?start={start / 1000}&end={(start + length) / 1000}"
            wanted.append((number, target, front[name], start, start + length))
        else:
            start = chance.randrange(0, 120_000)
            length = chance.choice([200, 1_000, 20_000, 61_000])
            times = [f"2026-11-20T14:{ms // 60_000:02}:{ms % 60_000 / 1000:06.3f}Z" for ms in (start, start + length)]
            wanted.append((number, f"/cameras/rear.mp4?from={times[0]}&to={times[1]}", rear, start, start + length))
    for begin in range(0, len(wanted), 50):
        clips = [(each, server.ask(each[1])) for each in wanted[begin:begin + 50]]
        at_once(check_clip, clips)


def check_clip(clip):
    (number, target, shown, start, end), (status, fields, body) = clip
    start, end = Fraction(start, 1000), Fraction(end, 1000)
    inside = [hash for time, hash in shown if start <= time < end]
    before = [hash for time, hash in shown if time < start][-1:]
    # In a gap, or before the first picture.
    if status == 404 or status == 400 and b'"outside"' in body and not before:
        counts["times without a picture"] += 1
        if inside:
            fault(f"{target}: no clip, but {len(inside)} pictures were recorded")
        return
    if status != 200 or int(fields["content-length"]) != len(body):
        fault(f"{target}: status {status} and {len(body)} bytes: {body[:200]}")
        return
    counts["clips"] += 1
    path = write(f"clip-{number}.mp4", body)
    try:
        found = [hash for _, hash in reading.pictures(path)]
        # A decoder that begins with an open group of pictures misses some that the first ones name, and ffmpeg holds back
        # for that what it decodes right.
        if "/front/open.mp4" in target and found not in (inside, before + inside):
            counts["clips whose first pictures ffmpeg takes for damaged"] += 1
            found = [hash for _, hash in reading.pictures(path, "-flags", "+output_corrupt")]
    finally:
        os.remove(path)
    # What is shown already when the clip begins is its first picture.
    if found != inside and found != before + inside:
        fault(f"{target}: {len(found)} pictures, but {len(inside)} were recorded in that time; the first difference is at "
              f"{next((i for i, (a, b) in enumerate(zip(found, inside)) if a != b), min(len(found), len(inside)))}")


# Seeks


def check_seeks(server, item):
    chance = random.Random(SEED)
    film = Film(server, film_targets(server, item)[0])
    path = f"{RECORDINGS}/long/ten.mp4"
    first = reading.pictures(write("first.mp4", server.get(film.parts[0][0]) + server.get(film.parts[0][1])))[0][0]
    shift = first - min(packet.time for packet in reading.packets(path, "-read_intervals", "%+1")["video"])
    seeks = [Fraction(chance.randrange(0, 35_999_000), 1000) for _ in range(60)]
    got = []
    for second in seeks:
        part = next(part for part in reversed(film.parts) if part[2] <= second)
        got.append((second, server.get(part[0]) + server.get(part[1])))

    def check(seek):
        second, content = seek
        one = write(f"seek-{second.numerator}.mp4", content)
        found = [hash for time, hash in reading.pictures(one) if time - shift <= second][-1:]
        os.remove(one)
        near = reading.pictures(path, "-ss", str(max(0, float(second) - 3)), "-t", "4")
        expected = [hash for time, hash in near if time <= second][-1:]
        counts["seeks in ten hours"] += 1
        if not found or found != expected:
            fault(f"a seek to {float(second):.3f} s of ten hours shows the wrong picture")

    at_once(check, got)


def main():
    make_recordings()
    with Server(GIVEN.footage, WORK, RECORDINGS) as server:
        total = sum(len(files) for _, _, files in os.walk(RECORDINGS))
        items = {item["name"]: item for item in server.wait_for(total)}
        for name, item in sorted(items.items()):
            folder, base = name.split("/", 1)
            if folder.startswith("zoo-"):
                if item["state"] != "ready":
                    fault(f"{name}: {item['state']}, {item.get('reason')}")
                    continue
                counts["films"] += 1
                try:
                    check_film(server, item, f"{RECORDINGS}/{folder}/{base}.{folder[4:]}")
                except (RuntimeError, LookupError) as error:
                    fault(f"{name}: {error}")
        check_clips(server)
        check_seeks(server, items["long/ten"])
    for name, count in counts.items():
        print(f"{name:<50} {count:>9,}")
    if faults:
        sys.exit(f"check-views: {len(faults)} faults")


main()
