// A camera's time in one SourceBuffer (Media Source Extensions): recordings stand in it at their wall clock, so that joins are
// seamless and gaps stay gaps. The media time 0 is `base`; `timestampOffset` = recording's start − base − shift of its film.
import {ask, askBytes, askText, encodeName, pause, Refused, Unreachable} from './robot.js';
import {bufferedUntil, endOf, nextMoment, parsePlaylist, rowAt, segmentAt, shownUntil} from './choice.js';
import {mediaType} from './boxes.js';
import {Pieces} from './pieces.js';
import {hour, minute, second} from './time.js';

// Seconds: what is kept behind, what is fetched ahead, and of what stands still, what a hole may be that is jumped without a word, and how far
// behind what comes the picture of a live camera may be before it hurries, and before it leaps.
const behind = 30, ahead = 40, still = 8, hole = 0.5, late = 0.35, tooLate = 1.5;
// Milliseconds: how long a time one buffer is for, the moment that it begins with being in its middle.
const span = 24 * hour;
const Source = globalThis.ManagedMediaSource ?? globalThis.MediaSource;

/** What this browser has no decoder for. */
export class Undecodable extends Error {}

export class Film {
  /** Of media time 0, in milliseconds; 0 before anything is shown. */
  base = 0;
  /** Where somebody wants to be, until the picture is there. */
  #wanted = null;
  #control = null;
  #source = null;
  #buffer = null;
  #type = '';
  #films = new Map();
  #map = null;
  isLive = false;
  #still = {at: -1, since: 0};

  /** `said(what, details)` hears `gap`, `end`, `error`, `live` and `playing on`. */
  constructor(video, camera, said) {
    Object.assign(this, {video, camera, said});
    video.disableRemotePlayback = true;
    video.addEventListener('timeupdate', () => this.watch());
    video.addEventListener('waiting', () => this.watch());
    video.addEventListener('error', () => this.#fail(video.error));
    video.addEventListener('seeked', () => { this.#wanted = null; });
  }

  /** The wall clock of the picture; null before there is one. */
  get time() { return this.#wanted ?? (this.base ? this.base + this.video.currentTime * second : null); }

  /** The same in the buffer, in seconds. */
  get place() { return (this.time - this.base) / second; }

  get isThere() { return this.video.readyState >= 2 && this.#wanted === null; }

  ranges() {
    const buffered = this.#buffer && this.#source.readyState !== 'closed' ? this.#buffer.buffered : {length: 0};
    return Array.from({length: buffered.length}, (_, index) => [buffered.start(index), buffered.end(index)]);
  }

  /** Shows a moment that has footage; `isLive` stays with the present from there on. */
  open(time, isLive = false) {
    this.#control?.abort('closed');
    const control = this.#control = new AbortController();
    this.isLive = isLive;
    this.#wanted = time;
    this.#run(time, control.signal).catch(error => { if (!control.signal.aborted) this.#fail(error); });
  }

  close() {
    this.#control?.abort('closed');
    this.#control = null;
    this.#forget();
    this.video.removeAttribute('src');
    this.video.load();
  }

  #fail(error) {
    this.#control?.abort('failed');
    this.said('error', error);
  }

  #forget() {
    if (this.video.src.startsWith('blob:')) URL.revokeObjectURL(this.video.src);
    this.#source = this.#buffer = this.#map = null;
    this.#type = '';
  }

  async #run(time, signal) {
    const first = rowAt(this.camera.rows, time);
    if (!Source || first && first.shift === null && first.state === 'ready') return this.#playFile(first, time, signal);
    const isNear = this.#buffer && !this.video.error && Math.abs(time - this.base - span / 2) < span / 2 - hour;
    if (!isNear) await this.#begin(time, signal);
    else if (this.#source.readyState === 'open') await this.#reset(signal);
    const place = (time - this.base) / second;
    const isBuffered = this.ranges().some(([from, to]) => from <= place && to > place + 0.1);
    this.video.currentTime = place;
    const until = isBuffered && !this.isLive ? bufferedUntil(this.ranges(), place) : place;
    // What lies behind it is fetched again: what is ahead is in one piece.
    await this.#drop(until, Infinity, signal);
    let at = this.base + until * second, isAtEnd = false;
    for (;;) {
      const {rows} = this.camera, next = nextMoment(rows, at), row = next === null ? null : rowAt(rows, next);
      if (!row) {
        if (this.#left() < 0.5 && !isAtEnd) { isAtEnd = true; this.said('end'); }
        // More may come.
        await pause(second, signal);
        continue;
      }
      [at, isAtEnd] = [next, false];
      if (row.shift === null && row.state === 'ready') {
        while (this.#left() > 0.3) await pause(second / 4, signal);
        return this.#playFile(row, at, signal);
      }
      if (row.state === 'recording' && this.isLive) at = await this.#follow(row, signal);
      else at = await this.#fill(row, at, signal);
    }
  }

  async #begin(time, signal) {
    this.#forget();
    this.base = Math.floor((time - span / 2) / minute) * minute;
    const source = this.#source = new Source();
    this.video.src = URL.createObjectURL(source);
    if (source.readyState !== 'open') await new Promise(resolve => source.addEventListener('sourceopen', resolve, {once: true}));
    signal.throwIfAborted();
    // Where none is said, that of an init segment counts, which is none: nobody could go anywhere.
    source.duration = span / second;
  }

  /** Whatever was half appended is dropped. */
  async #reset(signal) {
    await this.#settled(signal);
    if (this.#source.readyState === 'open') this.#buffer.abort();
  }

  async #settled(signal) {
    while (this.#buffer?.updating) await new Promise(resolve => this.#buffer.addEventListener('updateend', resolve, {once: true}));
    signal.throwIfAborted();
  }

  /** The film of a recording: its segments, by seconds from the recording's start. */
  async #filmOf(row, signal) {
    const key = row.tag, known = this.#films.get(key);
    if (known?.isEnded) return known;
    const isGrowing = row.state === 'recording', base = new URL(`/recordings/${encodeName(row.name)}`, location);
    const playlist = parsePlaylist(await askText(`${base}.media.m3u8${isGrowing ? '?id=' + row.tag : ''}`, {signal}));
    const begin = Number.isFinite(playlist.date) && !isGrowing ? (playlist.date - row.start) / second : 0;
    for (const each of playlist.segments) {
      each.start += begin;
      each.url = new URL(each.url, base).href;
      each.map = new URL(each.map, base).href;
    }
    const film = {...playlist, initializations: known?.initializations ?? new Map()};
    this.#films.delete(key);
    this.#films.set(key, film);
    if (this.#films.size > 50) this.#films.delete(this.#films.keys().next().value);
    return film;
  }

  /** Appends a recording from a moment on, as far as is wanted; returns the moment behind it. */
  async #fill(row, from, signal) {
    let film = await this.#filmOf(row, signal), at = from, asked = Date.now();
    const end = () => shownUntil(this.camera.rows, row);
    for (let index = segmentAt(film.segments, (at - row.start) / second); ; index += 1) {
      if (index >= film.segments.length) {
        if (film.isEnded) return Math.max(at, end());
        // It grows: what is whole by now; whoever has seen all of that is with the present from then on, fragment by fragment.
        if (!this.video.paused && bufferedUntil(this.ranges(), this.place) - this.place < 0.3) { this.isLive = true; return at; }
        await pause(second / 4, signal);
        if (Date.now() - asked > second && !this.video.paused) { film = await this.#filmOf(row, signal); asked = Date.now(); }
        index = Math.min(index, film.segments.length) - 1;
        continue;
      }
      await this.#room(signal);
      const segment = film.segments[index];
      if (row.start + segment.start * second >= end()) return Math.max(at, end());
      if (!film.initializations.has(segment.map)) film.initializations.set(segment.map, await askBytes(segment.map, {signal}));
      await this.#prepare(row, segment.map, film.initializations.get(segment.map), signal);
      await this.#stream(segment.url, signal);
      at = Math.min(row.start + (segment.start + segment.seconds) * second, Math.max(at, end()));
    }
  }

  /** Makes the buffer ready for a recording's segments. */
  async #prepare(row, map, initialization, signal) {
    const type = mediaType(initialization), offset = (row.start - this.base) / second - (row.shift ?? 0);
    if (!this.#buffer) {
      if (!Source.isTypeSupported(type)) throw new Undecodable(type);
      this.#buffer = this.#source.addSourceBuffer(type);
      this.#type = type;
    } else if (type !== this.#type) {
      if (!Source.isTypeSupported(type)) throw new Undecodable(type);
      await this.#settled(signal);
      this.#buffer.changeType(type);
      this.#type = type;
    }
    await this.#settled(signal);
    if (this.#buffer.timestampOffset !== offset) {
      // WebKitGTK would drop what has an earlier media time than where it began to be fed.
      this.#buffer.abort();
      this.#buffer.timestampOffset = offset;
    }
    if (map !== null && this.#map !== map) {
      await this.#append(initialization, signal);
      this.#map = map;
    }
  }

  /** Appends what comes as it comes: the picture need not wait for a whole segment. */
  async #stream(url, signal) {
    const response = await ask(url, {signal}), reader = response.body.getReader(), pieces = new Pieces();
    const stop = () => reader.cancel().catch(() => {});
    signal.addEventListener('abort', stop, {once: true});
    try {
      for (;;) {
        let piece;
        try { piece = await reader.read(); } catch (error) { signal.throwIfAborted(); throw new Unreachable(error.message); }
        signal.throwIfAborted();
        for (const each of piece.done ? pieces.rest() : pieces.take(piece.value)) await this.#append(each, signal);
        if (piece.done) return;
      }
    } catch (error) {
      // What is half in the buffer would spoil what comes next.
      if (!signal.aborted && this.#source?.readyState === 'open') { await this.#settled(signal); this.#buffer.abort(); }
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #append(bytes, signal) {
    for (let attempt = 0; ; attempt += 1) {
      await this.#settled(signal);
      try {
        this.#buffer.appendBuffer(bytes);
        break;
      } catch (error) {
        if (error.name !== 'QuotaExceededError' || attempt > 20) throw error;
        await this.#drop(-Infinity, this.place - behind / (attempt + 2), signal);
        await pause(second, signal);
      }
    }
    await this.#settled(signal);
    if (this.video.error) throw this.video.error;
  }

  /** Waits until there is a reason to fetch more, and lets go of what was seen. */
  async #room(signal) {
    await this.#drop(-Infinity, this.place - behind, signal);
    while (this.#left() > (this.video.paused ? still : ahead)) await pause(second / 4, signal);
  }

  /** How many seconds are still to be shown. Gaps are nothing that lasts. */
  #left() { return this.ranges().reduce((sum, [from, to]) => sum + Math.max(0, to - Math.max(from, this.place)), 0); }

  async #drop(from, to, signal) {
    for (const range of this.ranges()) {
      const start = Math.max(from, range[0]), end = Math.min(to, range[1]);
      if (end - start < 1) continue;
      await this.#settled(signal);
      this.#buffer.remove(start, end);
      await this.#settled(signal);
    }
  }

  /** Stays with a recording that grows, fragment by fragment; returns the moment of its end. */
  async #follow(row, signal) {
    let cursor = '', isThere = false;
    this.said('live');
    for (;;) {
      let response;
      try {
        response = await ask(`/hls/${row.tag}/next${cursor}`, {cache: 'no-store', wait: 10000, signal});
      } catch (error) {
        // It has ended: what there is of it, under whichever tag, is known in a moment.
        if (!(error instanceof Refused) || ![404, 410].includes(error.status)) throw error;
        await this.camera.refresh().catch(() => {});
        return Math.max(row.start + 1, endOf(this.camera.rows.find(each => each.name === row.name) ?? row));
      }
      cursor = '?after=' + response.headers.get('Footage-Next');
      if (response.status === 204) continue;
      let bytes;
      try { bytes = new Uint8Array(await response.arrayBuffer()); } catch (error) { signal.throwIfAborted(); throw new Unreachable(error.message); }
      // An init segment comes with the first one, and after a leap; it is in these bytes.
      if (!isThere) await this.#prepare(row, null, bytes, signal);
      await this.#append(bytes, signal);
      this.#map = null;
      const edge = this.ranges().at(-1)?.[1];
      if (edge === undefined) continue;
      if (!isThere) { isThere = true; this.video.currentTime = Math.max(this.ranges().at(-1)[0], edge - 0.05); }
      const far = edge - this.video.currentTime;
      if (far > tooLate && !this.video.paused) this.video.currentTime = edge - 0.1;
      this.video.playbackRate = far > late ? 1.1 : 1;
      await this.#drop(-Infinity, this.place - behind, signal);
    }
  }

  /** A recording without a film: the file itself. */
  async #playFile(row, time, signal) {
    this.#forget();
    this.base = row.start;
    this.video.src = `/recordings/${encodeName(row.name)}.mp4?v=${row.tag}`;
    this.video.currentTime = (time - row.start) / second;
    await new Promise((resolve, reject) => {
      this.video.addEventListener('ended', resolve, {signal});
      signal.addEventListener('abort', () => reject(signal.reason), {once: true});
    });
    const next = nextMoment(this.camera.rows, shownUntil(this.camera.rows, row));
    if (next === null) return this.said('end');
    this.open(next);
    this.video.play().catch(() => {});
  }

  /** Goes over what is not there: holes between recordings, and gaps. Asked now and then as well, since what stands still says nothing. */
  watch() {
    const {video} = this;
    if (!this.#buffer || video.seeking || video.paused && this.#wanted === null) return;
    const now = video.currentTime, ranges = this.ranges(), end = bufferedUntil(ranges, now, 0), still = this.#still;
    if (still.at !== now) this.#still = {at: now, since: performance.now()};
    // A decoder stops a little before the end of what there is.
    const isAtEnd = end - now < 0.05 || end - now < 1 && still.at === now && performance.now() - still.since > 250;
    const next = ranges.find(([from]) => from > end);
    if (!isAtEnd || !next) return;
    // What lies between may still be on its way.
    if (next[0] - end > hole && rowAt(this.camera.rows, this.base + (end + 0.2) * second)) return;
    video.currentTime = next[0] + 0.01;
    if (next[0] - end > 1) this.said('gap', {from: this.base + end * second, to: this.base + next[0] * second});
  }
}
