import assert from 'node:assert/strict';
import test from 'node:test';
import {dayStart, day, hour, minute, second} from '../../Sources/FootageServer/Page/time.js';
import {daysOf, moved, pieces, shortest, stretches, ticks, timeAt, xOf, zoomed} from '../../Sources/FootageServer/Page/layout.js';

const bounds = {from: 0, to: day};
const row = (start, duration, state = 'ready', more = {}) => ({name: String(start), start, duration, state, ...more});

test('places and times are one another’s inverse', () => {
  const view = {from: 3 * hour, to: 5 * hour};
  for (const x of [0, 17, 400, 999]) assert.ok(Math.abs(xOf(timeAt(x, view, 1000), view, 1000) - x) < 1e-6);
});

test('zooming keeps a time where it is, from a day to a minute and no further', () => {
  let view = {...bounds};
  for (let step = 0; step < 40; step += 1) view = zoomed(view, 0.7, 9 * hour, bounds);
  assert.equal(Math.round(view.to - view.from), shortest);
  assert.ok(Math.abs(xOf(9 * hour, view, 1000) - 375) < 1);
  for (let step = 0; step < 40; step += 1) view = zoomed(view, 1.5, view.from, bounds);
  assert.deepEqual(view, bounds);
  assert.deepEqual(moved({from: hour, to: 2 * hour}, -2 * hour, bounds), {from: 0, to: hour});
  assert.deepEqual(moved({from: 22 * hour, to: 23 * hour}, 9 * hour, bounds), {from: 23 * hour, to: day});
});

test('ticks are round times on the wall, apart from one another, over both changes of the clock', () => {
  for (const [key, hours] of [['2026-10-25', 25], ['2026-03-29', 23], ['2026-11-20', 24]]) {
    const zone = 'Europe/Berlin', view = {from: dayStart(key, zone), to: dayStart(key, zone, 1)};
    const found = ticks(view, 1000, zone), text = found.map(tick => new Date(tick.time).toLocaleTimeString('sv', {timeZone: zone, hour: '2-digit', minute: '2-digit'}));
    assert.ok(found.length >= 8 && found.length <= 14, key);
    assert.ok(text.every(each => /^\d[02468]:00$|^03:00$/.test(each)), `${hours} h: ${text}`);
    for (let index = 1; index < found.length; index += 1) assert.ok(found[index].x > found[index - 1].x);
  }
  const close = ticks({from: 0, to: minute}, 1000, 'UTC');
  assert.ok(close.length > 5 && close.every(tick => tick.hasSeconds && tick.time % (5 * second) === 0));
});

test('what follows within a second is drawn as one, kind by kind, and what is short is seen', () => {
  const rows = [row(0, minute), row(minute + 900, minute), row(3 * minute, minute), row(4 * minute, minute, 'recording'), row(6 * minute, 0, 'refused')];
  const found = pieces(rows, {from: 0, to: 10 * minute}, 600);
  assert.deepEqual(found.map(piece => piece.kind), ['ready', 'ready', 'recording', 'refused']);
  assert.deepEqual(found.map(piece => Math.round(piece.x)), [0, 180, 240, 360]);
  assert.equal(found[3].width, 1.5);
  assert.equal(pieces([row(0, minute, 'ready', {note: 'recovered'})], bounds, 600)[0].kind, 'recovered');
  assert.deepEqual(pieces(rows, {from: hour, to: 2 * hour}, 600), []);
});

test('a row of the list is a stretch without a gap; a refused recording stands alone', () => {
  const found = stretches([row(0, minute), row(minute, minute), row(2 * minute, 0, 'refused'), row(2 * minute, minute), row(5 * minute, minute, 'recording')]);
  assert.deepEqual(found.map(each => [each.state, each.from, each.to, each.rows.length]), [
    ['ready', 0, 2 * minute, 2], ['refused', 2 * minute, 2 * minute, 1], ['ready', 2 * minute, 3 * minute, 1], ['recording', 5 * minute, 6 * minute, 1]]);
});

test('days with footage, by the zone', () => {
  const spans = [{from: Date.parse('2026-11-20T22:30:00Z'), to: Date.parse('2026-11-20T23:30:00Z')}, {from: Date.parse('2026-11-22T00:00:00Z'), to: Date.parse('2026-11-23T00:00:00Z')}];
  assert.deepEqual([...daysOf(spans, 'UTC')], ['2026-11-20', '2026-11-22']);
  assert.deepEqual([...daysOf(spans, 'Europe/Berlin')], ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23']);
});
