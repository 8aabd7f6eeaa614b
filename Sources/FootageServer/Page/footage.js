// What there is: the cameras, and of each the recordings of the times that were looked at.
import {minute, day} from './time.js';
import {ask, askJSON, pause, Unreachable} from './robot.js';
import {ofRobot, robotOf, robotsOf, shownRobot} from './robots.js';

// Milliseconds: what is looked at around a moment before its day is known; how far back news may reach; between
// two looks at least, and where the robot does not hold a request; the longest such hold; between two looks at all days; and
// the longest pause while nothing answers.
export const pace = {around: 5 * minute, tail: 2 * minute, news: 2000, plain: 5000, wait: 150000, all: 10 * minute, slowest: 30000};

const target = name => '/cameras/' + encodeURIComponent(name ?? '') + '.json';

function rowOf(camera, [name, tag, start, duration, state, shift, note]) {
  return {camera, name, tag, start, duration, state, shift, note};
}

export class Camera {
  rows = [];
  /** Times of which all is known, as `[from, to]`. */
  known = [];
  #loads = new Map();

  constructor(info) { this.update(info); }

  update(info) { Object.assign(this, {name: info.name, from: info.from, to: info.to, live: info.live, info}); }

  knows(from, to) { return this.known.some(([begin, end]) => begin <= from && end >= to); }

  /** Asks for a time where it is not known; those who ask at once share the answer. */
  async need(from, to) {
    if (!this.knows(from, to)) await this.load(from, to);
  }

  load(from, to) {
    const key = `${from} ${to}`;
    if (!this.#loads.has(key)) this.#loads.set(key, this.#load(from, to).finally(() => this.#loads.delete(key)));
    return this.#loads.get(key);
  }

  async #load(from, to) {
    const rows = new Map();
    let after = '';
    do {
      const answer = await askJSON(`${target(this.name)}?from=${from / 1000}&to=${to / 1000}${after && '&after=' + after}`);
      for (const span of answer.spans) for (const row of span.recordings) rows.set(row[0], rowOf(this, row));
      footage.take(answer);
      after = answer.next;
    } while (after);
    this.#replace(from, to, [...rows.values()]);
    this.#know(from, to);
    footage.tell(this);
  }

  #replace(from, to, rows) {
    const names = new Set(rows.map(row => row.name));
    const isElsewhere = row => !names.has(row.name) && (row.start >= to || row.start + row.duration < from);
    this.rows = [...this.rows.filter(isElsewhere), ...rows].sort((a, b) => a.start - b.start || (a.name < b.name ? -1 : 1));
  }

  #know(from, to) {
    // The present goes on: what is ahead of it is not known.
    const end = Math.min(to, Date.now());
    const touching = this.known.filter(([begin, until]) => begin <= end && until >= from);
    const others = this.known.filter(each => !touching.includes(each));
    this.known = [...others, [Math.min(from, ...touching.map(each => each[0])), Math.max(end, ...touching.map(each => each[1]))]];
  }

  /** What came or went lately: asks again from where it was known to. */
  async refresh(before) {
    const open = this.rows.filter(row => row.state === 'recording').map(row => row.start);
    const from = Math.min(before ?? this.to ?? Date.now(), ...open) - pace.tail;
    await this.load(Math.max(0, Math.floor(from)), Math.ceil(Math.max(this.to ?? 0, Date.now()) + minute));
  }

  async refreshAll() {
    for (const [from, to] of this.known) await this.load(from, to);
  }
}

export const footage = {
  /** In the order of their names; the recordings without a camera, whose name is null, are the last. */
  cameras: [],
  robot: {name: '', zone: undefined},
  /** Where the server has several, whose cameras are shown; without any it is a robot's own page. */
  robots: [],
  shown: null,
  chosen: null,
  /** The last list of all cameras. */
  listed: {cameras: []},
  /** What this viewer may change. */
  may: [],
  isLoaded: false,
  /** When cameras began a recording of which nothing can be played: nobody sums those up. */
  refused: new Map(),
  /** Why the robot's last answer is none; null where it is one. */
  trouble: null,
  watchers: new Set(),

  /** `act(camera)` runs whenever something is known anew; camera is null for the list of cameras and the connection. */
  watch(act) { this.watchers.add(act); },
  tell(camera) { for (const act of this.watchers) act(camera); },
  take({robot, may}) {
    if (robot) this.robot = robot;
    if (may) this.may = may;
  },

  camera(name) { return this.cameras.find(camera => camera.name === name); },

  /** Shows another robot's cameras. Returns whether there is one of that name. */
  choose(robot) {
    if (!this.robots.includes(robot)) return false;
    this.chosen = robot;
    this.merge(this.listed);
    this.tell(null);
    return true;
  },

  /** The same for the robot whose camera has this name. */
  chooseOf(name) { return this.choose(robotOf(name, this.robots)); },

  /** Returns those that changed, with what was known to be their last moment. */
  merge(list) {
    const {cameras: all, ...rest} = this.listed = list;
    this.take(rest);
    this.robots = robotsOf(all);
    this.shown = shownRobot(this.robots, this.chosen);
    const cameras = ofRobot(all, this.shown);
    const changed = [];
    const order = (a, b) => (a.name === null) - (b.name === null) || String(a.name).localeCompare(String(b.name));
    // What a robot did not sign is of no camera.
    const others = this.robots.length ? [] : [...this.refused].filter(([name]) => cameras.every(camera => camera.name !== name));
    this.cameras = [...cameras, ...others.map(([name, to]) => ({name, from: to, to, live: false}))].toSorted(order).map(info => {
      const camera = this.camera(info.name);
      if (!camera) return new Camera(info);
      if (JSON.stringify(camera.info) !== JSON.stringify(info)) changed.push([camera, camera.to]);
      camera.update(info);
      return camera;
    });
    this.isLoaded = true;
    return changed;
  },
};

/** Asks for as long as the page is there: answered when there is news; more and more seldom while nothing answers. */
export const watching = {
  tag: null, hold: null, failures: 0, asked: 0, lastAll: Date.now(), waker: null, isRunning: false,

  async run() {
    if (this.isRunning) return;
    this.isRunning = true;
    for (;;) {
      const began = Date.now();
      let rest = pace.news;
      try {
        if (!document.hidden && !await this.look()) rest = Date.now() - began < pace.news ? pace.plain : 0;
        this.failures = 0;
      } catch (error) {
        if (error !== 'wake') {
          if (!(error instanceof Unreachable || error.status)) throw error;
          this.failures += 1;
          this.tag = null;
          rest = Math.min(pace.slowest, pace.news * 2 ** (this.failures - 1));
          footage.trouble = error;
          footage.tell(null);
        }
      }
      this.waker = new AbortController();
      // An error means that it was woken.
      try { await pause(document.hidden ? 2 ** 31 - 1 : rest, this.waker.signal); } catch {}
    }
  },

  /** Whether there was something new. */
  async look() {
    const isHeld = this.tag && this.failures === 0, control = new AbortController();
    const headers = this.tag ? {'If-None-Match': this.tag} : {};
    if (isHeld) { headers.Prefer = 'wait=' + pace.wait / 1000; this.hold = control; }
    let response;
    this.asked += 1;
    try {
      response = await ask('/cameras', {cache: 'no-store', headers, wait: isHeld ? pace.wait : 0, signal: control.signal});
    } finally {
      this.hold = null;
    }
    if (!footage.isLoaded) await this.lookForRefused();
    const isFirst = !footage.isLoaded, wasLost = footage.trouble !== null;
    footage.trouble = null;
    if (response.status === 304) {
      if (wasLost) footage.tell(null);
      if (Date.now() - this.lastAll > pace.all) await this.all();
      return false;
    }
    let answer;
    try { answer = await response.json(); } catch (error) { throw new Unreachable(error.message); }
    this.tag = response.headers.get('ETag');
    const changed = footage.merge(answer);
    footage.tell(null);
    if (wasLost && !isFirst) await this.all();
    else for (const [camera, before] of changed) if (camera.known.length) await camera.refresh(before);
    if (Date.now() - this.lastAll > pace.all) await this.all();
    return true;
  },

  async lookForRefused() {
    const {recordings} = await askJSON('/recordings?state=refused&limit=100');
    footage.refused = new Map(recordings.reverse().map(item => [item.camera, Date.parse(item.startedAt)]));
  },

  async all() {
    this.lastAll = Date.now();
    await this.lookForRefused();
    for (const camera of footage.cameras) await camera.refreshAll();
  },

  /** Looks at once: somebody came back to the page, or wants to know. */
  wake() {
    this.hold?.abort('wake');
    this.waker?.abort('wake');
  },
};

/** The times at which a camera recorded, without its recordings: of the last year, and of where its first and last ones are. */
export async function spansOf(camera) {
  const year = 400 * day, present = Math.ceil(Date.now() / minute) * minute, ends = [present];
  // A wrong clock records long before, or ahead.
  if (camera.to > present) ends.push(Math.ceil(camera.to / minute) * minute);
  if (camera.from !== null && camera.from < present - year) ends.push(Math.floor(camera.from / minute) * minute + year);
  const spans = [];
  for (const to of ends) {
    let after = '';
    do {
      const answer = await askJSON(`${target(camera.name)}?from=${Math.max(to - year, 0) / 1000}&to=${to / 1000}&rows=0${after && '&after=' + after}`);
      spans.push(...answer.spans);
      after = answer.next;
    } while (after);
  }
  return spans;
}
