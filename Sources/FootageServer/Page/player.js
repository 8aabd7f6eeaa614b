// What is shown: a moment of a camera, and beside it up to three other cameras on the same clock.
import {find, make, write} from './dom.js';
import {details, encodeName, Refused, Unreachable} from './robot.js';
import {endOf, isPlayable, lastMoment, nextMoment, rowAt, shownAt} from './choice.js';
import {draw, canDecode, pictures} from './pictures.js';
import {Film} from './film.js';
import {Undecodable} from './buffers.js';
import {footage, pace} from './footage.js';
import {cameraName, codecName, isForBrowsers, lateness, say} from './words.js';
import {second} from './time.js';

// Beyond this many times its speed a film is shown by its key frames. Milliseconds: between two of those; how far apart
// cameras on one clock may be before one hurries, and before it leaps; how long a note stays; when what was lost is asked for again.
const fastest = 4, step = 250, apart = 20, farApart = 1000, noteTime = 5000, again = 3000;
const most = 4;

/** One camera's picture. */
class View {
  constructor(camera, said) {
    this.camera = camera;
    this.video = make('video');
    this.still = make('canvas', 'still');
    this.label = make('bdi', 'label', cameraName(camera.name));
    this.remarks = make('div', 'remarks');
    this.remarks.role = 'status';
    this.node = make('div', 'view', this.video, this.still, this.label, this.remarks);
    Object.assign(this.video, {muted: true, playsInline: true});
    this.film = new Film(this.video, camera, (what, details) => said(this, what, details));
    this.video.addEventListener('timeupdate', () => this.clear());
    this.video.addEventListener('seeked', () => this.clear());
  }

  /** The picture of the moment, until the film's own is there. */
  async showStill(time) {
    const row = rowAt(this.camera.rows, time), wanted = this.wanted = {};
    if (!row) return;
    const picture = await pictures.get(row, time, this);
    if (picture && wanted === this.wanted) this.paint(picture);
  }

  paint(picture) {
    const {bitmap, rotation} = picture, isTurned = rotation % 180 !== 0;
    this.still.width = isTurned ? bitmap.height : bitmap.width;
    this.still.height = isTurned ? bitmap.width : bitmap.height;
    draw(this.still.getContext('2d'), picture, 0, 0, this.still.width, this.still.height);
    this.still.hidden = false;
  }

  /** A note about this camera, one of each kind, with a link to download a file; none without a text. */
  remark(kind, text = '', href = '') {
    let line = [...this.remarks.children].find(each => each.dataset.kind === kind);
    if (!text) return line?.remove();
    if (line?.firstChild.textContent === text) return;
    if (!line) this.remarks.append(line = make('p', ''));
    line.dataset.kind = kind;
    const link = href && Object.assign(make('a', '', say('download')), {href, download: ''});
    line.replaceChildren(make('span', '', text), ...link ? [' ', link] : []);
  }

  clear() {
    if (!this.film.isThere || this.isByKeyFrames) return;
    this.wanted = null;
    this.still.hidden = true;
  }

  close() {
    this.wanted = null;
    this.film.close();
    this.node.remove();
  }
}

export const player = {
  views: [], rate: 1, isPlaying: false, isLive: false, time: null, turn: 0, watchers: new Set(), note: null,
  /** The cameras that were shown, the last one first. */
  watched: [],
  /** What playing waits for: the connection. */
  lost: null,

  /** `act(what)` runs on `time`, `state` and `note`. */
  watch(act) { this.watchers.add(act); },
  tell(what) { for (const act of this.watchers) act(what); },

  get camera() { return this.views[0]?.camera ?? null; },
  get now() { return this.shuttle?.time ?? this.views[0]?.film.time ?? this.time; },
  /** The recording that is shown. */
  get row() { return this.camera && this.now !== null ? shownAt(this.camera.rows, this.now) : null; },

  say(text, {detail = '', action = '', act = null, isLasting = false} = {}) {
    clearTimeout(this.noteTimer);
    this.note = text ? {text, detail, action, act} : null;
    if (text && !isLasting) this.noteTimer = setTimeout(() => this.say(''), noteTime);
    this.tell('note');
  },

  /** Shows a moment of a camera, or the nearest one with footage behind it, which is said. */
  async go(camera, time, {play = this.isPlaying, isLive = false} = {}) {
    const turn = ++this.turn;
    this.say('');
    this.stopShuttle();
    this.lost = null;
    this.time = time;
    this.isPlaying = play;
    this.watched = [camera, ...this.watched.filter(other => other !== camera)];
    this.show([camera, ...this.views.slice(1).map(view => view.camera).filter(other => other !== camera)]);
    this.views[0].remark('live');
    this.tell('state');
    try {
      for (const each of this.views.map(view => view.camera)) await each.need(time - pace.around, time + pace.around);
      if (turn !== this.turn) return;
      let there = nextMoment(camera.rows, time);
      // What comes later, or came before, may be far away.
      if (there === null || there > time) there = await this.nearest(camera, time, turn);
      if (turn !== this.turn || there === null) return;
      this.time = there;
      this.open(there, isLive);
    } catch (error) {
      if (turn === this.turn) this.explain(this.views[0], error);
    }
  },

  /** The camera to show a moment of: one that has it, the one watched last before the others; else the one that is shown, or the
   * first that goes on after it. */
  async cameraFor(time) {
    const {cameras} = footage, next = camera => nextMoment(camera.rows, time) ?? Infinity;
    // What keeps one from being asked is said when the moment is opened.
    await Promise.allSettled(cameras.map(each => each.need(time - pace.around, time + pace.around)));
    return [...this.watched, ...cameras].find(camera => cameras.includes(camera) && rowAt(camera.rows, time))
      ?? this.camera ?? cameras.toSorted((a, b) => next(a) - next(b))[0];
  },

  async nearest(camera, time, turn) {
    const {from, to} = camera, name = cameraName(camera.name);
    if (to !== null && !camera.knows(time, Math.min(to, time + 86400000))) await camera.need(time, time + 86400000);
    let next = nextMoment(camera.rows, time);
    if (next === null && from !== null && from > time) { await camera.need(from, from + pace.around); next = nextMoment(camera.rows, time); }
    if (next === null) {
      await camera.need(time - 86400000, time);
      let last = lastMoment(camera.rows, time);
      if (last === null && to !== null && to < time) { await camera.need(to - pace.around, to + 1); last = lastMoment(camera.rows, time); }
      if (turn !== this.turn) return null;
      const text = last === null ? say('noneAt', {camera: name, time: this.writtenTime(time)})
        : say('nearestBefore', {camera: name, time: this.writtenTime(time), next: this.writtenTime(last)});
      this.say(text, {isLasting: true, action: last !== null && say('toNearest', {time: this.writtenTime(last)}),
        act: () => this.go(camera, Math.max(last - 10 * second, rowAt(camera.rows, last)?.start ?? 0), {play: true})});
      return null;
    }
    if (turn === this.turn && next - time > second) {
      this.say(say('nearest', {camera: name, time: this.writtenTime(time), next: this.writtenTime(next)}));
    }
    return next;
  },

  /** How moments are written in notes; the page knows the zone. */
  writtenTime: String,

  show(cameras) {
    const wanted = cameras.slice(0, most);
    const views = wanted.map(camera => this.views.find(view => view.camera === camera) ?? new View(camera, (...all) => this.heard(...all)));
    for (const view of this.views) if (!views.includes(view)) view.close();
    const isSame = views.length === this.views.length && views.every((view, index) => view === this.views[index]);
    this.views = views;
    if (!isSame) find('screen').replaceChildren(...views.map(view => view.node));
    find('screen').dataset.count = views.length;
    views.forEach((view, index) => { view.video.muted = index > 0; });
  },

  open(time, isLive) {
    this.isLive = isLive;
    for (const view of this.views) {
      if (nextMoment(view.camera.rows, time) === null) continue;
      view.showStill(time);
      view.remark('codec');
      view.film.open(time, isLive);
      this.apply(view);
    }
    if (this.rate > fastest) this.startShuttle();
    this.tell('state');
  },

  apply(view) {
    view.video.defaultPlaybackRate = view.video.playbackRate = this.rate > fastest && canDecode ? 1 : this.rate;
    // A browser may want a gesture first: the button shows that it stands.
    if (view.film.buffers.out !== null) return;
    if (this.isPlaying && !this.shuttle) view.video.play().catch(error => { if (error.name === 'NotAllowedError') this.pause(); });
    else view.video.pause();
  },

  heard(view, what, details) {
    if (what === 'error') this.explain(view, details);
    if (what === 'resumed') this.apply(view);
    if (view !== this.views[0]) return;
    if (what === 'live') { this.isLive = true; this.tell('state'); }
    if (what === 'stood') this.say(say('stood', {time: this.writtenTime(details)}));
    if (what === 'gap') this.say(say('gap', {camera: cameraName(view.camera.name), from: this.writtenTime(Math.round(details.from / second) * second), to: this.writtenTime(Math.round(details.to / second) * second)}));
    if (what === 'end' && this.isLive) { this.isLive = false; this.tell('state'); }
    if (what === 'end' && this.isPlaying) this.say(say('end'));
  },

  /** To a browser a lost connection, a deleted file and a bad one are the same. */
  async explain(view, error) {
    const {camera} = view, at = view.film.time ?? this.time;
    if (error instanceof Unreachable) {
      // What is there is played; the rest comes when the robot answers again.
      this.lost = {camera, at};
      setTimeout(() => this.reconnected(), again);
      return;
    }
    const row = rowAt(camera.rows, at), codec = error instanceof Refused ? null : await this.codecOf(error, row);
    if (codec !== null) {
      const [text, hint] = isForBrowsers(codec) ? ['codec', 'codecHint'] : ['codecNowhere', 'codecRecorder'];
      return view.remark('codec', `${say(text, {codec: codecName(codec)})} ${say(hint)}`, row ? `/recordings/${encodeName(row.name)}.mp4` : '');
    }
    if (error instanceof Refused && error.status === 403) return this.say(say('certificate'), {isLasting: true});
    if (error instanceof Refused && error.status === 404) {
      await camera.refreshAll().catch(() => {});
      const still = rowAt(camera.rows, at);
      if (still && still.tag !== row?.tag) return this.go(camera, at);
      return this.say(say('gone'), {isLasting: true});
    }
    this.say(say('failed'), {detail: error?.message ?? '', isLasting: true, action: say('again'), act: () => this.go(camera, at)});
  },

  /** The codec that hinders a recording from being played; null where it is something else. */
  async codecOf(error, row) {
    if (error instanceof Undecodable) return /codecs="([^",]*)/.exec(error.message)?.[1] ?? '';
    // A player of files says only that it cannot.
    const item = row && await details(row.name).catch(() => null), codec = item?.video?.codec;
    return codec && !make('video').canPlayType(`video/mp4; codecs="${codec}"`) ? codec : null;
  },

  /** The robot answers again. */
  reconnected() {
    if (!this.lost) return;
    this.lost = null;
    const {camera} = this;
    if (camera && this.now !== null) { const time = this.now; for (const view of this.views) view.film.open(time, this.isLive); }
  },

  close() {
    this.turn += 1;
    this.stopShuttle();
    for (const view of this.views) view.close();
    Object.assign(this, {views: [], time: null, isPlaying: false, isLive: false});
    this.tell('state');
  },

  play() {
    if (!this.camera) return;
    this.isPlaying = true;
    if (this.rate > fastest) this.startShuttle();
    for (const view of this.views) this.apply(view);
    this.tell('state');
  },

  pause() {
    this.isPlaying = false;
    this.stopShuttle(true);
    for (const view of this.views) {
      view.video.pause();
      // What stands still is not the present for long.
      if (this.isLive) view.film.open(view.film.time);
    }
    this.isLive = false;
    this.tell('state');
  },

  toggle() { if (this.isPlaying) this.pause(); else this.play(); },

  by(milliseconds) {
    if (!this.camera) return;
    // Backwards over a gap, to what comes before it.
    const wanted = this.now + milliseconds, {rows} = this.camera;
    const time = milliseconds < 0 && !rowAt(rows, wanted) ? lastMoment(rows, wanted) ?? wanted : wanted;
    this.go(this.camera, time);
  },

  frame(direction) {
    if (!this.camera) return;
    this.pause();
    const view = this.views[0];
    view.video.currentTime = Math.max(0, view.video.currentTime + direction / (this.pictureRate || 25));
  },

  setRate(rate) {
    this.rate = rate;
    const time = this.now;
    if (rate > fastest && canDecode) { if (this.isPlaying) this.startShuttle(); }
    else if (this.shuttle) { this.stopShuttle(); this.go(this.camera, time); }
    for (const view of this.views) this.apply(view);
    this.tell('state');
  },

  /** What this camera records now. */
  goLive(camera = this.camera) {
    const rows = camera?.rows ?? [], row = rows.findLast(each => each.state === 'recording' && isPlayable(each));
    if (row) return this.go(camera, endOf(row) - 1, {play: true, isLive: true});
    // A file that is no film while it is written: the last one is the nearest to the present.
    const last = rows.findLast(each => each.state === 'ready');
    if (!last) return;
    this.go(camera, last.start, {play: true});
    this.views[0].remark('live', say('liveLate', {length: lateness(last.duration)}));
  },

  /** Up to four cameras, the one that is shown first. */
  beside(isBeside) {
    const {camera} = this, time = this.now;
    if (!camera) return;
    this.show(isBeside ? [camera, ...footage.cameras.filter(other => other !== camera)] : [camera]);
    this.go(camera, time);
  },

  /** Key frame by key frame, as fast as they come. */
  startShuttle() {
    if (this.shuttle || !canDecode || !this.camera) return;
    const shuttle = this.shuttle = {time: this.now, last: performance.now(), row: null};
    for (const view of this.views) { view.video.pause(); view.isByKeyFrames = true; }
    const tick = async () => {
      if (this.shuttle !== shuttle) return;
      const now = performance.now();
      shuttle.time += (now - shuttle.last) * this.rate;
      shuttle.last = now;
      await this.camera.need(shuttle.time - second, shuttle.time + pace.around).catch(() => {});
      if (this.shuttle !== shuttle) return;
      const next = nextMoment(this.camera.rows, shuttle.time);
      if (next === null) { this.pause(); return this.say(say('end')); }
      shuttle.time = next;
      await Promise.all(this.views.map(async view => {
        const row = rowAt(view.camera.rows, next), picture = row && await pictures.get(row, next, view);
        if (picture && this.shuttle === shuttle) view.paint(picture);
      }));
      this.tell('time');
      setTimeout(tick, Math.max(0, step - (performance.now() - now)));
    };
    tick();
  },

  stopShuttle(isStaying = false) {
    const {shuttle} = this;
    if (!shuttle) return;
    this.shuttle = null;
    for (const view of this.views) view.isByKeyFrames = false;
    if (isStaying) for (const view of this.views) view.film.open(shuttle.time);
  },

  /** Cameras on one clock: the first one's. */
  keepTogether() {
    const [first, ...others] = this.views;
    for (const view of this.views) view.film.watch();
    if (!first || !this.isPlaying || this.shuttle || this.isLive) return;
    for (const view of others) {
      if (!view.film.isThere || !first.film.isThere || view.video.seeking) continue;
      const ahead = view.film.time - first.film.time;
      if (Math.abs(ahead) > farApart) { if (rowAt(view.camera.rows, first.film.time)) view.film.open(first.film.time); }
      else view.video.playbackRate = this.rate * (Math.abs(ahead) < apart ? 1 : ahead > 0 ? 0.9 : 1.1);
      if (view.video.paused && !view.video.ended) this.apply(view).catch(() => {});
    }
  },
};
