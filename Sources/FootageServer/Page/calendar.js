// A month as a calendar, in which the days with footage are buttons.
import {aria, find, make, write} from './dom.js';
import {dayAfter} from './time.js';
import {date, locale} from './words.js';

/** `choose(day)` hears which day somebody wants, and `known()` returns those with footage. */
export const calendar = {
  month: null, day: null, choose: null, known: null,

  async open() {
    this.month = this.day.slice(0, 7);
    find('calendar').hidden = false;
    aria(find('day-open'), 'expanded', true);
    this.show(new Set());
    this.show(await this.known());
    find('calendar').querySelector('[aria-current], button:not(:disabled)')?.focus();
  },

  close() {
    if (find('calendar').hidden) return;
    find('calendar').hidden = true;
    aria(find('day-open'), 'expanded', false);
    find('day-open').focus();
  },

  show(days) {
    this.days = days;
    const first = Date.parse(this.month + '-01T00:00:00Z'), week = new Intl.Locale(locale);
    const firstDay = (week.weekInfo ?? week.getWeekInfo?.() ?? {firstDay: 1}).firstDay % 7, blank = (new Date(first).getUTCDay() - firstDay + 7) % 7;
    write(find('month'), new Intl.DateTimeFormat(locale, {timeZone: 'UTC', month: 'long', year: 'numeric'}).format(first));
    const cells = [];
    for (let index = 0; index < 7; index += 1) {
      cells.push(make('span', 'quiet', new Intl.DateTimeFormat(locale, {timeZone: 'UTC', weekday: 'narrow'}).format(Date.UTC(2023, 0, 1 + firstDay + index))));
    }
    for (let index = 0; index < blank; index += 1) cells.push(make('span'));
    for (let key = this.month + '-01'; key.startsWith(this.month); key = dayAfter(key)) {
      const button = make('button', 'date', String(+key.slice(8)));
      button.disabled = !days.has(key);
      if (key === this.day) aria(button, 'current', 'date');
      aria(button, 'label', date(Date.parse(key + 'T12:00:00Z'), 'UTC'));
      button.addEventListener('click', () => { this.close(); this.choose(key); });
      cells.push(button);
    }
    find('dates').replaceChildren(...cells);
  },

  move(months) {
    const [year, month] = this.month.split('-').map(Number);
    this.month = new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 7);
    this.show(this.days);
  },
};
