import assert from 'node:assert/strict';
import test from 'node:test';
import {dayAfter, dayKey, dayStart, instant, parseMoment, rfc3339, wall} from '../../Sources/FootageServer/Page/time.js';

const berlin = 'Europe/Berlin', utc = text => Date.parse(text);
const shown = text => Date.parse(text + 'Z');

test('a clock on the wall of a zone, and back', () => {
  for (const [zone, time, clock] of [
    ['UTC', '2026-11-20T13:20:00Z', '2026-11-20T13:20:00'], [berlin, '2026-11-20T13:20:00Z', '2026-11-20T14:20:00'],
    [berlin, '2026-07-20T13:20:00Z', '2026-07-20T15:20:00'], ['Asia/Kathmandu', '2026-11-20T13:20:00.250Z', '2026-11-20T19:05:00.250'],
    ['America/St_Johns', '2026-11-20T13:20:00Z', '2026-11-20T09:50:00'], ['UTC', '1969-12-31T23:59:59.500Z', '1969-12-31T23:59:59.500'],
  ]) {
    assert.equal(wall(utc(time), zone), shown(clock), zone);
    assert.equal(instant(shown(clock), zone), utc(time), zone);
  }
});

test('of an hour that comes twice the first counts, and one that is skipped is the moment at which it is', () => {
  assert.equal(instant(shown('2026-10-25T02:30:00'), berlin), utc('2026-10-25T00:30:00Z'));
  assert.equal(instant(shown('2026-03-29T02:30:00'), berlin), utc('2026-03-29T01:00:00Z'));
});

test('days are as long as they are', () => {
  const length = (key, zone) => (dayStart(key, zone, 1) - dayStart(key, zone)) / 3600000;
  assert.equal(length('2026-10-25', berlin), 25);
  assert.equal(length('2026-03-29', berlin), 23);
  assert.equal(length('2026-11-20', berlin), 24);
  assert.equal(dayKey(utc('2026-11-20T23:30:00Z'), berlin), '2026-11-21');
  assert.equal(dayAfter('2026-12-31'), '2027-01-01');
  // A zone whose clocks go forward at midnight has days without one.
  assert.equal(dayStart('2026-04-24', 'Africa/Cairo'), utc('2026-04-23T22:00:00Z'));
});

test('a time is written with its offset, and read again', () => {
  for (const [time, zone, text] of [
    ['2026-11-20T13:20:05Z', berlin, '2026-11-20T14:20:05+01:00'], ['2026-11-20T13:20:05.250Z', 'UTC', '2026-11-20T13:20:05.250Z'],
    ['2026-11-20T13:20:00Z', 'America/St_Johns', '2026-11-20T09:50:00-03:30'],
  ]) {
    assert.equal(rfc3339(utc(time), zone), text);
    assert.equal(parseMoment(text, '2000-01-01', 0, zone, names), utc(time));
  }
});

const names = {
  today: ['heute', 'today'], yesterday: ['gestern', 'yesterday', '昨天'],
  weekdays: ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'].map(name => [name, name.slice(0, 3)]),
};

test('what people type', () => {
  // A Friday, and another day is looked at.
  const now = utc('2026-11-20T09:00:00Z');
  for (const [text, expected] of [
    ['14:20', '2026-11-18T14:20:00'], ['14:20:05', '2026-11-18T14:20:05'], ['2:20 pm', '2026-11-18T14:20:00'], ['12:05 am', '2026-11-18T00:05:00'],
    ['14.20', '2026-11-18T14:20:00'], ['14h20', '2026-11-18T14:20:00'], [' Yesterday  14:20 ', '2026-11-19T14:20:00'], ['gestern, 14:20', '2026-11-19T14:20:00'],
    ['14:20 yesterday', '2026-11-19T14:20:00'], ['昨天 14:20', '2026-11-19T14:20:00'], ['today', '2026-11-20T00:00:00'], ['monday 8:05', '2026-11-16T08:05:00'],
    ['fri 8:05', '2026-11-13T08:05:00'], ['2026-11-01 14:20', '2026-11-01T14:20:00'], ['2026-11-01T14:20', '2026-11-01T14:20:00'], ['2026-11-01T14.20', '2026-11-01T14:20:00'], ['1.11.2026 um 14:20:05 Uhr', '2026-11-01T14:20:05'], ['1.11.2026 14:20', '2026-11-01T14:20:00'],
    ['1.11.2026T14:20', '2026-11-01T14:20:00'], ['2026.11.01T14.20', '2026-11-01T14:20:00'], ['2026年11月1日14:20', '2026-11-01T14:20:00'],
    ['1.11. 14:20', '2026-11-01T14:20:00'], ['2026/11/01 2:20pm', '2026-11-01T14:20:00'], ['2026年11月1日 14:20', '2026-11-01T14:20:00'],
    ['昨天14:20', '2026-11-19T14:20:00'], ['昨天 14：20', '2026-11-19T14:20:00'], ['昨天14：20：05', '2026-11-19T14:20:05'], ['14：20', '2026-11-18T14:20:00'],
    ['2026年11月1日14:20', '2026-11-01T14:20:00'], ['gestern um 14:20', '2026-11-19T14:20:00'], ['um 14:20 Uhr', '2026-11-18T14:20:00'],
    ['14:20 Uhr', '2026-11-18T14:20:00'], ['14.20Uhr', '2026-11-18T14:20:00'], ['Gestern um 14:20:05 Uhr', '2026-11-19T14:20:05'], ['yesterday at 2:20 pm', '2026-11-19T14:20:00'],
  ]) assert.equal(parseMoment(text, '2026-11-18', now, berlin, names), instant(shown(expected), berlin), text);
  for (const text of ['', 'soon', '25:00', '14:60', '13:00 pm', '0:30 am', '2026-02-30 14:20', '14', 'yesterday soon', '32.1.2026', '14:20 14:20', 'Uhr', 'um', '昨天25：00', '2026-11-01T14:20:99Z']) {
    assert.equal(parseMoment(text, '2026-11-18', now, berlin, names), null, text);
  }
});
