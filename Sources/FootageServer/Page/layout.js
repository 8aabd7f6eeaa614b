// Where on the timeline a time stands, and what is drawn there. A view is the time from its left edge to its right one.
import {day, dayKey, hour, instant, minute, second, wall} from './time.js';

/** Between 24 hours and a minute are seen at once; of a day with 25 hours, all. */
export const shortest = minute;
export const longest = 25 * hour;

export const xOf = (time, view, width) => (time - view.from) / (view.to - view.from) * width;
export const timeAt = (x, view, width) => view.from + x / width * (view.to - view.from);

/** A view of that length in which `at` stays where it was, within the bounds as far as it fits. */
export function zoomed(view, factor, at, bounds) {
  const length = view.to - view.from, wanted = Math.min(Math.max(length * factor, shortest), bounds.to - bounds.from);
  const from = at - (at - view.from) / length * wanted;
  return within({from, to: from + wanted}, bounds);
}

export const moved = (view, by, bounds) => within({from: view.from + by, to: view.to + by}, bounds);

export function within(view, bounds) {
  const length = Math.min(view.to - view.from, bounds.to - bounds.from);
  const from = Math.min(Math.max(view.from, bounds.from), bounds.to - length);
  return {from, to: from + length};
}

const steps = [second, 5 * second, 10 * second, 30 * second, minute, 5 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 3 * hour,
  6 * hour, 12 * hour];

/** Round times on the wall, at least `room` pixels apart: where they stand, and whether a day begins there. */
export function ticks(view, width, zone, room = 72) {
  const step = steps.find(length => length / (view.to - view.from) * width >= room) ?? day;
  const found = [];
  const start = wall(view.from, zone);
  for (let shown = Math.ceil(start / step) * step; found.length < 200; shown += step) {
    const time = instant(shown, zone);
    if (time > view.to) break;
    // Where a clock goes back, or skips an hour, a time would stand twice.
    if (time < view.from || found.at(-1)?.time >= time) continue;
    found.push({time, x: xOf(time, view, width), isDay: shown % day === 0, hasSeconds: step < minute});
  }
  return found;
}

/** Recordings as they are drawn: those of one kind that follow one another within a second are one piece.
 *
 * `rows` are a camera's, by their start. A piece is at least `least` pixels wide, so that what is short is seen as well.
 */
export function pieces(rows, view, width, least = 1.5) {
  const drawn = [];
  for (const row of rows) {
    const end = row.start + row.duration;
    if (end < view.from || row.start > view.to) continue;
    const kind = row.state === 'ready' && row.note ? 'recovered' : row.state;
    const last = drawn.at(-1);
    if (last && last.kind === kind && row.start <= last.to + second) { last.to = Math.max(last.to, end); continue; }
    drawn.push({kind, from: row.start, to: end});
  }
  return drawn.map(piece => {
    const x = Math.max(0, xOf(piece.from, view, width));
    return {...piece, x, width: Math.max(least, Math.min(width, xOf(piece.to, view, width)) - x)};
  });
}

/** What a day was recorded, as rows of a list: contiguous recordings of a camera are one, refused ones stand alone. */
export function stretches(rows) {
  const found = [];
  for (const row of rows) {
    const end = row.start + row.duration, last = found.at(-1);
    const isOne = last && row.state !== 'refused' && last.state !== 'refused' && row.start <= last.to + second;
    if (!isOne) {
      found.push({state: row.state, from: row.start, to: end, rows: [row]});
      continue;
    }
    last.to = Math.max(last.to, end);
    last.rows.push(row);
    if (row.state === 'recording') last.state = 'recording';
  }
  return found;
}

/** The days on which something was recorded, as keys. */
export function daysOf(spans, zone) {
  const days = new Set();
  for (const {from, to} of spans) {
    for (let time = from; ; time += day) {
      days.add(dayKey(Math.min(time, Math.max(from, to - 1)), zone));
      if (time >= to) break;
    }
  }
  return days;
}
