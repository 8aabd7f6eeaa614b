import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'node:test';
import {boxes, keyFrame, parts, tracks, view} from '../../Sources/FootageServer/Page/boxes.js';
import {Pieces} from '../../Sources/FootageServer/Page/pieces.js';

/** A recording by ffmpeg, in fragments: pictures and sound, each with all bytes where they lie. */
function recorded(...options) {
  const folder = mkdtempSync(join(tmpdir(), 'footage-pieces-'));
  try {
    const path = join(folder, 'x.mp4');
    execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25', '-f', 'lavfi', '-i', 'sine=frequency=440',
      '-t', '6', '-c:v', 'libx264', '-g', '50', '-bf', '2', '-pix_fmt', 'yuv420p', '-c:a', 'aac', ...options, path], {stdio: ['ignore', 'inherit', 'inherit']});
    return new Uint8Array(readFileSync(path));
  } finally {
    rmSync(folder, {recursive: true});
  }
}

/** All samples of fragments: track, time, bytes; and how long they last where that is asked for. */
function samples(bytes, hasDurations = false) {
  const found = [], data = new DataView(bytes.buffer, bytes.byteOffset);
  for (const [type, start, end] of boxes(bytes, 0, bytes.length)) {
    if (type !== 'moof') continue;
    for (const [inner, from, to] of boxes(bytes, start, end)) {
      if (inner !== 'traf') continue;
      let track, time, duration, size;
      for (const [kind, at] of boxes(bytes, from, to)) {
        const flags = data.getUint32(at) & 0xffffff;
        if (kind === 'tfhd') {
          track = data.getUint32(at + 4);
          let place = at + 8 + (flags & 2 ? 4 : 0);
          if (flags & 8) { duration = data.getUint32(place); place += 4; }
          if (flags & 16) size = data.getUint32(place);
        }
        if (kind === 'tfdt') time = Number(data.getBigUint64(at + 4));
        if (kind !== 'trun') continue;
        let place = at + 12 + (flags & 4 ? 4 : 0), offset = start - 8 + data.getInt32(at + 8);
        for (let left = data.getUint32(at + 4); left > 0; left -= 1) {
          const [ticks, count] = [flags & 0x100 ? data.getUint32(place) : duration, flags & 0x200 ? data.getUint32(place + (flags & 0x100 ? 4 : 0)) : size];
          place += [0x100, 0x200, 0x400, 0x800].filter(flag => flags & flag).length * 4;
          found.push([track, time, Buffer.from(bytes.subarray(offset, offset + count)).toString('base64'), ...hasDurations ? [ticks] : []].join(' '));
          time += ticks;
          offset += count;
        }
      }
    }
  }
  return found.sort();
}

const joined = pieces => { const all = Buffer.concat(pieces.map(each => each.bytes)); return new Uint8Array(all.buffer, all.byteOffset, all.length); };

/** Bytes in lengths that a link might give them. */
function* torn(bytes, seed) {
  let at = 0;
  while (at < bytes.length) {
    seed = seed * 1103515245 + 12345 & 0x7fffffff;
    const end = at + 1 + seed % 30000;
    yield bytes.slice(at, end);
    at = end;
  }
}

/** The first fragment of a recording that is one, and the film's tracks. */
function segmentOf(file) {
  const top = [...boxes(file, 0, file.length)], begin = top.find(box => box[0] === 'moof')[1] - 8;
  return [file.slice(begin, top.find(box => box[0] === 'mdat')[2]), parts(file.slice(0, begin))];
}

const fragmented = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof', '-min_frag_duration', '6000000'];

test('a fragment in pieces has the samples of the whole, at their times, each piece those of one track', t => {
  const [segment, known] = segmentOf(recorded(...fragmented)), seed = Date.now() % 100000;
  t.diagnostic(`seed ${seed}`);
  const pieces = new Pieces(known), made = [];
  let isEarly = false;
  for (const bytes of torn(segment, seed)) { isEarly = made.length > 0; made.push(...pieces.take(bytes)); }
  pieces.end();
  assert.ok(isEarly, 'all of it comes at the end');
  assert.deepEqual(samples(joined(made)), samples(segment));
  assert.ok(samples(segment).length > 100);
  for (const {track, ticks, bytes} of made) {
    const [[first, time], ...others] = samples(bytes).map(each => each.split(' ')).sort((a, b) => a[1] - b[1]);
    assert.ok([[first], ...others].every(each => +each[0] === track.id));
    assert.equal(+time, ticks);
  }
});

test('two fragments in a row are both taken, and one that is cut short is told', () => {
  const [segment, known] = segmentOf(recorded(...fragmented)), twice = new Uint8Array([...segment, ...segment]);
  const pieces = new Pieces(known);
  assert.equal(samples(joined(pieces.take(twice))).length, 2 * samples(segment).length);
  pieces.end();
  assert.deepEqual(pieces.take(segment.slice(0, segment.length - 1)).length > 0, true);
  assert.throws(() => pieces.end(), /incomplete/);
});

test('the times of a film become later by what is asked for, whatever they are', () => {
  const file = recorded('-movflags', '+frag_keyframe+empty_moov+default_base_moof'), top = [...boxes(file, 0, file.length)];
  const begins = top.filter(box => box[0] === 'moof').map(box => box[1] - 8), segment = file.slice(begins[1], top.filter(box => box[0] === 'mdat')[1][2]);
  const known = parts(file.slice(0, begins[0])), timesOf = offset => new Pieces(known, offset).take(segment)
    .map(({track, ticks, bytes}) => [track.id, ticks, samples(bytes).map(each => each.split(' ')[1] / track.timescale).sort((a, b) => a - b)]);
  const before = timesOf(0), after = timesOf(1000.5);
  assert.ok(before[0][1] > 0);
  before.forEach(([id, ticks, times], index) => {
    const {timescale} = known.find(each => each.id === id);
    assert.equal(after[index][1], ticks + Math.round(1000.5 * timescale));
    assert.ok(after[index][2].every((time, at) => Math.abs(time - times[at] - 1000.5) < 1 / timescale));
  });
});

test('what is no fragment, or says too little, is refused', () => {
  const bytes = new Uint8Array(100000).map((_, index) => index * 7);
  for (const start of [[], [0, 0, 0, 16, 0x6d, 0x6f, 0x6f, 0x66]]) {
    const whole = bytes.slice();
    whole.set(start);
    assert.throws(() => { const pieces = new Pieces([]); for (const part of torn(whole, 7)) pieces.take(part); pieces.end(); }, /fragment/);
  }
});

/** The tables of a track in a fragment: where its first sample is told, how many bytes each has there, how many samples, and its media. */
function* tables(bytes, track) {
  const data = view(bytes);
  for (const [type, start, end] of boxes(bytes, 0, bytes.length)) if (type === 'moof') for (const [inner, from, to] of boxes(bytes, start, end)) {
    let id = 0;
    if (inner === 'traf') for (const [kind, at] of boxes(bytes, from, to)) {
      if (kind === 'tfhd') id = data.getUint32(at + 4);
      if (kind !== 'trun' || id !== track.id) continue;
      const flags = data.getUint32(at) & 0xffffff, step = [0x100, 0x200, 0x400, 0x800].filter(flag => flags & flag).length * 4;
      yield {hasOwn: flags & 0x100, place: at + 12 + (flags & 4 ? 4 : 0), step, count: data.getUint32(at + 4), media: start - 8 + data.getInt32(at + 8)};
    }
  }
}

/** The same fragment in which a sample of a track lasts so many seconds longer. */
function stretched(segment, track, index, seconds) {
  const bytes = segment.slice(), data = view(bytes);
  let left = index;
  for (const {hasOwn, place, step, count} of tables(bytes, track)) {
    if (left >= 0 && left < count) {
      assert.ok(hasOwn, 'each sample says how long it lasts');
      data.setUint32(place + step * left, data.getUint32(place + step * left) + seconds * track.timescale);
    }
    left -= count;
  }
  return bytes;
}

// Pictures that come unevenly have a length each in their fragment.
const uneven = ['-vf', "settb=1/1000,setpts='PTS+10*mod(N,2)'", '-fps_mode', 'passthrough', '-enc_time_base', '1/1000'];

test('a picture lasts as long as its fragment says, and what comes after it keeps its time', () => {
  const [segment, known] = segmentOf(recorded(...fragmented, ...uneven));
  const video = known.find(each => each.isVideo);
  for (const seconds of [9, 30]) {
    const long = stretched(segment, video, 40, seconds), made = new Pieces(known).take(long);
    assert.deepEqual(samples(joined(made)), samples(long), `${seconds} s`);
    const lengths = all => all.map(each => each.split(' ')).filter(each => +each[0] === video.id).map(each => each[3] / video.timescale);
    const most = Math.max(...lengths(made.flatMap(each => samples(each.bytes, true))));
    assert.ok(most > seconds, `${most}`);
  }
});

test('a picture that stands for a gap is told with the pieces of its fragment, by when it is shown', () => {
  // Pictures that are shown in another order than they are decoded in.
  const [segment, known] = segmentOf(recorded(...fragmented, ...uneven)), video = known.find(each => each.isVideo);
  const told = (bytes, offset) => new Pieces(known, offset).take(bytes).filter(each => each.track.isVideo).map(each => each.stills);
  for (const seconds of [0, 9]) assert.ok(told(stretched(segment, video, 40, seconds)).every(each => each.length === 0), `${seconds} s`);
  for (const offset of [0, 500]) {
    const long = told(stretched(segment, video, 40, 7200), offset);
    assert.ok(long.length > 0);
    for (const each of long) {
      const [[from, to]] = each, at = from - offset;
      assert.ok(each.length === 1 && at > 1.9 && at < 2.3, `${at}`);
      assert.ok(Math.abs(to - from - 7200) < 0.7);
    }
  }
});

test('silence beside a picture that stands for a gap is left out, whatever its frames last, and sound is not', () => {
  const [segment, known] = segmentOf(recorded(...fragmented, ...uneven)), audio = known.find(each => !each.isVideo);
  const long = stretched(segment, known.find(each => each.isVideo), 40, 7200);
  const heard = bytes => samples(joined(new Pieces(known).take(bytes))).map(each => each.split(' ')).filter(each => +each[0] === audio.id);
  assert.equal(heard(long).length, heard(segment).length);
  // Frames of one size with the same bytes, and with some that differ.
  for (const last of [7, 8]) {
    const quiet = long.slice(), data = view(quiet);
    for (const {hasOwn, place, step, count, media} of tables(quiet, audio)) {
      for (let index = 0; index < count; index += 1) data.setUint32(place + step * index + (hasOwn ? 4 : 0), 4);
      quiet.fill(7, media, media + 4 * count);
      quiet.fill(last, media + 4 * (count - 2), media + 4 * count);
    }
    const times = heard(quiet).map(each => each[1] / audio.timescale);
    assert.equal(times.some(time => time > 3 && time < 5), last !== 7);
    assert.ok(times.some(time => time > 1 && time < 2));
  }
});

test('codecs, size and turn of a movie are read, and nothing of what is none', () => {
  const file = recorded('-movflags', '+faststart', '-profile:v', 'high', '-level', '3.0');
  assert.deepEqual(parts(file).map(each => each.mime), ['video/mp4; codecs="avc1.64001E"', 'audio/mp4; codecs="mp4a.40.2"']);
  assert.deepEqual(parts(file).map(each => parts(each.bytes).map(({id, codec, timescale}) => [id, codec, timescale])), parts(file).map(({id, codec, timescale}) => [[id, codec, timescale]]));
  assert.deepEqual([tracks(file)[1].rate, tracks(file)[1].channels], [44100, 1]);
  const [video] = tracks(file);
  assert.deepEqual([video.width, video.height, video.rotation], [320, 180, 0]);
  assert.ok(keyFrame(file).data.length > 1000);
  for (const bytes of [new Uint8Array(0), new Uint8Array(40), file.slice(0, 300)]) assert.deepEqual(tracks(bytes), []);
  // Whatever a box claims.
  for (let index = 0; index < 400; index += 1) {
    const broken = file.slice(0, 4000);
    broken[index * 9 % broken.length] ^= 255;
    try { keyFrame(broken); } catch (error) { assert.ok(error instanceof RangeError, `${index}: ${error.stack}`); }
  }
});
