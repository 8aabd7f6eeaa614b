// Watches what a browser plays on the robot's page: the body of a function whose arguments are the moment, in milliseconds, from which
// seconds are counted, and whether it listens to the sound as well. What it finds since `begin` is in `window.played` until the next call.
const [begin, isListener] = arguments, {player} = $player, {video, film} = player.views[0];
window.played?.stop();
let total = 0, damaged = 0;
const played = window.played = {
  // Pictures that were decoded; those that were damaged; the seconds of which a picture was shown.
  pictures: 0, corrupted: 0, seen: new Set(),
  // Where the player was from time to time: milliseconds since 1970, the second at which it was, and whether there was a sound, if that
  // can be listened to.
  clock: [],
  notes: [], remarks: new Set(),
  // The longest time, in milliseconds, for which the picture stood where there was more to play, and the second at which it did.
  stood: 0, stoodAt: null,
  isAtEnd: false,
  /** Whether the sound of the video can be listened to by now. */
  get isListening() { return !listener || listener.context.state === 'running'; },

  begin() {
    this.count();
    for (const each of [this.seen, this.remarks]) each.clear();
    Object.assign(this, {pictures: 0, corrupted: 0, clock: [], notes: [], stood: 0, stoodAt: null, isAtEnd: false});
  },

  report() {
    this.count();
    const {pictures, corrupted, clock, notes, stood, stoodAt, isAtEnd} = this;
    return {
      pictures, corrupted, clock, notes, stood, stoodAt, isAtEnd, seen: [...this.seen], remarks: [...this.remarks],
      at: (player.now - begin) / 1000, ranges: film.buffers.ranges().map(range => range.map(each => (film.base - begin) / 1000 + each).join('…')).join(' '),
      ready: video.readyState, done: film.buffers.done,
    };
  },

  /** The counters of a player begin again with each source, and with each of its decoders. */
  count() {
    const {totalVideoFrames, corruptedVideoFrames = 0} = video.getVideoPlaybackQuality();
    this.pictures += totalVideoFrames - (totalVideoFrames < total ? 0 : total);
    this.corrupted += corruptedVideoFrames - (corruptedVideoFrames < damaged ? 0 : damaged);
    [total, damaged] = [totalVideoFrames, corruptedVideoFrames];
  },

  stop() {
    clearInterval(timer);
    player.watchers.delete(hear);
    this.isStopped = true;
  },
};

const hear = what => {
  if (what !== 'note' || !player.note) return;
  played.notes.push(player.note.text);
  played.isAtEnd ||= player.note.text === 'End of the recordings';
};
player.watch(hear);

const see = (_, {mediaTime}) => {
  if (played.isStopped) return;
  played.seen.add(Math.floor((film.base - begin) / 1000 + mediaTime + 0.001));
  video.requestVideoFrameCallback(see);
};
video.requestVideoFrameCallback(see);

// A browser whose sound nobody else hears: it goes through this from the first call on.
const listener = isListener ? video.listener ??= (() => {
  const context = new AudioContext(), analyser = context.createAnalyser();
  context.createMediaElementSource(video).connect(analyser).connect(context.destination);
  context.resume();
  return {context, analyser, wave: new Float32Array(analyser.fftSize)};
})() : null;

let last = -1, since = performance.now();
const timer = setInterval(() => {
  const now = performance.now(), at = video.currentTime;
  played.count();
  for (const line of document.querySelectorAll('.remarks p')) played.remarks.add(line.textContent);
  if (!player.isPlaying || played.isAtEnd) { since = now; return; }
  const isMore = Array.from({length: video.buffered.length}, (_, index) => index)
    .some(index => video.buffered.start(index) <= at + 0.1 && video.buffered.end(index) > at + 0.1);
  const isMoving = at !== last;
  if (isMoving || !isMore) [last, since] = [at, now];
  else if (now - since > played.stood) Object.assign(played, {stood: now - since, stoodAt: (player.now - begin) / 1000});
  listener?.analyser.getFloatTimeDomainData(listener.wave);
  if (isMoving) played.clock.push([Date.now(), (player.now - begin) / 1000, listener?.wave.some(value => Math.abs(value) > 0.01) ?? null]);
}, 50);
