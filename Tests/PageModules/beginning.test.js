import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'node:test';
import {isBeginning, still} from '../../Sources/FootageServer/Page/beginning.js';
import {boxes, parts, path, view} from '../../Sources/FootageServer/Page/boxes.js';
import {Pieces} from '../../Sources/FootageServer/Page/pieces.js';

function inFolder(act) {
  const folder = mkdtempSync(join(tmpdir(), 'footage-beginning-'));
  try { return act(join(folder, 'x.mp4')); } finally { rmSync(folder, {recursive: true}); }
}

/** The pieces of a recording of pictures alone, one a fragment, and the init segment of their track. */
function pieces(codec, options, flags = '+frag_keyframe') {
  const file = inFolder(path => {
    execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=64x64:rate=5', '-t', '6', '-pix_fmt', 'yuv420p', '-c:v', codec, ...options,
      '-movflags', `+empty_moov+default_base_moof${flags}`, path], {stdio: ['ignore', 'inherit', 'inherit']});
    return new Uint8Array(readFileSync(path));
  });
  const top = [...boxes(file, 0, file.length)], known = parts(file.slice(0, top.find(box => box[0] === 'moof')[1] - 8));
  const made = top.filter(box => box[0] === 'moof').map(([, start, end], index) =>
    new Pieces(known).take(file.slice(start - 8, top.filter(box => box[0] === 'mdat')[index][2]))).flat();
  return {known, made};
}

const beginnings = (codec, options, flags) => pieces(codec, options, flags).made.map(({track, bytes}) => isBeginning(track, bytes));

test('pictures begin with one that refers to none before it, whatever is marked', () => {
  const groups = ['-g', '10', '-bf', '0', '-sc_threshold', '0'], pairs = ['-frag_duration', '400000'], fifth = Array.from({length: 15}, (_, index) => index % 5 === 0);
  assert.deepEqual(beginnings('libx264', groups), [true, true, true]);
  assert.deepEqual(beginnings('libx264', [...groups, ...pairs]), fifth);
  // Each group that is open is marked as well.
  assert.deepEqual(beginnings('libx264', ['-g', '10', '-bf', '2', '-sc_threshold', '0', '-x264-params', 'open-gop=1']), [true, false, false]);
  // Of other codecs the mark counts.
  const hevc = ['-tag:v', 'hvc1', '-x265-params', 'log-level=error:keyint=10:min-keyint=10:scenecut=0:bframes=0'];
  assert.deepEqual(beginnings('libx265', [...hevc, ...pairs]), fifth);
});

test('the first picture stands on its own for a time that comes before it', () => {
  const {known: [track], made: [first]} = pieces('libx264', ['-g', '10', '-bf', '2']);
  const alone = still(track, first.bytes, 3, 5.5);
  assert.ok(isBeginning(track, alone));
  const size = inFolder(path => {
    writeFileSync(path, Buffer.concat([track.bytes, alone]));
    return execFileSync('ffmpeg', ['-v', 'error', '-xerror', '-i', path, '-f', 'rawvideo', '-']).length;
  });
  assert.equal(size, 64 * 64 * 1.5);
  const data = view(alone), fragment = path(alone, [0, alone.length], 'moof', 'traf'), [time] = path(alone, fragment, 'tfdt'), [run] = path(alone, fragment, 'trun');
  assert.deepEqual([Number(data.getBigUint64(time + 4)), data.getUint32(run + 4), data.getUint32(run + 16)], [3, 1, 2.5].map((each, index) => index === 1 ? each : each * track.timescale));
});
