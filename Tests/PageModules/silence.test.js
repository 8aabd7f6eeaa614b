import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'node:test';
import {parts} from '../../Sources/FootageServer/Page/boxes.js';
import {isQuietable, plain, silence} from '../../Sources/FootageServer/Page/silence.js';

/** Whatever an independent reader finds in these bytes. */
function read(bytes) {
  const folder = mkdtempSync(join(tmpdir(), 'footage-silence-'));
  try {
    const path = join(folder, 'x.mp4');
    writeFileSync(path, bytes);
    const packets = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'packet=pts_time,duration_time', '-of', 'csv=p=0', path], {encoding: 'utf8'});
    const sound = execFileSync('ffmpeg', ['-v', 'error', '-xerror', '-i', path, '-f', 's16le', '-']);
    return {packets: packets.trim().split('\n').map(line => line.split(',').map(Number)), samples: new Int16Array(sound.buffer, sound.byteOffset, sound.length / 2)};
  } finally {
    rmSync(folder, {recursive: true});
  }
}

test('silence is sound that a decoder takes and nobody hears, from its beginning to its end', () => {
  const {packets, samples} = read(Buffer.concat([plain.bytes, silence(plain, 3, 5.5)]));
  const [last, length] = packets.at(-1);
  assert.equal(packets.length, Math.floor(2.5 * 48000 / 1024));
  assert.ok(Math.abs(packets[0][0] - 3) < 0.001 && Math.abs(last + length - 5.5) < 0.01, `${packets[0]} ${last + length}`);
  assert.ok(samples.length >= 100000 && samples.every(each => each === 0));
  assert.equal(silence(plain, 3, 3.02), null);
});

test('a track of AAC has silence of its own, and other sound has plain silence', () => {
  const [own] = parts(plain.bytes);
  assert.deepEqual([own.mime, own.rate, own.channels, own.timescale, own.isVideo], [plain.mime, 48000, 1, 48000, false]);
  assert.ok(isQuietable(own) && isQuietable({...own, channels: 2}));
  for (const other of [undefined, {...own, channels: 6}, {...own, rate: 0}, {...own, mime: 'audio/mp4; codecs="opus"'}]) assert.ok(!isQuietable(other));
  // Two channels have a frame of their own, and the track's clock counts.
  const {packets} = read(Buffer.concat([own.bytes, silence({...own, timescale: 48000, rate: 24000}, 0, 2)]));
  assert.equal(packets.length, Math.floor(2 * 24000 / 1024 + 0.01));
});
