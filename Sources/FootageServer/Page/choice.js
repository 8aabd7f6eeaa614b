// Which recording a moment belongs to, and which segment of its film. Rows are a camera's recordings, by their start.

export const endOf = row => row.start + row.duration;
export const isPlayable = row => row.state === 'ready' || row.state === 'recording' && row.tag !== null && row.duration > 0;

/** The one that a moment belongs to: of those that are being shown then, the one that began last. */
export function rowAt(rows, time) {
  let found = null;
  for (const row of rows) {
    if (row.start > time) break;
    if (isPlayable(row) && endOf(row) > time) found = row;
  }
  return found;
}

/** The one whose picture is there at a moment: behind its end, the last picture is still shown. */
export const shownAt = (rows, time) => rowAt(rows, time) ?? rows.findLast(row => isPlayable(row) && endOf(row) <= time && endOf(row) > time - 1000) ?? null;

/** Until when a moment's recording is shown: to its end, or to where a later one begins. */
export function shownUntil(rows, row) {
  const later = rows.find(other => other.start > row.start && isPlayable(other) && endOf(other) > other.start);
  return later ? Math.min(endOf(row), later.start) : endOf(row);
}

/** Where playing goes on: at the moment itself, or at the next one with footage; null where there is none. */
export function nextMoment(rows, time) {
  if (rowAt(rows, time)) return time;
  const later = rows.find(row => row.start >= time && isPlayable(row));
  return later ? later.start : null;
}

/** The moment with footage that is nearest before. */
export function lastMoment(rows, time) {
  let found = null;
  for (const row of rows) if (row.start <= time && isPlayable(row)) found = Math.max(found ?? 0, Math.min(time, endOf(row) - 1));
  return found;
}

/** A media playlist (RFC 8216 §4): its segments by their begin, in seconds after the first date, and whether it ends. */
export function parsePlaylist(text) {
  const segments = [];
  let map = null, start = 0, seconds = 0, date = NaN, isEnded = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('#EXT-X-MAP:')) map = /URI="([^"]*)"/.exec(line)?.[1] ?? null;
    else if (line.startsWith('#EXTINF:')) seconds = parseFloat(line.slice(8));
    else if (line.startsWith('#EXT-X-PROGRAM-DATE-TIME:')) {
      // After a gap the time goes on elsewhere.
      const next = Date.parse(line.slice(25));
      if (isNaN(date)) date = next - start * 1000;
      else if (next > date + start * 1000) start = (next - date) / 1000;
    }
    else if (line.startsWith('#EXT-X-ENDLIST')) isEnded = true;
    else if (line && !line.startsWith('#')) {
      segments.push({start, seconds, map, url: line});
      start += seconds;
    }
  }
  return {segments, date, isEnded};
}

/** Which segment holds a second; the first or the last one where none does. */
export function segmentAt(segments, seconds) {
  let low = 0, high = segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (segments[middle].start <= seconds) low = middle; else high = middle - 1;
  }
  return low;
}

/** Where the first of these ranges that holds a time, or begins within `slack` behind it, ends; the time itself otherwise. */
export function bufferedUntil(ranges, time, slack = 0.1) {
  let end = time;
  for (const [from, to] of ranges) if (from <= end + slack && to > end) end = to;
  return end;
}

/** What of these ranges, between two times, is in none of the others. */
export function without(ranges, others, from = -Infinity, to = Infinity) {
  const isLeft = ([begin, end]) => end > begin;
  return others.reduce((left, [begin, end]) => left.flatMap(([from, to]) => [[from, Math.min(to, begin)], [Math.max(from, end), to]]).filter(isLeft),
    ranges.map(([begin, end]) => [Math.max(begin, from), Math.min(end, to)]).filter(isLeft));
}
