// A fragment (ISO/IEC 14496-12 §8.8) in several, as its bytes come. Browsers show nothing of a fragment with pictures and
// sound before all of it is there, which over a thin link takes seconds.
import {boxes} from './boxes.js';

// A piece has at least so many bytes of media.
const least = 48 * 1024;

const join = (...parts) => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { bytes.set(part, at); at += part.length; }
  return bytes;
};

function box(type, ...parts) {
  const bytes = join(new Uint8Array(8), ...parts);
  new DataView(bytes.buffer).setUint32(0, bytes.length);
  for (let index = 0; index < 4; index += 1) bytes[4 + index] = type.charCodeAt(index);
  return bytes;
}

/** A run of samples: where its media lies, how long it lasts. Null where it says too little. */
function run(bytes, from, to, duration) {
  const data = new DataView(bytes.buffer, bytes.byteOffset), flags = data.getUint32(from) & 0xffffff, count = data.getUint32(from + 4);
  if (!(flags & 1) || !(flags & 0x200) || !(flags & 0x100) && duration === null) return null;
  let at = from + 12 + (flags & 4 ? 4 : 0), size = 0, ticks = 0;
  const step = [0x100, 0x200, 0x400, 0x800].filter(flag => flags & flag).length * 4;
  if (at + step * count > to) return null;
  for (let index = 0; index < count; index += 1, at += step) {
    ticks += flags & 0x100 ? data.getUint32(at) : duration;
    size += data.getUint32(at + (flags & 0x100 ? 4 : 0));
  }
  return {offset: data.getInt32(from + 8), size, ticks, body: bytes.slice(from, to)};
}

/** The runs of a `moof` in the order of their bytes; null where one cannot be taken apart. */
function runs(moof) {
  const found = [], tracks = [], data = new DataView(moof.buffer, moof.byteOffset);
  let header = null;
  for (const [type, from, to] of boxes(moof, 8, moof.length)) {
    if (type === 'mfhd') header = moof.slice(from - 8, to);
    if (type !== 'traf') continue;
    const track = {head: null, time: null};
    let duration = null;
    for (const [kind, start, end] of boxes(moof, from, to)) {
      if (kind === 'tfhd') {
        const flags = data.getUint32(start) & 0xffffff;
        // Without an offset of its own, all counting from this box.
        if (flags & 1 || !(flags & 0x20000)) return null;
        track.head = moof.slice(start - 8, end);
        if (flags & 8) duration = data.getUint32(start + 8 + (flags & 2 ? 4 : 0));
      } else if (kind === 'tfdt') {
        if (moof[start] !== 1) return null;
        track.time = data.getBigUint64(start + 4);
      } else if (kind === 'trun') {
        const each = run(moof, start, end, duration);
        if (!each) return null;
        found.push({...each, track});
      } else return null;
    }
    if (!track.head || track.time === null) return null;
    tracks.push(track);
  }
  const order = found.map(each => each.offset);
  // The times of a track's runs are known by those before: these must come first in the file as well.
  const isInOrder = tracks.every(track => found.filter(each => each.track === track).every((each, index, own) => !index || own[index - 1].offset < each.offset));
  return header && isInOrder && order.length ? {header, tracks, all: found.sort((a, b) => a.offset - b.offset)} : null;
}

export class Pieces {
  #held = new Uint8Array(0);
  #fragment = null;

  /** What can be appended by now. */
  take(bytes) {
    this.#held = join(this.#held, bytes);
    if (this.#fragment === null && !this.#begin()) return [];
    if (this.#fragment === false) return this.rest();
    const made = [];
    for (;;) {
      const piece = this.#next(false);
      if (!piece) return made;
      made.push(piece);
    }
  }

  /** What is left at the end. */
  rest() {
    const piece = this.#fragment ? this.#next(true) : null, left = this.#fragment ? new Uint8Array(0) : this.#held;
    if (!this.#fragment) this.#held = new Uint8Array(0);
    return [piece, left].filter(each => each?.length);
  }

  /** Whether the fragment's own boxes are there. `false` for a fragment is: as it comes. */
  #begin() {
    const {length} = this.#held, data = new DataView(this.#held.buffer);
    const size = length >= 8 ? data.getUint32(0) : 0;
    if (length < 8 || length < size + 8) return false;
    const isKnown = String.fromCharCode(...this.#held.subarray(4, 8)) === 'moof' && String.fromCharCode(...this.#held.subarray(size + 4, size + 8)) === 'mdat';
    const found = isKnown && size >= 8 && runs(this.#held.slice(0, size));
    if (!found) { this.#fragment = false; return true; }
    this.#fragment = {...found, done: 0, at: size + 8};
    this.#held = this.#held.slice(size + 8);
    return true;
  }

  #next(isLast) {
    const fragment = this.#fragment, {all, done, at} = fragment;
    let end = done;
    while (end < all.length && all[end].offset + all[end].size - at <= this.#held.length) end += 1;
    if (end === done) return null;
    const from = all[done].offset, to = Math.max(...all.slice(done, end).map(each => each.offset + each.size));
    if (!isLast && end < all.length && to - from < least) return null;
    const chosen = all.slice(done, end), parts = fragment.tracks.map(track => [track, chosen.filter(each => each.track === track)]).filter(part => part[1].length);
    const build = base => box('moof', fragment.header, ...parts.map(([track, own]) => {
      const time = new Uint8Array(12), data = new DataView(time.buffer);
      time[0] = 1;
      data.setBigUint64(4, track.time);
      return box('traf', track.head, box('tfdt', time), ...own.map(each => {
        const body = each.body.slice();
        new DataView(body.buffer).setInt32(8, base + each.offset - from);
        return box('trun', body);
      }));
    }));
    const head = build(build(0).length + 8), media = this.#held.subarray(from - at, to - at);
    const piece = join(head, box('mdat', media));
    for (const each of chosen) each.track.time += BigInt(each.ticks);
    fragment.done = end;
    fragment.at = to;
    this.#held = this.#held.slice(to - at);
    return piece;
  }
}
