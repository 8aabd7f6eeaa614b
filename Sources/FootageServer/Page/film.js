// A camera's time in the buffers of a player (Media Source Extensions): recordings stand in them at their wall clock, so that joins are
// seamless and gaps stay gaps. The media time 0 is `base`.
import {ask, askBytes, askText, encodeName, pause, Refused, Unreachable} from './robot.js';
import {bufferedUntil, endOf, nextMoment, parsePlaylist, rowAt, segmentAt, shownUntil} from './choice.js';
import {boxes, parts} from './boxes.js';
import {Buffers, hole, Midway, Source} from './buffers.js';
import {Pieces} from './pieces.js';
import {hour, minute, second} from './time.js';

// Seconds: what is kept behind, what is fetched ahead, how far back pictures may begin, and what is fetched of what stands still; how long before its end a stream is ended, and in how many
// pictures of a decoder; how far behind what comes the picture of a live camera may be before it hurries, and before it leaps, and how late
// its sound may come.
const behind = 30, ahead = 40, back = 60, still = 8, ending = 1.5, held = 8, late = 0.35, tooLate = 1.5, lag = 1;
// Milliseconds: how long a time one buffer is for, the moment that it begins with being in its middle, so that gaps of a day within a
// recording fit in behind it; how much one look at what stands counts, since a browser sleeps as well; how long a decoder stands that waits.
const span = 72 * hour, look = 1000, waits = 250;
/** How many milliseconds playing may stand where there is something to play. */
export const watchdog = {patience: 2000};

export class Film {
  /** Of media time 0, in milliseconds; 0 before anything is shown. */
  base = 0;
  /** Where somebody wants to be, until the picture is there. */
  #wanted = null;
  #control = null;
  #films = new Map();
  /** The tags of recordings whose sound is not played. */
  silent = new Set();
  isLive = false;
  #stood = {at: -1, for: 0, seen: 0, gone: 0, tries: 0};

  /** `said(what, details)` hears `gap`, `end`, `error`, `live`, `stood`, and `resumed` where playing is to go on if it is wanted. */
  constructor(video, camera, said) {
    Object.assign(this, {video, camera, said, buffers: new Buffers(video, span / second, () => this.watch())});
    video.disableRemotePlayback = true;
    video.ontimeupdate = video.onwaiting = () => this.watch();
    video.onerror = () => this.#fail(video.error);
    video.onseeked = () => { this.#wanted = null; };
  }

  /** The wall clock of the picture; null before there is one. */
  get time() { return this.#wanted ?? (this.base ? this.base + (this.buffers.out ?? this.video.currentTime) * second : null); }

  /** The same in the buffer, in seconds. */
  get place() { return (this.time - this.base) / second; }

  get isThere() { return this.video.readyState >= 2 && this.#wanted === null; }

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
    this.buffers.close();
    this.video.removeAttribute('src');
    this.video.load();
  }

  #fail(error) {
    this.#control?.abort('failed');
    this.said('error', error);
  }

  async #run(time, signal) {
    const first = rowAt(this.camera.rows, time);
    if (!Source || first && first.shift === null && first.state === 'ready') return this.#playFile(first, time, signal);
    const isNear = this.buffers.isOpen && this.buffers.out === null && !this.video.error && Math.abs(time - this.base - span / 2) < span / 2 - hour;
    if (isNear) await this.buffers.reset(signal);
    else {
      this.base = Math.floor((time - span / 2) / minute) * minute;
      await this.buffers.open(signal);
    }
    const place = (time - this.base) / second, end = bufferedUntil(this.buffers.ranges(), place), until = end > place + 0.1 && !this.isLive ? end : place;
    // What lies behind it is fetched again: what is ahead is in one piece. It is gone before the player goes there: from under a decoder
    // that has begun with it, the next pictures would be those of the next group.
    await this.buffers.drop(until, Infinity, signal, 0);
    // The present is wherever it comes; WebKitGTK takes nothing more after two such moves.
    if (!this.isLive || first?.state !== 'recording') this.video.currentTime = place;
    let at = this.base + until * second, isAtEnd = false;
    for (;;) {
      const {rows} = this.camera, next = nextMoment(rows, at), row = next === null ? null : rowAt(rows, next);
      if (!row) {
        if (this.#isNearEnd((ending + held * this.buffers.pictureSeconds) * this.video.playbackRate) && !isAtEnd) {
          isAtEnd = true;
          await this.buffers.playOut(Infinity, signal);
          this.said('end');
        }
        // More may come.
        await pause(second, signal);
        continue;
      }
      [at, isAtEnd] = [next, false];
      if (row.shift === null && row.state === 'ready') {
        await this.buffers.playOut(Infinity, signal);
        return this.#playFile(row, at, signal);
      }
      if (row.state === 'recording' && this.isLive) at = await this.#follow(row, signal);
      else {
        try {
          at = await this.#fill(row, at, signal);
        } catch (error) {
          if (!(error instanceof Midway)) throw error;
          // A player of files begins there all the same, from whatever is before it.
          await this.buffers.playOut(Infinity, signal);
          return this.#playFile(row, error.at, signal);
        }
      }
    }
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
    let film = await this.#filmOf(row, signal), at = from, asked = Date.now(), midway = -1;
    // What is before it is not there, or it is there already.
    const {buffers} = this, placeOf = time => (time - this.base) / second, leave = async () => {
      await buffers.finish(placeOf(end()), signal);
      return Math.max(at, end());
    };
    buffers.done = placeOf(from);
    const end = () => shownUntil(this.camera.rows, row);
    for (let index = segmentAt(film.segments, (at - row.start) / second); ; index += 1) {
      if (index >= film.segments.length) {
        if (film.isEnded) return leave();
        // It grows: what is whole by now; whoever has seen all of that is with the present from then on, fragment by fragment.
        if (!this.video.paused && this.#isNearEnd(0.3)) { this.isLive = true; return at; }
        await pause(second / 4, signal);
        if (Date.now() - asked > second && !this.video.paused) { film = await this.#filmOf(row, signal); asked = Date.now(); }
        index = Math.min(index, film.segments.length) - 1;
        continue;
      }
      await this.#room(signal);
      const segment = film.segments[index];
      if (row.start + segment.start * second >= end()) return leave();
      if (!film.initializations.has(segment.map)) film.initializations.set(segment.map, parts(await askBytes(segment.map, {signal})));
      const tracks = film.initializations.get(segment.map);
      await this.#prepare(row, at, tracks, signal);
      try {
        await this.#stream(segment.url, new Pieces(tracks, this.#offset(row)), signal, row.state === 'ready');
      } catch (error) {
        if (!(error instanceof Midway)) throw error;
        // Pictures begin earlier, if that is not too far; else a player of files has to do.
        if (index === 0 || index === midway || (at - row.start) / second - segment.start > back) throw Object.assign(error, {at});
        midway = Math.max(midway, index);
        index -= 2;
        continue;
      }
      await buffers.fill(undefined, signal);
      at = Math.max(at, Math.min(row.start + (segment.start + segment.seconds) * second, Math.max(at, end())));
    }
  }

  /** Makes the buffers ready for a recording's film. */
  async #prepare(row, at, tracks, signal) {
    const used = this.buffers.prepare(tracks);
    if (used) {
      if (used.some(each => !each.isVideo)) this.silent.delete(row.tag); else this.silent.add(row.tag);
      return;
    }
    // Pictures come to sound alone, or the reverse: another player begins when this one has shown what it has.
    await this.buffers.playOut(Infinity, signal);
    this.buffers.close();
    this.#playOn(at, this.isLive);
    signal.throwIfAborted();
  }

  /** By how much a film's times are later in the buffers. */
  #offset(row) { return (row.start - this.base) / second - (row.shift ?? 0); }

  #playOn(at, isLive) {
    this.open(at, isLive);
    this.said('resumed');
  }

  /** Appends what comes as it comes: the picture need not wait for a whole segment. */
  async #stream(url, pieces, signal, isStrict) {
    const response = await ask(url, {signal}), reader = response.body.getReader();
    const stop = () => reader.cancel().catch(() => {});
    signal.addEventListener('abort', stop);
    try {
      for (;;) {
        let piece;
        try { piece = await reader.read(); } catch (error) { signal.throwIfAborted(); throw new Unreachable(error.message); }
        signal.throwIfAborted();
        if (piece.done) return pieces.end();
        await this.buffers.append(pieces.take(piece.value), signal, isStrict);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Waits until there is a reason to fetch more, and lets go of what was seen. */
  async #room(signal) {
    await this.buffers.drop(-Infinity, this.place - behind, signal);
    while (this.#left() > (this.video.paused ? still : ahead)) await pause(second / 4, signal);
  }

  /** How many seconds are still to be shown. Gaps are nothing that lasts. */
  #left() { return this.buffers.ranges().reduce((sum, [from, to]) => sum + Math.max(0, to - Math.max(from, this.place)), 0); }

  /** Whether what there is ends so soon, or a decoder waits for more already: it does so some pictures before the end. */
  #isNearEnd(seconds) { return this.#left() < seconds || this.#stood.for > waits; }

  /** Stays with a recording that grows, fragment by fragment; returns the moment of its end. */
  async #follow(row, signal) {
    let cursor = '', isThere = false, tracks = [];
    const {buffers} = this;
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
      const head = [...boxes(bytes, 0, bytes.length)].find(([type]) => type === 'moov')?.[2] ?? 0;
      if (head) await this.#prepare(row, row.start, tracks = parts(bytes.subarray(0, head)), signal);
      await buffers.append(new Pieces(tracks, this.#offset(row)).take(bytes.subarray(head)), signal);
      await buffers.fill(lag, signal);
      const [from, edge] = buffers.ranges().at(-1) ?? [];
      if (edge === undefined) continue;
      if (!isThere) { isThere = true; this.video.currentTime = Math.max(from, edge - 0.05); }
      const far = edge - this.video.currentTime;
      if (far > tooLate && !this.video.paused) this.video.currentTime = edge - 0.1;
      this.video.playbackRate = far > late ? 1.1 : 1;
      await buffers.drop(-Infinity, this.place - behind, signal);
    }
  }

  /** A recording without a film: the file itself. */
  async #playFile(row, time, signal) {
    this.buffers.close();
    this.base = row.start;
    this.video.src = `/recordings/${encodeName(row.name)}.mp4?v=${row.tag}`;
    this.video.currentTime = (time - row.start) / second;
    await new Promise((resolve, reject) => {
      this.video.addEventListener('ended', resolve, {signal});
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    const next = nextMoment(this.camera.rows, shownUntil(this.camera.rows, row));
    if (next === null) return this.said('end');
    this.#playOn(next);
  }

  #leap(from, to) {
    this.video.currentTime = to + 0.01;
    if (to - from > 1 && !this.isLive) this.said('gap', {from: this.base + from * second, to: this.base + to * second});
  }

  /** Goes over what is not there: holes between recordings, and gaps. Asked now and then as well, since what stands still says nothing. */
  watch() {
    const {video, buffers} = this, stood = this.#stood;
    if (buffers.out !== null) {
      const at = buffers.out, range = buffers.ranges().find(([, to]) => to > at + 0.05);
      if (!range) return;
      buffers.out = null;
      this.#leap(at, Math.max(at, range[0]));
      return this.said('resumed');
    }
    if (!buffers.isOpen || video.paused && !video.seeking && this.#wanted === null) { stood.seen = 0; return; }
    const now = this.#wanted === null ? video.currentTime : this.place, ranges = buffers.ranges(), end = bufferedUntil(ranges, now, 0), time = performance.now();
    if (stood.at === now) { if (stood.seen) stood.for += Math.min(time - stood.seen, look); }
    else {
      // What has gone on for a while does not stand any more.
      stood.gone += Math.min(Math.max(now - stood.at, 0), 1);
      if (stood.gone > 2) stood.tries = 0;
      Object.assign(stood, {at: now, for: 0});
    }
    stood.seen = time;
    if (video.seeking && end > now && stood.for < watchdog.patience) return;
    // A decoder stops a little before the end of what there is.
    const isAtEnd = end - now < 0.05 || end - now < 1 && stood.for > waits, next = ranges.find(([from]) => from > end);
    // What lies between may still be on its way.
    if (isAtEnd && next && (next[0] - end <= hole || next[0] <= buffers.done)) {
      this.#leap(end, next[0]);
    } else if (stood.for >= watchdog.patience && (end - now > 0.1 || next)) {
      // First over the place, then with new buffers behind it, further each time.
      stood.for = stood.gone = 0;
      stood.tries += 1;
      if (stood.tries === 1) this.said('stood', this.time);
      if (stood.tries < 2) video.currentTime = end - now > 0.2 ? now + 0.1 : next ? next[0] + 0.01 : now;
      else {
        const at = nextMoment(this.camera.rows, this.time + 2 ** (stood.tries - 2) * second);
        if (at === null) return;
        buffers.close();
        this.#playOn(at, this.isLive);
      }
    }
  }
}
