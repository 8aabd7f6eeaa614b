"""Films of a server: media playlists, and the targets that stand in them."""

import os


class Film:
    """A media playlist: its init segments and its segments, as targets."""

    def __init__(self, server, target):
        self.server = server
        self.text = server.get(target).decode()
        folder = target.split("?")[0].rsplit("/", 1)[0]
        self.parts = []
        self.is_whole = "#EXT-X-ENDLIST" in self.text
        initialization = start = None
        seconds = at = 0.0
        for line in self.text.splitlines():
            if line.startswith("#EXT-X-MAP:"):
                uri = line.split('URI="')[1].split('"')[0]
                initialization = os.path.normpath(f"{folder}/{uri}")
            elif line.startswith("#EXT-X-PROGRAM-DATE-TIME:"):
                start = line.split(":", 1)[1]
            elif line.startswith("#EXTINF:"):
                seconds = float(line[8:].split(",")[0])
            elif line and not line.startswith("#"):
                self.parts.append((initialization, os.path.normpath(f"{folder}/{line}"), at, seconds, start))
                at += seconds
                start = None
        self.seconds = at

    def bytes(self):
        """The first init segment, and all segments that go with it."""
        first = self.parts[0][0]
        return self.server.get(first) + b"".join(
            self.server.get(part) for initialization, part, *_ in self.parts if initialization == first)


def film_targets(server, item):
    """The media playlist and the key frames' playlist of a recording."""
    target = item.get("hls") or item["url"].removesuffix(".mp4") + ".m3u8"
    folder = target.rsplit("/", 1)[0]
    text = server.get(target).decode()
    media = next(line for line in text.splitlines() if line and not line.startswith("#"))
    frames = text.split("I-FRAME-STREAM-INF")[1].split('URI="')[1].split('"')[0]
    return f"{folder}/{media}", f"{folder}/{frames}"
