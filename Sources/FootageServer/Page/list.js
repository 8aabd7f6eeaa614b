// What a day was recorded, in words: a row for each stretch without a gap, and a line for what cannot be played.
import {aria, find, make, on, write} from './dom.js';
import {details, encodeName} from './robot.js';
import {footage} from './footage.js';
import {stretches} from './layout.js';
import {endOf, isPlayable} from './choice.js';
import {cameraName, counted, date, joined, length, printable, say, shortClock, size} from './words.js';
import {player} from './player.js';

export const list = {
  bounds: null, zone: undefined, lasting: 0, rows: new Map(),
  go() {},

  setDay(bounds, zone) { Object.assign(this, {bounds, zone}); this.show(); },

  /** Only what changed is written anew: a row that has the focus keeps it. */
  show() {
    if (!this.bounds) return;
    const box = find('days'), {from, to} = this.bounds;
    const all = footage.cameras.map(camera => ({camera,
      rows: stretches(camera.rows.filter(row => endOf(row) >= from && row.start < to)).reverse()}));
    const sections = all.map(({camera, rows}) => ({camera, rows: rows.filter(each => this.isLongEnough(each))})).filter(each => each.rows.length);
    const keys = new Set();
    const nodes = sections.map(({camera, rows}) => {
      const heading = this.node(`h ${camera.name}`, keys, () => make('h3', '', make('bdi', '')));
      write(heading.firstChild, cameraName(camera.name));
      const items = rows.map(row => this.row(camera, row, keys));
      const group = this.node(`g ${camera.name}`, keys, () => make('ol', ''));
      this.arrange(group, items);
      return [heading, group];
    });
    this.arrange(box, nodes.flat());
    for (const key of this.rows.keys()) if (!keys.has(key)) this.rows.delete(key);
    const isKnown = footage.isLoaded && footage.cameras.every(camera => camera.knows(from, Math.min(to, Date.now() - 10000)));
    const isEmpty = isKnown && all.every(each => !each.rows.length), isNever = isEmpty && !footage.cameras.some(camera => camera.to !== null);
    find('empty').hidden = !isEmpty;
    document.body.classList.toggle('never', isNever);
    write(find('hint'), say('hint'));
    if (isEmpty) {
      const [title, text] = find('empty').children;
      write(title, say(isNever ? 'nothingAtAll' : 'nothing'));
      write(text, isNever ? say('howToRecord') : date(from, this.zone));
      write(find('hint'), `${title.textContent}\n${text.textContent}`);
    }
    const count = sections.reduce((sum, {rows}) => sum + rows.reduce((all, each) => all + each.rows.length, 0), 0);
    write(find('count'), isKnown ? counted(count) : say('loading'));
    this.mark();
  },

  /** What cannot be played has no length. */
  isLongEnough({state, from, to}) { return !this.lasting || state !== 'refused' && to - from >= this.lasting; },

  node(key, keys, make) {
    keys.add(key);
    if (!this.rows.has(key)) this.rows.set(key, make());
    return this.rows.get(key);
  },

  arrange(box, nodes) {
    nodes.forEach((node, index) => { if (box.children[index] !== node) box.insertBefore(node, box.children[index] ?? null); });
    while (box.children.length > nodes.length) box.lastChild.remove();
  },

  row(camera, stretch, keys) {
    const {state, from, to, rows} = stretch, key = `r ${rows[0].name}`;
    const item = this.node(key, keys, () => make('li', '', make('a', 'row')));
    const link = item.firstChild, isRefused = state === 'refused', text = JSON.stringify([state, from, to, rows.length, rows[0].tag, rows.at(-1).note]);
    item.stretch = {camera, from, to, rows};
    if (item.text === text) return item;
    item.text = text;
    item.dataset.state = state;
    const isOpen = rows.some(isPlayable);
    if (isOpen) link.href = '#' + encodeName(rows.find(isPlayable).name); else link.removeAttribute('href');
    const hours = isRefused ? shortClock(from, this.zone) : `${shortClock(from, this.zone)} – ${shortClock(to, this.zone)}`;
    const note = isRefused ? say(rows[0].note ? 'cutOff' : 'cannotPlay') : joined([state === 'recording' && say(isOpen ? 'recordedNow' : 'isRecording'),
      rows.some(row => row.note) && say('isRecovered'), rows.length > 1 && counted(rows.length)]);
    link.replaceChildren(make('span', 'glyph'), make('span', 'body',
      make('span', 'line', make('span', 'time', hours), make('span', 'length', isRefused ? '' : length(to - from))),
      note && make('span', 'quiet note-line', note)));
    item.querySelector('.why')?.remove();
    if (isRefused) item.append(this.why(rows[0]));
    return item;
  },

  /** One plain line, and the robot's own words for who asks. */
  why(row) {
    const box = make('details', 'why', make('summary', '', say('why')), make('p', 'quiet'));
    box.addEventListener('toggle', async () => {
      if (!box.open || box.isAsked) return;
      box.isAsked = true;
      try {
        const item = await details(row.name);
        write(box.lastChild, item ? joined([printable(item.reason), size(item.size), printable(row.name)]) : say('gone'));
      } catch (error) {
        box.isAsked = false;
        write(box.lastChild, error.message);
      }
    });
    return box;
  },

  /** Which row holds what is shown. */
  mark() {
    const {now, camera} = player;
    for (const item of find('days').querySelectorAll('li')) {
      const {from, to, camera: own} = item.stretch, isShown = own === camera && now !== null && now >= from && now < to;
      aria(item.firstChild, 'current', isShown || null);
    }
  },

  start() {
    on('lasting', 'change', event => { this.lasting = event.target.value * 1000; this.show(); });
    on('days', 'click', event => {
      const item = event.target.closest('.row')?.parentNode;
      if (!item || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      const {camera, rows} = item.stretch, first = rows.find(isPlayable);
      if (first) this.go(camera, first.start);
    });
  },
};
