// How pictures begin: whether a decoder takes the first one of a fragment (ISO/IEC 14496-12 §8.8), and that one alone.
import {box, join, path, view} from './boxes.js';

/** The `tfhd` of a fragment of one track, its first sample, and whether that one is marked as depending on others. */
function first(bytes) {
  const fragment = path(bytes, [0, bytes.length], 'moof', 'traf'), [head, end] = path(bytes, fragment, 'tfhd'), [run] = path(bytes, fragment, 'trun');
  const data = view(bytes), flags = data.getUint32(run) & 0xffffff, offset = data.getInt32(run + 8);
  const row = run + 12 + (flags & 4 ? 4 : 0) + (flags & 0x100 ? 4 : 0), size = data.getUint32(row);
  const defaults = data.getUint32(head), usual = head + 8 + [2, 8, 16].filter(flag => defaults & flag).length * 4;
  const marks = flags & 4 ? data.getUint32(run + 12) : flags & 0x400 ? data.getUint32(row + 4) : defaults & 0x20 ? data.getUint32(usual) : 0;
  return {head: bytes.subarray(head - 8, end), media: bytes.subarray(offset, offset + size), isDependent: Boolean(marks & 0x10000)};
}

/** Whether a fragment begins with a picture that browsers begin with: of H.264 they take only those that refer to no earlier ones and
 * let no later one do so (IDR, ITU-T H.264 §7.4.1.2.4), whatever the recorder has marked. */
export function isBeginning({type, description}, bytes) {
  const {media, isDependent} = first(bytes);
  if (!type.startsWith('avc')) return !isDependent;
  const width = (description[4] & 3) + 1;
  for (let at = 0; at + width < media.length; ) {
    const kind = media[at + width] & 31, size = media.subarray(at, at + width).reduce((sum, byte) => sum * 256 + byte, 0);
    // Slices and their partitions are 1 to 5.
    if (kind >= 1 && kind <= 5) return kind === 5;
    at += width + size;
  }
  return true;
}

/** A fragment of the first picture alone, which stands from a time to another one in seconds. */
export function still({timescale}, bytes, from, to) {
  const {head, media} = first(bytes), time = new Uint8Array(12), run = new Uint8Array(24);
  time[0] = 1;
  view(time).setBigUint64(4, BigInt(Math.round(from * timescale)));
  const fragment = offset => {
    // Where it lies, that it depends on none, how long it lasts, and its size.
    [0x305, 1, offset, 0x2000000, Math.round((to - from) * timescale), media.length].forEach((number, index) => view(run).setUint32(4 * index, number));
    return box('moof', box('mfhd', new Uint8Array(8)), box('traf', head, box('tfdt', time), box('trun', run)));
  };
  return join(fragment(fragment(0).length + 8), box('mdat', media));
}
