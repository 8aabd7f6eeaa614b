// A part of a camera's time as one file: its two ends, what it would be, and the ways to take it along.
import {find, on, write} from './dom.js';
import {ask, Refused} from './robot.js';
import {rfc3339} from './time.js';
import {footage} from './footage.js';
import {length, say, size} from './words.js';
import {player} from './player.js';

const longest = 7200000;

export const clip = {
  camera: null, from: null, to: null, turn: 0,
  /** Hears that it has changed. */
  changed() {},

  set(end) {
    const {camera, now} = player;
    if (!camera || now === null) return;
    if (this.camera !== camera) Object.assign(this, {camera, from: null, to: null});
    this[end] = now;
    if (this.from !== null && this.to !== null && this.from > this.to) [this.from, this.to] = [this.to, this.from];
    this.show();
  },

  clear() {
    Object.assign(this, {camera: null, from: null, to: null});
    this.show();
  },

  get isWhole() { return this.from !== null && this.to !== null && this.to > this.from; },
  get target() {
    const seconds = time => (time / 1000).toFixed(3);
    return `/cameras/${encodeURIComponent(this.camera.name ?? '')}.mp4?from=${seconds(this.from)}&to=${seconds(this.to)}`;
  },

  /** Says how long it is at once, and how large as soon as the robot has said. */
  async show() {
    const turn = ++this.turn;
    this.changed();
    find('clip').hidden = this.from === null && this.to === null;
    find('clip-take').hidden = find('clip-share').hidden = find('clip-keep').hidden = true;
    if (!this.isWhole) return write(find('clip-text'), say('clipNone'));
    const text = say('clipLength', {length: length(this.to - this.from)});
    write(find('clip-text'), text);
    if (this.to - this.from > longest) return write(find('clip-text'), say('clipTooLong'));
    find('clip-take').hidden = false;
    find('clip-keep').hidden = !footage.may.includes('keep');
    find('clip-take').href = this.target;
    find('clip-share').hidden = !navigator.canShare;
    try {
      const response = await ask(this.target, {method: 'HEAD'});
      if (turn === this.turn) write(find('clip-text'), `${text} · ${size(+response.headers.get('Content-Length'))}`);
    } catch (error) {
      if (turn === this.turn && error instanceof Refused) await this.refused(turn);
    }
  },

  /** A head says nothing: its answer does. */
  async refused(turn) {
    try { await ask(this.target); } catch (error) {
      if (turn !== this.turn || !(error instanceof Refused)) return;
      write(find('clip-text'), say('clipRefused', {reason: error.message}));
      find('clip-take').hidden = find('clip-share').hidden = true;
    }
  },

  /** Keeps the recordings that it is made of from being deleted. */
  async keep() {
    const moment = time => new Date(time).toISOString(), body = JSON.stringify({from: moment(this.from), to: moment(this.to)});
    try {
      await ask(`/cameras/${encodeURIComponent(this.camera.name ?? '')}.keep`, {method: 'POST', headers: {'Content-Type': 'application/json'}, body});
      write(find('clip-text'), say('kept'));
      find('clip-keep').hidden = true;
    } catch (error) {
      write(find('clip-text'), error.message);
    }
  },

  async share() {
    const response = await ask(this.target);
    const name = /filename="([^"]*)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'clip.mp4';
    const file = new File([await response.blob()], name, {type: 'video/mp4'});
    if (navigator.canShare({files: [file]})) await navigator.share({files: [file], title: rfc3339(this.from)});
  },

  start() {
    on('clip-in', 'click', () => this.set('from'));
    on('clip-out', 'click', () => this.set('to'));
    on('clip-clear', 'click', () => this.clear());
    on('clip-keep', 'click', () => this.keep());
    // Where it was dismissed, or is gone, the button is still there.
    on('clip-share', 'click', () => this.share().catch(() => {}));
  },
};
