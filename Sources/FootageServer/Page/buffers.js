// The buffers of one player (Media Source Extensions §3): one for pictures and one for sound. Where sound is missing, silence is put
// in, since a browser plays no time at which one of the two has nothing. Times are seconds in the buffers.
import {pause} from './robot.js';
import {without} from './choice.js';
import {isBeginning, still} from './beginning.js';
import {isQuietable, plain, silence} from './silence.js';

export const Source = globalThis.ManagedMediaSource ?? globalThis.MediaSource;

/** What this browser has no decoder for. */
export class Undecodable extends Error {}
/** Pictures that no buffer takes at a place, since they do not begin there. */
export class Midway extends Error {}

// How far sound may be behind the pictures of a fragment; how much longer than pictures it is played on its own, and at most before
// more is fetched; a hole between pictures that is jumped at once, and one of sound that is none.
const slack = 0.25, longer = 0.3, most = 30, nothing = 0.03;
// A gap between pictures behind which a decoder begins again.
const apart = 0.1;
export const hole = 0.5;
// How often it is looked, in milliseconds, and how often at the end of a stream before it is taken for played.
const look = 50, looks = 20;

const rangesOf = ({buffered}) => Array.from({length: buffered.length}, (_, index) => [buffered.start(index), buffered.end(index)]);
const once = (target, type) => new Promise(resolve => target.addEventListener(type, resolve, {once: true}));
const isSupported = track => Source.isTypeSupported(track.mime);

export class Buffers {
  #source = null;
  /** By `video` and `audio`: the buffer, and the media type and the init segment that it had last. */
  #lanes = {};
  #quiet = plain;
  /** Whether the next pictures have to be such as a decoder begins with. */
  #isNew = true;
  /** Where pictures begin with one that depends on none, as far as that is known, in order. */
  #begins = [];
  /** From when to when a picture stands for a gap within its group: no silence lies in it, so that it is gone over as other gaps are. */
  #stills = [];
  /** Until when nothing more comes: holes before it stay holes. Null where nothing was appended since `settle`. */
  done = null;

  /** Until when all was played. */
  #played = 0;
  /** Where a player is that has come to the end of its stream, whatever it says itself; null where it has not. A seek goes on, once there is
   * more: to play would be to begin again. */
  out = null;

  /** `span` is how long a time they are for, in seconds; `resume()` hears that there is more. */
  constructor(video, span, resume) { Object.assign(this, {video, span, resume}); }

  get isOpen() { return this.#source !== null; }

  async open(signal) {
    this.close();
    const source = this.#source = new Source();
    this.video.src = URL.createObjectURL(source);
    if (source.readyState !== 'open') await once(source, 'sourceopen');
    signal.throwIfAborted();
    // Where none is said, that of an init segment counts, which is none: nobody could go anywhere.
    source.duration = this.span;
  }

  close() {
    if (this.video.src.startsWith('blob:')) URL.revokeObjectURL(this.video.src);
    this.#source = this.done = null;
    this.#played = 0;
    this.out = null;
    this.#isNew = true;
    this.#begins = [];
    this.#stills = [];
    this.#lanes = {};
  }

  /** Where the player has all that it plays: what is in each buffer. Firefox itself does not tell holes in sound before the stream has
   * ended; then the longer buffer counts. */
  ranges() {
    const lanes = Object.values(this.#lanes).map(({buffer}) => rangesOf(buffer));
    return this.#source?.readyState === 'ended' ? rangesOf(this.video) : lanes.reduce((all, each) => without(all, without(all, each)), lanes[0] ?? []);
  }

  #ends() { return Object.values(this.#lanes).map(({buffer}) => rangesOf(buffer).at(-1)?.[1] ?? 0); }

  /** Waits for what is being appended, and drops what is half appended. Something else follows. */
  async reset(signal) {
    await this.#settled(signal);
    if (this.#source?.readyState === 'ended') await this.#reopen(signal);
    this.done = null;
    this.#isNew = true;
    this.#played = 0;
    if (this.#source?.readyState === 'open') for (const lane of Object.values(this.#lanes)) {
      lane.buffer.abort();
      lane.bytes = null;
    }
  }

  async #settled(signal) {
    for (const {buffer} of Object.values(this.#lanes)) {
      while (buffer.updating) await once(buffer, 'updateend');
    }
    signal?.throwIfAborted();
  }

  /** Makes ready for the tracks of a film. Returns those of which something is appended; null where these buffers are for others. */
  prepare(tracks) {
    const video = tracks.find(each => each.isVideo), audio = tracks.find(each => !each.isVideo && isSupported(each)), lanes = this.#lanes;
    if (video && !isSupported(video)) throw new Undecodable(video.mime);
    if (!video && !audio) throw new Undecodable(tracks[0]?.mime ?? '');
    if (isQuietable(audio)) this.#quiet = audio;
    const wanted = {video, audio: audio ?? (video && isSupported(plain) ? this.#quiet : undefined)};
    if (!Object.keys(lanes).length) {
      // All of them come before the first bytes: afterwards there can be no more.
      for (const kind in wanted) if (wanted[kind]) lanes[kind] = {buffer: this.#source.addSourceBuffer(wanted[kind].mime), mime: wanted[kind].mime, bytes: null};
    }
    const isFor = (track, lane) => track ? lane && (track.mime === lane.mime || Boolean(lane.buffer.changeType)) : !lane;
    if (Object.keys(wanted).some(kind => !isFor(wanted[kind], lanes[kind]))) return null;
    this.tracks = [video, audio].filter(Boolean);
    return this.tracks;
  }

  /** Appends pieces of the film; those of other tracks are passed over. With `isStrict` pictures begin where every browser takes them. */
  async append(pieces, signal, isStrict = false) {
    // A browser counts buffers from their first init segment on: sound alone would seem to be all.
    for (const track of this.tracks) if (!this.#laneOf(track).bytes) await this.#introduce(track, signal);
    for (const {track, ticks, bytes, stills} of pieces) {
      if (!this.tracks.includes(track)) continue;
      this.#stills.push(...stills);
      const start = ticks / track.timescale;
      this.done ??= start;
      if (track.isVideo) {
        // A decoder keeps its last pictures until the next ones come, which belong behind a gap, and sound may go on in it. Whoever
        // went on to another moment waits for the next ones.
        const end = this.#pictures, isWatched = this.video.currentTime < end + hole;
        if (end > 0 && isWatched && start - end > hole) await this.playOut(start, signal);
        await this.#begin(track, start, bytes, signal, isStrict);
      }
      await this.#add(track, bytes, signal);
    }
    if (!this.tracks.some(each => !each.isVideo)) await this.fill(0, signal);
    if (this.out === null || !pieces.length) return;
    // Sound begins a little later than pictures: it goes on with the first of these.
    await this.fill(slack, signal);
    this.resume();
  }

  async #begin(track, start, bytes, signal, isStrict) {
    const end = this.#pictures, isFirst = isBeginning(track, bytes);
    if (isFirst) this.#begins = [...this.#begins.filter(each => each < start), start];
    if (!this.#isNew && start - end <= apart) return;
    if (!isFirst && isStrict) throw new Midway();
    // Sound that comes before the first pictures is heard while the first of these stands. WebKitGTK, which has no `changeType`, stops
    // at a picture that comes twice.
    const canRepeat = Boolean(this.#lanes.video.buffer.changeType);
    if (canRepeat && !end && start - this.done > hole && this.tracks.length > 1) await this.#add(track, still(track, bytes, this.done, start), signal);
  }

  /** Where pictures end; 0 where there are none. */
  get #pictures() { return this.#lanes.video ? this.#ends()[0] : 0; }

  /** How long the shortest pictures of the film last. */
  get pictureSeconds() { const {least = 0, timescale = 1} = this.tracks?.find(each => each.isVideo) ?? {}; return least / timescale; }

  #isSoundLonger(by) { return this.#pictures > 0 && this.#ends().at(-1) - Math.max(this.#pictures, this.#played) > by; }

  #laneOf(track) { return this.#lanes[track.isVideo ? 'video' : 'audio']; }

  async #add(track, bytes, signal) {
    await this.#introduce(track, signal);
    if (track.isVideo) this.#isNew = false;
    await this.#write(this.#laneOf(track), bytes, signal);
  }

  /** Makes its buffer ready for a track. */
  async #introduce(track, signal) {
    const lane = this.#laneOf(track), {video} = this;
    // After its end WebKitGTK takes nothing more before it was told to go somewhere.
    if (this.out !== null && !video.seeking) video.currentTime = this.out;
    if (lane.mime !== track.mime) {
      await this.#settled(signal);
      lane.buffer.changeType(track.mime);
      Object.assign(lane, {mime: track.mime, bytes: null});
    }
    if (lane.bytes !== track.bytes) {
      await this.#write(lane, track.bytes, signal);
      lane.bytes = track.bytes;
      this.#isNew ||= track.isVideo;
    }
  }

  async #write({buffer}, bytes, signal) {
    for (let attempt = 0; ; attempt += 1) {
      await this.#settled(signal);
      try {
        buffer.appendBuffer(bytes);
        break;
      } catch (error) {
        if (error.name !== 'QuotaExceededError' || attempt > 20) throw error;
        await this.drop(-Infinity, this.video.currentTime - most / (attempt + 2), signal, 1, attempt > looks / 2);
        await pause(1000, signal);
      }
    }
    await this.#settled(signal);
    if (this.video.error) throw this.video.error;
  }

  /** Puts silence where pictures have no sound, up to so many seconds before their end. */
  async fill(rest = slack, signal) {
    const {video, audio} = this.#lanes, leading = video ?? audio;
    if (!leading || this.done === null) return;
    const until = (rangesOf(leading.buffer).at(-1)?.[1] ?? 0) - rest;
    if (until <= this.done) return;
    if (video && audio) {
      const track = this.#quiet;
      for (const [from, to] of without(rangesOf(video.buffer), [...rangesOf(audio.buffer), ...this.#stills], this.done, until)) {
        const bytes = to - from > nothing && silence(track, from, to);
        if (bytes) await this.#add(track, bytes, signal);
      }
      if (this.#isSoundLonger(most)) await this.playOut(Infinity, signal);
    }
    this.done = until;
    this.#stills = this.#stills.filter(([, to]) => to > until);
  }

  /** The film ends here: fills what is left, and plays the sound that is longer than the pictures, up to a time. */
  async finish(until, signal) {
    await this.fill(0, signal);
    if (this.#isSoundLonger(longer)) await this.playOut(until, signal);
  }

  /** Plays what is there, up to a time: where no more comes, the longer track counts, and the decoder gives all of its pictures. */
  async playOut(until, signal) {
    await this.#settled(signal);
    const {video} = this, end = Math.max(...this.#ends());
    if (!(end > 0)) return;
    this.#source.endOfStream();
    this.done = Math.max(this.done, Math.min(until, end));
    for (let waits = 0; !video.ended && (until >= end || video.currentTime < until) && waits < looks; ) {
      if (!video.paused && end - video.currentTime < hole / 2) waits += 1;
      await pause(look, signal);
    }
    this.#played = end;
    if (video.ended || until < end) this.out = Math.min(until, end);
    await this.#reopen(signal);
  }

  /** After the end of a stream, which made the duration shorter. */
  async #reopen(signal) {
    const [{buffer}] = Object.values(this.#lanes);
    buffer.remove(0, 0.001);
    await this.#settled(signal);
    this.#source.duration = this.span;
  }

  /** Lets go of a time, where that is at least so many seconds. A browser lets go of the whole group of pictures that it ends in: what is
   * shown is of one, so that a time ends where a group begins. */
  async drop(from, to, signal, least = 1, isInGroups = false) {
    if (to < Infinity && !isInGroups && this.#lanes.video) to = this.#begins.findLast(each => each <= to) ?? -Infinity;
    for (const {buffer} of Object.values(this.#lanes)) {
      for (const range of rangesOf(buffer)) {
        const start = Math.max(from, range[0]), end = Math.min(to, range[1]);
        if (end - start <= least) continue;
        await this.#settled(signal);
        buffer.remove(start, end);
        await this.#settled(signal);
      }
    }
  }
}
