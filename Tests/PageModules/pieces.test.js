import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'node:test';
import {boxes, keyFrame, mediaType, tracks} from '../../Sources/FootageServer/Page/boxes.js';
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

/** All samples of fragments: track, time, bytes. */
function samples(bytes) {
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
          found.push([track, time, Buffer.from(bytes.subarray(offset, offset + count)).toString('base64')].join(' '));
          time += ticks;
          offset += count;
        }
      }
    }
  }
  return found.sort();
}

const joined = pieces => { const all = Buffer.concat(pieces); return new Uint8Array(all.buffer, all.byteOffset, all.length); };

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

test('a fragment in pieces has the samples of the whole, at their times', t => {
  const file = recorded('-movflags', '+frag_keyframe+empty_moov+default_base_moof', '-min_frag_duration', '6000000');
  const top = [...boxes(file, 0, file.length)], begin = top.find(box => box[0] === 'moof')[1] - 8;
  const end = top.find(box => box[0] === 'mdat')[2], segment = file.slice(begin, end);
  const seed = Date.now() % 100000;
  t.diagnostic(`seed ${seed}`);
  const pieces = new Pieces(), made = [];
  for (const bytes of torn(segment, seed)) made.push(...pieces.take(bytes));
  made.push(...pieces.rest());
  assert.ok(made.length > 1, 'it is in one piece');
  assert.deepEqual(samples(joined(made)), samples(segment));
  assert.ok(samples(segment).length > 100);
});

test('what is no fragment, or says too little, is given as it is', () => {
  const bytes = new Uint8Array(100000).map((_, index) => index * 7);
  for (const start of [[], [0, 0, 0, 16, 0x6d, 0x6f, 0x6f, 0x66]]) {
    const whole = bytes.slice();
    whole.set(start);
    const pieces = new Pieces(), made = [];
    for (const part of torn(whole, 7)) made.push(...pieces.take(part));
    made.push(...pieces.rest());
    assert.deepEqual(joined(made), whole);
  }
});

test('codecs, size and turn of a movie are read, and nothing of what is none', () => {
  const file = recorded('-movflags', '+faststart', '-profile:v', 'high', '-level', '3.0');
  assert.equal(mediaType(file), 'video/mp4; codecs="avc1.64001E,mp4a.40.2"');
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
