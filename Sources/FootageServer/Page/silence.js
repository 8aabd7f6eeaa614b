// Silence as sound: frames of AAC (ISO/IEC 14496-3) in which nothing is heard, for the times at which there are pictures alone.
import {box, join, view} from './boxes.js';

// A channel or two without a spectrum, and how many samples of sound a frame makes.
const frames = {1: [0x00, 0xc8, 0x00, 0x80, 0x23, 0x80], 2: [0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80]}, samples = 1024;

/** So many bytes, which are zero apart from the 32-bit numbers at these places. */
function fields(size, numbers = {}) {
  const bytes = new Uint8Array(size);
  for (const at in numbers) view(bytes).setUint32(at, numbers[at]);
  return bytes;
}

const rate = 48000, one = 0x10000, matrix = at => ({[at]: one, [at + 16]: one, [at + 32]: 0x40000000});
const descriptor = Uint8Array.of(0, 0, 0, 0, 3, 25, 0, 1, 0, 4, 17, 0x40, 0x15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0x11, 0x88, 6, 1, 2);

/** The sound of which silence is made where there was none before. */
export const plain = {id: 1, timescale: rate, rate, channels: 1, mime: 'audio/mp4; codecs="mp4a.40.2"', bytes: join(
  box('ftyp', Uint8Array.from('iso6\0\0\0\0iso6mp41', letter => letter.charCodeAt(0))),
  box('moov',
    box('mvhd', fields(100, {12: rate, 20: one, 24: 0x1000000, ...matrix(36), 96: 2})),
    box('trak', box('tkhd', fields(84, {0: 3, 12: 1, 36: 0x1000000, ...matrix(40)})), box('mdia',
      box('mdhd', fields(24, {12: rate, 20: 0x55c40000})), box('hdlr', fields(25, {8: 0x736f756e})),
      box('minf', box('smhd', fields(8)), box('dinf', box('dref', fields(8, {4: 1}), box('url ', fields(4, {0: 1})))), box('stbl',
        box('stsd', fields(8, {4: 1}), box('mp4a', fields(28, {4: 1, 16: one | 16, 24: rate * one}), box('esds', descriptor))),
        box('stts', fields(8)), box('stsc', fields(8)), box('stsz', fields(12)), box('stco', fields(8)))))),
    box('mvex', box('trex', fields(24, {4: 1, 8: 1})))))};

/** Whether there is silence of its own for a track's sound; else `plain` is put in its place. */
export const isQuietable = track => track?.mime === plain.mime && track.channels in frames && track.rate > 0;

/** A fragment of silence for a track, from a time to another one in seconds; null where no frame fits in. */
export function silence({id, timescale, rate, channels}, from, to) {
  const count = Math.floor((to - from) * rate / samples + 0.01), frame = frames[channels];
  if (count < 1) return null;
  // They share what is left, since a hole would remain.
  const duration = Math.round((to - from) * timescale / count), time = new Uint8Array(12);
  time[0] = 1;
  view(time).setBigUint64(4, BigInt(Math.round(from * timescale)));
  const head = offset => box('moof', box('mfhd', fields(8)), box('traf',
    box('tfhd', fields(20, {0: 0x20038, 4: id, 8: duration, 12: frame.length, 16: 0x2000000})), box('tfdt', time),
    box('trun', fields(12, {0: 1, 4: count, 8: offset}))));
  const media = new Uint8Array(frame.length * count);
  for (let index = 0; index < count; index += 1) media.set(frame, index * frame.length);
  return join(head(head(0).length + 8), box('mdat', media));
}
