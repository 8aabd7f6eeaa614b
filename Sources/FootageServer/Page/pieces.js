// A fragment (ISO/IEC 14496-12 §8.8) in several, as its bytes come, each of one track. Browsers show nothing of a fragment before
// all of it is there, which over a thin link takes seconds.
import {box, boxes, join, view} from './boxes.js';

// A piece has at least so many bytes of media.
const least = 48 * 1024;

// In seconds, what a sound lasts at most before it only stands for a gap, and what it lasts then; what no frame of any codec lasts.
const longest = 0.25, shortest = 0.04, never = 1.5;
// Pictures more than so many seconds apart have a gap between them, also within a group, where one of them has to last until the next for
// the decoder to go on; and how long that one is seen.
const gap = 10, seen = 0.5;

/** Runs of samples: where their media lies, and how long they last. After a sound that stands for a gap another one begins, at its own
 * time; those of one size beside a picture that stands for a gap may be silence. `shown` gets the times of pictures, the first sample is
 * decoded at `time`, `isGone(time)` tells of those pictures. Null where samples say too little. */
function split(bytes, from, to, duration, track, time, shown, isGone) {
  const data = view(bytes), flags = data.getUint32(from) & 0xffffff, count = data.getUint32(from + 4), hasOwn = flags & 0x100;
  if (!(flags & 1) || !(flags & 0x200) || !hasOwn && duration === null) return null;
  const begin = from + 12 + (flags & 4 ? 4 : 0), step = [0x100, 0x200, 0x400, 0x800].filter(flag => flags & flag).length * 4;
  if (begin + step * count > to) return null;
  const found = [], body = (first, end) => {
    const bytesOf = join(bytes.subarray(from, first ? from + 12 : begin), bytes.subarray(begin + step * first, begin + step * end)), fields = view(bytesOf);
    // The flags of the first sample are those of the first one alone.
    fields.setUint32(0, data.getUint32(from) & (first ? ~4 : ~0));
    fields.setUint32(4, end - first);
    return bytesOf;
  };
  const {isVideo, timescale} = track;
  let first = 0, size = 0, ticks = 0, offset = data.getInt32(from + 8), decoded = time, known = 0, alike = 0;
  const end = (next, isGap) => {
    if (next === first) return;
    const made = body(first, next);
    if (isGap) view(made).setUint32(made.length - step, Math.max(usual, Math.round(shortest * timescale)));
    found.push({offset, size, ticks, body: made, isGap, alike});
    offset += size;
    [first, size, ticks] = [next, 0, 0];
  };
  const durations = Array.from({length: count}, (_, index) => hasOwn ? data.getUint32(begin + step * index) : duration);
  track.least = durations.reduce((least, each) => Math.min(least, each || Infinity), track.least ?? Infinity);
  const usual = track.least < never * timescale ? track.least : 0;
  durations.forEach((own, index) => {
    const at = begin + step * index, length = data.getUint32(at + (hasOwn ? 4 : 0)), isAlike = !isVideo && length === known && isGone(decoded / timescale);
    if (isVideo) shown.push(decoded + (flags & 0x800 ? data.getInt32(at + step - 4) : 0));
    if (isAlike !== alike > 0) end(index);
    [known, alike] = [length, isAlike ? length : 0];
    decoded += own;
    ticks += own;
    size += length;
    if (hasOwn && !isVideo && !isAlike && own > Math.max(longest * timescale, 4 * usual)) end(index + 1, true);
  });
  end(count);
  return found;
}

/** Where one picture stands for a gap, apart from its beginning: from when to when, in seconds. */
function stills(shown, timescale) {
  const times = shown.map(time => time / timescale).sort((a, b) => a - b);
  return times.flatMap((time, index) => index && time - times[index - 1] > gap ? [[times[index - 1] + seen, time]] : []);
}

/** The runs of a `moof` in the order of their bytes; null where one cannot be taken apart. */
function runs(moof, known, offset) {
  const found = [], tracks = [], data = view(moof), gone = [], isGone = time => gone.some(([from, to]) => time >= from && time < to);
  let header = null;
  for (const [type, from, to] of boxes(moof, 8, moof.length)) {
    if (type === 'mfhd') header = moof.slice(from - 8, to);
    if (type !== 'traf') continue;
    const track = {head: null, time: null, film: null, shown: []};
    let duration = null, decoded = 0;
    for (const [kind, start, end] of boxes(moof, from, to)) {
      if (kind === 'tfhd') {
        const flags = data.getUint32(start) & 0xffffff;
        // Without an offset of its own, all counting from this box.
        if (flags & 1 || !(flags & 0x20000)) return null;
        track.head = moof.slice(start - 8, end);
        track.film = known.find(each => each.id === data.getUint32(start + 4));
        if (!track.film) return null;
        if (flags & 8) duration = data.getUint32(start + 8 + (flags & 2 ? 4 : 0));
      } else if (kind === 'tfdt') {
        if (moof[start] !== 1) return null;
        if (!track.film) return null;
        track.time = data.getBigUint64(start + 4) + BigInt(Math.round(offset * track.film.timescale));
        decoded = Number(track.time);
      } else if (kind === 'trun') {
        const some = split(moof, start, end, duration, track.film, decoded, track.shown, isGone);
        if (!some) return null;
        for (const each of some) {
          found.push({...each, track});
          decoded += each.ticks;
        }
      } else return null;
    }
    if (!track.head || track.time === null) return null;
    track.stills = stills(track.shown, track.film.timescale);
    gone.push(...track.stills);
    tracks.push(track);
  }
  const order = found.map(each => each.offset);
  // The times of a track's runs are known by those before: these must come first in the file as well.
  const isInOrder = tracks.every(track => found.filter(each => each.track === track).every((each, index, own) => !index || own[index - 1].offset < each.offset));
  return header && isInOrder && order.length ? {header, tracks, all: found.sort((a, b) => a.offset - b.offset)} : null;
}

/** A piece of a fragment is `{track, ticks, bytes, stills}`: its track, when it begins, a fragment of that track alone, and from when to
 * when pictures of the whole fragment stand for a gap, in seconds. Silence beside these is left out. */
export class Pieces {
  #held = new Uint8Array(0);
  #fragment = null;

  /** Of a film with these tracks, whose times become so many seconds later. */
  constructor(tracks, offset = 0) { Object.assign(this, {tracks, offset}); }

  /** Those that are whole by now. */
  take(bytes) {
    this.#held = join(this.#held, bytes);
    const made = [];
    while (this.#fragment || this.#begin()) {
      const some = this.#next();
      if (!some) break;
      made.push(...some);
    }
    return made;
  }

  /** A fragment that is cut short would leave a hole that nobody fills. */
  end() { if (this.#fragment || this.#held.length) throw new Error('incomplete fragment'); }

  /** Whether the fragment's own boxes are there. */
  #begin() {
    const {length} = this.#held, data = view(this.#held);
    const size = length >= 8 ? data.getUint32(0) : 0;
    if (length < 8 || length < size + 8) return false;
    const isKnown = [4, size + 4].map(at => String.fromCharCode(...this.#held.subarray(at, at + 4))).join() === 'moof,mdat';
    const found = isKnown && runs(this.#held.slice(0, size), this.tracks, this.offset);
    if (!found) throw new Error('unknown fragment');
    this.#fragment = {...found, done: 0, at: size + 8, end: size + data.getUint32(size)};
    this.#held = this.#held.slice(size + 8);
    return true;
  }

  /** The next pieces of the tracks, of which there are as many bytes as are worth it; null where there are none yet. */
  #next() {
    const fragment = this.#fragment, {all, done, at} = fragment;
    let end = done;
    while (end < all.length && all[end].offset + all[end].size - at <= this.#held.length) end += 1;
    if (end === done) return null;
    const chosen = all.slice(done, end), isLast = end === all.length;
    const to = isLast ? fragment.end : Math.max(...chosen.map(each => each.offset + each.size));
    if (!isLast && to - at < least || isLast && this.#held.length < to - at) return null;
    const made = [];
    for (const track of fragment.tracks) {
      let own = [];
      const end = () => { if (own.length) made.push(this.#piece(track, own)); own = []; };
      for (const each of chosen.filter(each => each.track === track)) {
        const isSilence = this.#isSilence(each);
        if (!isSilence) own.push(each);
        if (isSilence || each.isGap) end();
        if (isSilence) track.time += BigInt(each.ticks);
      }
      end();
    }
    fragment.done = end;
    fragment.at = to;
    this.#held = this.#held.slice(to - at);
    if (isLast) this.#fragment = null;
    return made;
  }

  #mediaOf({offset, size}) { return this.#held.subarray(offset - this.#fragment.at).subarray(0, size); }

  /** Whether all samples of a run, of which there are several, have the same bytes: nothing is heard of them. */
  #isSilence(run) {
    const {size, alike} = run, bytes = this.#mediaOf(run);
    return alike > 0 && size > alike && bytes.every((byte, index) => byte === bytes[index % alike]);
  }

  #piece(track, own) {
    const {header} = this.#fragment, time = new Uint8Array(12), ticks = track.time;
    time[0] = 1;
    view(time).setBigUint64(4, ticks);
    const build = base => box('moof', header, box('traf', track.head, box('tfdt', time), ...own.map(each => {
      const body = each.body.slice();
      view(body).setInt32(8, base);
      base += each.size;
      return box('trun', body);
    })));
    const head = build(build(0).length + 8);
    for (const each of own) track.time += BigInt(each.ticks);
    return {track: track.film, ticks: Number(ticks), stills: track.stills, bytes: join(head, box('mdat', ...own.map(each => this.#mediaOf(each))))};
  }
}
