import assert from 'node:assert/strict';
import test from 'node:test';
import {bufferedUntil, lastMoment, nextMoment, parsePlaylist, rowAt, segmentAt, shownUntil, without} from '../../Sources/FootageServer/Page/choice.js';

const row = (start, duration, state = 'ready', tag = 'x') => ({name: String(start), start, duration, state, tag});

test('a moment belongs to the recording that began last, and an older one goes on where that ends', () => {
  const long = row(0, 100), short = row(20, 10), rows = [long, short];
  assert.equal(rowAt(rows, 10), long);
  assert.equal(rowAt(rows, 20), short);
  assert.equal(rowAt(rows, 30), long);
  assert.equal(rowAt(rows, 100), null);
  assert.equal(shownUntil(rows, long), 20);
  assert.equal(shownUntil(rows, short), 30);
});

test('what cannot be played is no footage', () => {
  const rows = [row(0, 10, 'refused', null), row(20, 10, 'recording', null), row(40, 10, 'recording', 'id'), row(60, 10)];
  assert.equal(rowAt(rows, 5), null);
  assert.equal(nextMoment(rows, 5), 40);
  assert.equal(nextMoment(rows, 45), 45);
  assert.equal(nextMoment(rows, 55), 60);
  assert.equal(nextMoment(rows, 70), null);
  assert.equal(lastMoment(rows, 55), 49);
  assert.equal(lastMoment(rows, 500), 69);
  assert.equal(lastMoment(rows, 5), null);
});

const playlist = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-MAP:URI="../hls/aa/init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-11-20T14:20:00.000Z
#EXTINF:6.00000,
../hls/aa/0.m4s
#EXTINF:2.5,
../hls/aa/1.m4s
#EXT-X-MAP:URI="../hls/aa/init1.mp4"
#EXTINF:4,
../hls/aa/2.m4s
#EXT-X-ENDLIST
`;

test('a playlist is its segments, where they begin, and by which init segment', () => {
  const film = parsePlaylist(playlist);
  assert.deepEqual(film.segments.map(({start, seconds, map}) => [start, seconds, map.slice(-9)]), [[0, 6, '/init.mp4'], [6, 2.5, '/init.mp4'], [8.5, 4, 'init1.mp4']]);
  assert.deepEqual([film.isEnded, film.date], [true, Date.parse('2026-11-20T14:20:00Z')]);
  for (const [seconds, index] of [[-1, 0], [0, 0], [5.99, 0], [6, 1], [8.6, 2], [100, 2]]) assert.equal(segmentAt(film.segments, seconds), index);
});

test('after a gap a playlist goes on at its next date, and never before what it has', () => {
  const after = date => parsePlaylist(playlist.replace('#EXT-X-MAP:URI="../hls/aa/init1.mp4"', `#EXT-X-DISCONTINUITY\n$&\n#EXT-X-PROGRAM-DATE-TIME:${date}`));
  assert.deepEqual(after('2026-11-20T14:20:38.5Z').segments.map(each => each.start), [0, 6, 38.5]);
  assert.deepEqual(after('2026-11-20T14:20:08Z').segments.map(each => each.start), [0, 6, 8.5]);
  assert.equal(after('2026-11-20T14:20:38.5Z').date, Date.parse('2026-11-20T14:20:00Z'));
});

test('what of some ranges is not in others', () => {
  const left = (ranges, others) => without(ranges, others, 2, 30);
  assert.deepEqual(left([[0, 10], [20, 40]], []), [[2, 10], [20, 30]]);
  assert.deepEqual(left([[0, 10], [20, 40]], [[0, 8.5], [9, 9.5], [15, 25]]), [[8.5, 9], [9.5, 10], [25, 30]]);
  assert.deepEqual(left([[0, 40]], [[0, 50]]), []);
  assert.deepEqual(left([[0, 1], [31, 40]], []), []);
});

test('what is there in one piece from a time on', () => {
  const ranges = [[0, 10], [10.05, 20], [30, 40]];
  assert.equal(bufferedUntil(ranges, 5), 20);
  assert.equal(bufferedUntil(ranges, 5, 0), 10);
  assert.equal(bufferedUntil(ranges, 25), 25);
  assert.equal(bufferedUntil(ranges, 29.95), 40);
});
