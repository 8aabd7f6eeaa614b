// A player by Media Source Extensions for mse.py, as small as one can be. It puts `mse` into the page.
"use strict";

const text = async (url) => {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${(await answer.text()).slice(0, 200)}`);
  return answer.text();
};

/** A media playlist: its parts, each with its init segment, its length, and the wall clock's time where that is said. */
const playlist = async (url) => {
  const base = new URL(url, location);
  const parts = [];
  let map, clock, seconds;
  for (const line of (await text(base)).split("\n")) {
    if (line.startsWith("#EXT-X-MAP:")) map = new URL(line.match(/URI="([^"]+)"/)[1], base).href;
    else if (line.startsWith("#EXT-X-PROGRAM-DATE-TIME:")) clock = Date.parse(line.slice(25));
    else if (line.startsWith("#EXTINF:")) seconds = parseFloat(line.slice(8));
    else if (line && !line.startsWith("#")) {
      parts.push({map, clock, seconds, url: new URL(line, base).href});
      clock = undefined;
    }
  }
  return parts;
};

const open = async (codecs) => {
  const type = `video/mp4; codecs="${codecs}"`;
  if (!MediaSource.isTypeSupported(type)) return null;
  document.body.textContent = "";
  const video = document.body.appendChild(document.createElement("video"));
  video.muted = true;
  const source = new MediaSource();
  video.src = URL.createObjectURL(source);
  await new Promise((done) => source.addEventListener("sourceopen", done, {once: true}));
  const buffer = source.addSourceBuffer(type);
  const append = async (url) => {
    const bytes = url instanceof ArrayBuffer ? url : await (await fetch(url)).arrayBuffer();
    await new Promise((done, failed) => {
      buffer.addEventListener("updateend", done, {once: true});
      buffer.addEventListener("error", () => failed(new Error(`${url} is not taken: ${video.error?.message}`)), {once: true});
      buffer.appendBuffer(bytes);
    });
  };
  return {video, source, buffer, append};
};

const ranges = (video) => Array.from({length: video.buffered.length}, (_, i) => [video.buffered.start(i), video.buffered.end(i)]);

/** Plays to the end; over a hole it goes on behind it. Returns the holes it met and how far it came. */
const playThrough = async (video, rate) => {
  const holes = [];
  video.currentTime = video.buffered.start(0);
  video.playbackRate = rate;
  await video.play();
  const last = video.buffered.end(video.buffered.length - 1);
  let before = -1, still = 0;
  while (!video.ended && video.currentTime < last - 0.05) {
    await new Promise((done) => setTimeout(done, 50));
    if (video.error) throw new Error(video.error.message);
    still = video.currentTime === before ? still + 1 : 0;
    before = video.currentTime;
    if (still < 6) continue;
    const next = ranges(video).find(([start]) => start > video.currentTime);
    if (!next || still > 200) throw new Error(`it stands still at ${video.currentTime} s of ${last} s`);
    holes.push([video.currentTime, next[0]]);
    video.currentTime = next[0];
    still = 0;
  }
  return {holes, end: video.currentTime};
};

window.mse = {
  /** A whole film; `offsets` are by init segment where the film is of a camera. */
  async film(url, codecs, offsets, rate) {
    const player = await open(codecs);
    if (!player) return {supported: false};
    const parts = await playlist(url);
    let map;
    for (const part of parts) {
      if (part.map !== map) {
        if (offsets) player.buffer.timestampOffset = offsets[new URL(part.map).pathname];
        await player.append(map = part.map);
      }
      await player.append(part.url);
    }
    player.source.endOfStream();
    const buffered = ranges(player.video);
    const listed = parts.reduce((sum, part) => sum + part.seconds, 0);
    return {supported: true, buffered, listed, parts: parts.length, ...(await playThrough(player.video, rate))};
  },

  /** What grows, by long poll, for so many seconds: how many milliseconds each new picture is behind its own clock. */
  async live(id, codecs, seconds) {
    const player = await open(codecs);
    const {video, buffer} = player;
    const canvas = new OffscreenCanvas(320, 96);
    const context = canvas.getContext("2d", {willReadFrequently: true});
    const behind = [];
    const look = () => {
      context.drawImage(video, 0, 0, 320, 96);
      const row = context.getImageData(0, 48, 320, 1).data;
      let clock = 0;
      for (let bit = 0; bit < 32; bit++) clock = clock * 2 + (row[(bit * 10 + 5) * 4] > 128 ? 1 : 0);
      behind.push(((Date.now() % 2 ** 32) - clock + 2 ** 32) % 2 ** 32);
      video.requestVideoFrameCallback(look);
    };
    const end = Date.now() + seconds * 1000;
    let cursor = "", begun = false;
    while (Date.now() < end) {
      const answer = await fetch(`/hls/${id}/next${cursor}`);
      if (answer.status === 410) break;
      if (!answer.ok) throw new Error(`next: ${answer.status}`);
      cursor = `?after=${answer.headers.get("Footage-Next")}`;
      if (answer.status === 204) continue;
      await player.append(await answer.arrayBuffer());
      const edge = video.buffered.end(video.buffered.length - 1);
      if (!begun) {
        begun = true;
        video.currentTime = edge - 0.05;
        video.requestVideoFrameCallback(look);
        video.play();
      }
      // Not further behind than a fragment and a picture.
      const late = edge - video.currentTime;
      if (late > 1) video.currentTime = edge - 0.1;
      else video.playbackRate = late > 0.25 ? 1.1 : 1;
      if (video.buffered.start(0) < edge - 60 && !buffer.updating) buffer.remove(0, edge - 30);
      if (buffer.updating) await new Promise((done) => buffer.addEventListener("updateend", done, {once: true}));
    }
    return behind;
  },
};
