// Wall clock and zones. Times are milliseconds since 1970; a zone is a name of the tz database, undefined for the
// viewer's own.

export const second = 1000;
export const minute = 60000;
export const hour = 3600000;
export const day = 86400000;

const formats = new Map();

function format(zone) {
  if (!formats.has(zone)) {
    formats.set(zone, new Intl.DateTimeFormat('en-US', {timeZone: zone, calendar: 'gregory', numberingSystem: 'latn',
      hourCycle: 'h23', era: 'short', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric',
      second: 'numeric'}));
  }
  return formats.get(zone);
}

/** What a clock on the wall shows, as the time at which a clock in UTC shows the same. */
export function wall(time, zone) {
  const fields = {};
  for (const {type, value} of format(zone).formatToParts(Math.floor(time / second) * second)) fields[type] = value;
  const {year, month, day: date, hour: hours, minute: minutes, second: seconds} = fields;
  return Date.UTC(fields.era === 'BC' ? 1 - year : +year, month - 1, +date, +hours, +minutes, +seconds)
    + (time - Math.floor(time / second) * second);
}

export const offset = (time, zone) => wall(time, zone) - time;

/** When a clock on the wall shows that: of two times the first, and where it skips it, the moment at which it skips. */
export function instant(shown, zone) {
  const early = shown - offset(shown - day, zone), late = shown - offset(shown + day, zone);
  for (const time of early < late ? [early, late] : [late, early]) if (wall(time, zone) === shown) return time;
  // Skipped: between the two lies the moment from which on the wall shows more.
  let low = Math.min(early, late), high = Math.max(early, late);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wall(middle, zone) < shown) low = middle; else high = middle;
  }
  return high;
}

const two = number => String(number).padStart(2, '0');

/** `2026-11-20`, the day on the wall. */
export const dayKey = (time, zone) => new Date(wall(time, zone)).toISOString().slice(0, 10);

/** The first moment of a day, `later` days on. */
export const dayStart = (key, zone, later = 0) => instant(Date.parse(key + 'T00:00:00Z') + later * day, zone);

export const dayAfter = (key, later = 1) => new Date(Date.parse(key + 'T00:00:00Z') + later * day).toISOString().slice(0, 10);

/** RFC 3339, with the zone's offset: `2026-11-20T14:20:05+01:00`. */
export function rfc3339(time, zone) {
  const shown = wall(time, zone), east = Math.round((shown - time) / minute);
  const text = new Date(shown).toISOString().slice(0, shown % second ? 23 : 19);
  const size = Math.abs(east);
  return text + (east ? (east < 0 ? '-' : '+') + two(Math.floor(size / 60)) + ':' + two(size % 60) : 'Z');
}

const clock = /^(\d{1,2})[:.h](\d{2})(?:[:.](\d{2}))?\s*([ap])?\.?m?\.?$/i;

function timeOfDay(text) {
  const match = clock.exec(text);
  if (!match) return null;
  let hours = +match[1];
  if (match[4]) {
    if (hours < 1 || hours > 12) return null;
    hours = hours % 12 + (match[4].toLowerCase() === 'p' ? 12 : 0);
  }
  const minutes = +match[2], seconds = +(match[3] ?? 0);
  return hours < 24 && minutes < 60 && seconds < 60 ? ((hours * 60 + minutes) * 60 + seconds) * second : null;
}

function dayOf(text, today, names) {
  const index = [names.today, names.yesterday].findIndex(list => list.includes(text));
  if (index >= 0) return dayAfter(today, -index);
  const week = names.weekdays.findIndex(list => list.includes(text));
  if (week >= 0) {
    // The last one of that name, today not being one.
    const now = new Date(today + 'T00:00:00Z').getUTCDay();
    return dayAfter(today, -((now - week + 7) % 7 || 7));
  }
  let match = /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/.exec(text), fields = match && match.slice(1);
  if (!match && (match = /^(\d{1,2})\.(\d{1,2})\.(\d{4})?$/.exec(text))) fields = [match[3] ?? today.slice(0, 4), match[2], match[1]];
  if (!fields) return null;
  const key = `${fields[0]}-${two(fields[1])}-${two(fields[2])}`, parsed = new Date(key + 'T00:00:00Z');
  return !isNaN(parsed) && parsed.toISOString().slice(0, 10) === key ? key : null;
}

/** What somebody typed as a moment: `14:20`, `yesterday 14:20`, `gestern um 14:20 Uhr`, `昨天14：20`, `2026-11-20 2:20 pm`,
 * RFC 3339; a day alone is its start.
 *
 * `shown` is the day that a time without one is of; `names` are the words for days, in small letters. Null where it is none.
 */
export function parseMoment(typed, shown, now, zone, names) {
  const text = typed.toLowerCase().replace(/：/g, ':').replace(/\b(um|at)\b|uhr/g, '').replace(/\s+/g, ' ').trim();
  if (/^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:?\d\d)$/.test(text)) {
    const time = Date.parse(text.toUpperCase().replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
    return isNaN(time) ? null : time;
  }
  const today = dayKey(now, zone), alone = timeOfDay(text);
  if (alone !== null) return instant(Date.parse(shown + 'T00:00:00Z') + alone, zone);
  const all = dayOf(text, today, names);
  if (all !== null) return dayStart(all, zone);
  // The day comes first, or last. In Chinese, the time may follow it without a space.
  const words = text.replace(/,/g, ' ').replace(/(\d)t(\d)|([^ -~年月])(\d)/g, '$1$3 $2$4').split(/\s+/).filter(Boolean);
  for (let cut = 1; cut < words.length; cut += 1) {
    const parts = [words.slice(0, cut).join(' '), words.slice(cut).join(' ')];
    for (const [first, last] of [parts, parts.toReversed()]) {
      const key = dayOf(first, today, names), within = timeOfDay(last);
      if (key !== null && within !== null) return instant(Date.parse(key + 'T00:00:00Z') + within, zone);
    }
  }
  return null;
}
