"""Recordings that checks and measurements make with ffmpeg."""

import os
import subprocess
import time

X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *(str(word) for word in arguments)], stdin=subprocess.DEVNULL, check=True)


def rate(bits, *more):
    """x264 that keeps to a bit rate, as a recorder's does."""
    return [*X264, "-b:v", bits, "-maxrate", bits, "-bufsize", bits, *more]


def loop(clip, seconds, path, *options):
    """A clip over and over, as a recorder leaves it: its moov box last."""
    ffmpeg("-stream_loop", "-1", "-i", clip, "-t", seconds, "-c", "copy", *options, path)


def noise(path, size, seconds=8):
    """A recording of about so many bytes with its moov box first. Of noise, since what compresses well takes long to fill them."""
    clip = f"{path}.clip.mp4"
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25,noise=alls=60:allf=t", "-t", seconds, *rate("16M", "-g", "50"), clip)
    loops = size // os.path.getsize(clip)
    ffmpeg("-stream_loop", loops, "-i", clip, "-c", "copy", "-movflags", "+faststart", path)
    os.remove(clip)
    age(path)


def minute(path, size, bits, noise_level):
    """A minute with sound, and B-frames."""
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={size}:rate=30,noise=alls={noise_level}:allf=t", "-f", "lavfi", "-i",
           "sine=frequency=440:sample_rate=48000", "-t", "60", *rate(bits, "-g", "60", "-bf", "2"), "-c:a", "aac", "-b:a", "64k", path)


def small(path, picture="testsrc2=size=320x180:rate=25", seconds=1):
    """A small one with its moov box first, of an hour ago."""
    ffmpeg("-f", "lavfi", "-i", picture, "-t", seconds, *X264, "-movflags", "+faststart", path)
    age(path)


def age(path):
    """What is younger than ten seconds could still be being written."""
    os.utime(path, (time.time() - 3600,) * 2)
