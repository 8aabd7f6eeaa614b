// The day of each camera, a row each: what was recorded, where one is, and the hand that goes there.
import {aria, find, on, write} from './dom.js';
import {day, dayStart, minute, second} from './time.js';
import {moved, pieces, ticks, timeAt, within, xOf, zoomed} from './layout.js';
import {rowAt} from './choice.js';
import {canDecode, draw, isSaving, pictures} from './pictures.js';
import {footage} from './footage.js';
import {cameraName, clock, date, say, shortClock} from './words.js';
import {clip} from './clip.js';
import {player} from './player.js';

// Pixels: the scale above, a camera's row, the strip of pictures below and one picture in it. Milliseconds: from which
// length of view on there are pictures; how long a hand has to rest for one.
const scale = 22, row = 30, strip = 54, thumb = 96, stripLongest = 30 * minute, rest = 60;

export const timeline = {
  view: {from: 0, to: day}, bounds: {from: 0, to: day}, zone: undefined, hover: null, drag: null, fingers: new Map(),
  /** Does what a hand wants: `go(camera, time)`. */
  go() {},

  /** Shows a day, whole. */
  setDay(key, zone) {
    this.zone = zone;
    this.bounds = {from: dayStart(key, zone), to: dayStart(key, zone, 1)};
    this.view = {...this.bounds};
    this.draw();
  },

  /** Makes a moment of this day seen, without moving what is seen already. */
  reveal(time) {
    if (time >= this.view.from && time <= this.view.to) return;
    const length = this.view.to - this.view.from;
    this.view = within({from: time - length / 4, to: time + length * 3 / 4}, this.bounds);
  },

  zoom(factor, at = this.centre()) {
    this.view = zoomed(this.view, factor, at, this.bounds);
    this.draw();
  },

  centre() {
    const {now} = player;
    return now !== null && now >= this.view.from && now <= this.view.to ? now : (this.view.from + this.view.to) / 2;
  },

  get canvas() { return find('canvas'); },
  get width() { return this.canvas.clientWidth; },
  get hasStrip() { return canDecode && this.view.to - this.view.from <= stripLongest && player.camera !== null; },

  rowAtY(y) { return footage.cameras[Math.floor((y - scale) / row)] ?? player.camera ?? footage.cameras[0]; },

  /** Draws all of it, once a frame at most. */
  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.paint(); });
  },

  paint() {
    const {canvas, width, view} = this, height = scale + row * footage.cameras.length + (this.hasStrip ? strip : 0);
    const ratio = devicePixelRatio || 1, context = canvas.getContext('2d'), style = getComputedStyle(canvas);
    const colour = name => style.getPropertyValue('--' + name).trim();
    canvas.height = height * ratio;
    canvas.width = width * ratio;
    canvas.parentNode.style.setProperty('height', height + 'px');
    document.body.style.setProperty('--rows', footage.cameras.length);
    context.scale(ratio, ratio);
    context.font = `12px ${style.fontFamily}`;
    context.textBaseline = 'middle';
    for (const tick of ticks(view, width, this.zone)) {
      context.fillStyle = colour('line');
      context.fillRect(Math.round(tick.x), scale - 5, 1, row * footage.cameras.length + 5);
      context.fillStyle = colour('quiet');
      const text = (tick.hasSeconds ? clock : shortClock)(tick.time, this.zone);
      if (tick.x + context.measureText(text).width + 4 < width) context.fillText(text, tick.x + 3, scale / 2);
    }
    footage.cameras.forEach((camera, index) => this.paintRow(context, camera, scale + index * row, colour));
    this.paintClip(context, colour);
    if (this.hasStrip) this.paintStrip(context, scale + row * footage.cameras.length, colour);
    this.paintHand(context, height, colour);
  },

  paintRow(context, camera, y, colour) {
    const isChosen = camera === player.camera;
    context.fillStyle = colour('track');
    context.fillRect(0, y + 4, this.width, row - 8);
    for (const piece of pieces(camera.rows, this.view, this.width)) {
      context.globalAlpha = isChosen || !player.camera ? 1 : 0.55;
      context.fillStyle = colour({ready: 'footage', recovered: 'recovered', recording: 'accent', refused: 'refused'}[piece.kind]);
      const inset = piece.kind === 'refused' ? 11 : 4;
      context.fillRect(piece.x, y + inset, piece.width, row - 2 * inset);
      if (piece.kind === 'recovered') context.clearRect(piece.x, y + row / 2 - 0.5, piece.width, 1);
    }
    context.globalAlpha = 1;
    this.paintName(context, camera, y, colour);
    // Where one camera is known and the other is not yet, that is no gap.
    for (const [from, to] of this.unknown(camera)) {
      context.fillStyle = colour('line');
      for (let x = xOf(from, this.view, this.width); x < xOf(to, this.view, this.width); x += 8) context.fillRect(x, y + row / 2, 3, 1);
    }
  },

  paintName(context, camera, y, colour) {
    let name = cameraName(camera.name);
    while (name.length > 1 && context.measureText(name).width > 110) name = name.slice(0, -2) + '…';
    context.globalAlpha = 0.85;
    context.fillStyle = colour('surface');
    context.beginPath();
    context.roundRect(4, y + 7, context.measureText(name).width + 12, row - 14, 5);
    context.fill();
    context.globalAlpha = 1;
    context.fillStyle = colour('ink');
    context.fillText(name, 10, y + row / 2);
  },

  unknown(camera) {
    const found = [], end = Math.min(this.view.to, Date.now());
    let at = this.view.from;
    for (const [from, to] of camera.known.toSorted((a, b) => a[0] - b[0])) {
      if (to <= at) continue;
      if (from > at && at < end) found.push([at, Math.min(from, end)]);
      at = Math.max(at, to);
    }
    if (at < end) found.push([at, end]);
    return found;
  },

  paintClip(context, colour) {
    if (clip.from === null && clip.to === null) return;
    const from = xOf(clip.from ?? clip.to, this.view, this.width), to = xOf(clip.to ?? clip.from, this.view, this.width);
    const index = footage.cameras.indexOf(clip.camera), y = scale + Math.max(0, index) * row;
    context.fillStyle = colour('select');
    context.fillRect(from, y, Math.max(2, to - from), row);
    context.fillStyle = colour('ink');
    for (const x of [from, to]) context.fillRect(x - 1, y, 2, row);
  },

  paintStrip(context, y, colour) {
    const {camera} = player, count = Math.max(1, Math.floor(this.width / thumb)), each = this.width / count;
    for (let index = 0; index < count; index += 1) {
      const time = timeAt((index + 0.5) * each, this.view, this.width), shown = rowAt(camera.rows, time);
      context.fillStyle = colour('track');
      context.fillRect(index * each, y + 4, each - 2, strip - 4);
      if (!shown) continue;
      const picture = pictures.have(shown, time);
      if (picture) draw(context, picture, index * each, y + 4, each - 2, strip - 4, true);
      else if (!isSaving() && !this.drag && !document.hidden) pictures.get(shown, time, `strip ${index}`).then(made => { if (made) this.draw(); });
    }
  },

  paintHand(context, height, colour) {
    const line = (time, name, width) => {
      const x = xOf(time, this.view, this.width);
      if (x < -1 || x > this.width + 1) return;
      context.fillStyle = colour(name);
      context.fillRect(Math.round(x - width / 2), scale - 8, width, height - scale + 8);
    };
    const present = Date.now();
    if (present < this.view.to) {
      context.fillStyle = colour('future');
      const x = Math.max(0, xOf(present, this.view, this.width));
      context.fillRect(x, scale, this.width - x, height - scale);
      line(present, 'accent', 1);
    }
    if (this.hover !== null && !this.drag) line(this.hover.time, 'quiet', 1);
    if (player.now !== null) {
      line(player.now, 'ink', 2);
      context.beginPath();
      context.arc(xOf(player.now, this.view, this.width), scale - 8, 5, 0, 7);
      context.fill();
    }
  },

  /** What assistive technology is told of where one is. */
  describe() {
    const {canvas} = this, time = player.now ?? this.centre(), {camera} = player;
    const what = camera && rowAt(camera.rows, time) ? say('ready') : say('none');
    aria(canvas, 'valuemin', Math.round(this.bounds.from / second));
    aria(canvas, 'valuemax', Math.round(this.bounds.to / second));
    aria(canvas, 'valuenow', Math.round(time / second));
    aria(canvas, 'valuetext', say('position', {time: `${date(time, this.zone)} ${clock(time, this.zone)}`, what}));
  },

  // The hand.

  place(event) {
    const box = this.canvas.getBoundingClientRect(), x = Math.min(Math.max(0, event.clientX - box.left), box.width);
    return {x, time: timeAt(x, this.view, this.width), camera: this.rowAtY(event.clientY - box.top)};
  },

  async preview(place) {
    const box = find('preview'), {camera, time, x} = place;
    write(find('preview-time'), clock(time, this.zone));
    box.hidden = false;
    box.style.setProperty('left', Math.min(Math.max(84, x), this.width - 84) + 'px');
    const shown = camera && rowAt(camera.rows, time), canvas = find('preview-picture');
    canvas.hidden = !shown || !canDecode || isSaving();
    if (canvas.hidden) return pictures.drop('preview');
    const picture = pictures.have(shown, time) ?? await pictures.get(shown, time, 'preview');
    if (picture && this.hover === place) { const context = canvas.getContext('2d'); context.fillRect(0, 0, canvas.width, canvas.height); draw(context, picture, 0, 0, canvas.width, canvas.height); }
  },

  hovering(place) {
    this.hover = place;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => { if (this.hover === place) this.preview(place); }, rest);
    this.draw();
  },

  leave() {
    this.hover = null;
    clearTimeout(this.resting);
    pictures.drop('preview');
    find('preview').hidden = true;
    this.draw();
  },

  start() {
    on('canvas', 'wheel', event => {
      event.preventDefault();
      const place = this.place(event), isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (isSideways) {
        const by = (event.shiftKey ? event.deltaY : event.deltaX) / this.width * (this.view.to - this.view.from);
        this.view = moved(this.view, by, this.bounds);
        this.draw();
      } else this.zoom(2 ** (event.deltaY / 200), place.time);
    }, {passive: false});
    on('canvas', 'pointerdown', event => {
      this.canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, event.clientX);
      const place = this.place(event);
      this.drag = this.fingers.size === 1 ? {camera: place.camera, time: place.time} : null;
      this.hovering(place);
    });
    on('canvas', 'pointermove', event => {
      const place = this.place(event);
      if (this.fingers.size === 2 && this.fingers.has(event.pointerId)) return this.pinch(event);
      if (this.drag) {
        this.drag.time = place.time;
        place.camera = this.drag.camera;
        place.isDrag = true;
      }
      this.hovering(place);
    });
    const done = event => {
      const {drag} = this;
      this.fingers.delete(event.pointerId);
      this.drag = null;
      if (drag && event.type === 'pointerup') this.go(drag.camera, drag.time);
      if (event.pointerType !== 'mouse' || event.type === 'pointercancel') this.leave();
    };
    on('canvas', 'pointerup', done);
    on('canvas', 'pointercancel', done);
    on('canvas', 'pointerleave', () => { if (!this.drag) this.leave(); });
    on('canvas', 'keydown', event => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentNode);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  },

  pinch(event) {
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)[1], before = this.fingers.get(event.pointerId);
    const box = this.canvas.getBoundingClientRect(), middle = timeAt((event.clientX + other) / 2 - box.left, this.view, this.width);
    const factor = Math.max(20, Math.abs(before - other)) / Math.max(20, Math.abs(event.clientX - other));
    this.fingers.set(event.pointerId, event.clientX);
    this.zoom(factor, middle);
  },

  key(event) {
    const length = this.view.to - this.view.from, now = player.now ?? this.centre();
    const steps = {PageUp: -length / 4, PageDown: length / 4, ArrowUp: length / 48, ArrowDown: -length / 48};
    const wanted = event.key in steps ? now + steps[event.key] : {Home: this.bounds.from, End: Math.min(this.bounds.to, Date.now()) - second}[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(player.camera ?? footage.cameras[0], Math.min(Math.max(wanted, this.bounds.from), this.bounds.to - 1));
  },
};
