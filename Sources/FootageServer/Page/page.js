// What the page is made of, put together: the day, the moment in the address, hands and keys.
import {aria, find, make, on, write} from './dom.js';
import {details, encodeName, Refused, Unreachable} from './robot.js';
import {footage, spansOf, watching} from './footage.js';
import {nameAtRobot} from './robots.js';
import {dayAfter, dayKey, dayStart, hour, offset, parseMoment, rfc3339, second} from './time.js';
import {daysOf} from './layout.js';
import {isPlayable} from './choice.js';
import {cameraName, clock, date, dayNames, joined, language, locale, printable, roomFor, say, shortClock, written} from './words.js';
import {player} from './player.js';
import {about} from './about.js';
import {calendar} from './calendar.js';
import {timeline} from './timeline.js';
import {clip} from './clip.js';
import {list} from './list.js';

const speeds = [0.5, 1, 2, 4, 8, 16];
const state = {day: null, isMine: true, hash: null, days: new Map(), late: []};

const zone = () => state.isMine ? undefined : footage.robot.zone;
const spoken = text => write(find('spoken'), text);

// Words that stand in the page from the start.
function translate() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll('[data-say]')) node.textContent = say(node.dataset.say);
  for (const node of document.querySelectorAll('[data-label]')) {
    aria(node, 'label', say(node.dataset.label).replace(/ ?[(（][^)）]*[)）]$/, ''));
    if (node.matches('button, a')) node.title = say(node.dataset.label);
  }
  find('moment').placeholder = say('momentHint');
}

// ---- The day

async function setDay(key) {
  state.isNew = false;
  if (state.day !== key) {
    state.day = key;
    timeline.setDay(key, zone());
  }
  find('day').value = calendar.day = key;
  list.setDay(timeline.bounds, zone());
  showDay();
  const {from, to} = timeline.bounds;
  // The one that is looked at first; news of the connection are said by whoever watches it.
  const first = player.camera, order = footage.cameras.toSorted((a, b) => (b === first) - (a === first));
  for (const camera of order) {
    try { await camera.need(from, to); } catch (error) { if (!(error instanceof Unreachable || error instanceof Refused)) throw error; }
    if (state.day !== key) return;
  }
}

function showDay() {
  const start = dayStart(state.day, zone()), today = dayKey(Date.now(), zone());
  const name = state.day === today ? say('today') : state.day === dayAfter(today, -1) ? say('yesterday') : '';
  const full = written(start, zone(), {weekday: name ? undefined : 'long', day: 'numeric', month: 'long', year: state.day.slice(0, 4) === today.slice(0, 4) ? undefined : 'numeric'});
  write(find('day-name'), joined([name, full]));
}

/** The day's neighbour with footage, where that is known; else the next one. */
async function moveDay(direction) {
  const days = await knownDays();
  const later = [...days].filter(key => direction < 0 ? key < state.day : key > state.day).sort();
  const next = direction < 0 ? later.at(-1) : later[0];
  setDay(next ?? dayAfter(state.day, direction));
}

async function knownDays() {
  const days = new Set();
  for (const camera of footage.cameras) {
    try {
      if (!state.days.has(camera.name)) state.days.set(camera.name, await spansOf(camera));
      for (const key of daysOf(state.days.get(camera.name), zone())) days.add(key);
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof Refused)) throw error;
    }
  }
  return days;
}

// ---- The moment

const momentOf = (camera, time) => `#${encodeName(camera.name ?? '')}@${rfc3339(Math.floor(time / second) * second, zone())}`;

function showHash() {
  const {camera, now} = player;
  const hash = camera && now !== null ? momentOf(camera, now) : '';
  if (hash === state.hash || hash === location.hash) return;
  // Back undoes the first choice; the following ones replace it.
  history[state.hash === null && hash ? 'pushState' : 'replaceState'](null, '', hash || location.pathname + location.search);
  state.hash = hash;
}

function go(camera, time, play = true) {
  player.writtenTime = each => (dayKey(each, zone()) === state.day ? '' : date(each, zone()) + ' ') + clock(each, zone());
  player.go(camera, time, {play});
  const key = dayKey(time, zone());
  if (key !== state.day) setDay(key);
  timeline.reveal(time);
}

/** `#rear@2026-11-20T14:20:05+01:00`, or a recording's name. */
async function openHash(play) {
  let text = location.hash.slice(1);
  // A link that is not ours is looked up as it is, and not found.
  try { text = decodeURIComponent(text); } catch {}
  if (!text) return player.close();
  if (location.hash === state.hash && player.camera) return;
  state.hash = location.hash;
  const at = text.lastIndexOf('@'), time = at < 0 ? null : parseMoment(text.slice(at + 1), dayKey(Date.now()), Date.now(), zone(), dayNames());
  if (time !== null) {
    const name = text.slice(0, at), known = () => footage.camera(name || null) ?? footage.camera(name);
    const camera = known() ?? (footage.chooseOf(name) ? known() : undefined);
    if (camera) return go(camera, time, play);
    return player.say(say('unknownCamera', {name: printable(text.slice(0, at))}), {isLasting: true});
  }
  try {
    const item = await details(text);
    if (item && footage.robots.length) footage.chooseOf(item.camera);
    const camera = item && footage.camera(item.camera);
    if (!camera) return player.say(say('unknown', {name: printable(text)}), {isLasting: true});
    go(camera, item.start !== undefined ? item.start * second : Date.parse(item.startedAt), play);
  } catch (error) {
    if (!(error instanceof Unreachable || error instanceof Refused)) throw error;
    player.say(error.message, {isLasting: true});
    state.hash = null;
  }
}

// ---- What is shown of all that

function showPlayer() {
  const {camera, now} = player, isOpen = camera !== null;
  find('stage').classList.toggle('vacant', !isOpen);
  find('play').querySelector('use').setAttribute('href', player.isPlaying ? '#-pausing' : '#-playing');
  aria(find('play'), 'label', say(player.isPlaying ? 'pause' : 'play').replace(/ ?[(（].*/, ''));
  find('play').title = say(player.isPlaying ? 'pause' : 'play');
  for (const button of find('speeds').children) aria(button, 'pressed', +button.dataset.rate === player.rate);
  find('live').hidden = !camera?.live;
  aria(find('live'), 'pressed', player.isLive);
  find('beside').hidden = footage.cameras.length < 2;
  aria(find('beside'), 'pressed', player.views.length > 1);
  for (const id of ['back', 'forward', 'frame-back', 'frame-on', 'play', 'copy', 'full', 'beside', 'clip-in', 'clip-out']) find(id).disabled = !isOpen;
  showCameras();
  showTime();
  if (isOpen && !player.isPlaying) showHash();
  document.title = isOpen && now !== null ? `${joined([shortClock(now, zone()), cameraName(camera.name)])} · Footage` : 'Footage';
}

function showTime() {
  const {camera, now, row} = player;
  write(find('clock'), now === null ? '' : clock(now, zone()));
  write(find('clock-day'), now === null ? '' : date(now, zone()) + ' ·');
  write(find('title'), camera ? cameraName(camera.name) : '');
  find('download').hidden = !row || row.state !== 'ready';
  if (row) find('download').href = `/recordings/${encodeName(row.name)}.mp4?v=${row.tag}`;
  if (about.row !== row) { about.show(row); list.mark(); }
  if (now !== null && dayKey(now, zone()) !== state.day && player.isPlaying) setDay(dayKey(now, zone()));
  if (player.isPlaying) timeline.reveal(now);
  showZone();
  showRemarks();
  timeline.describe();
  timeline.draw();
}

/** What is to be told of the cameras that are shown lies in their pictures. */
function showRemarks() {
  const {late} = state, {item} = about, {row, views} = player;
  for (const view of views) view.remark('late', late.includes(view.camera.name) && view.film.time > view.camera.to - hour ? say('late') : '');
  const isSilent = row && item?.name === row.name && item.audio && views[0].film.silent.has(row.tag);
  views[0]?.remark('sound', isSilent ? say('noSound', {codec: printable(item.audio.codec)}) : '');
}

function showRobots() {
  const box = find('robots'), {robots, shown} = footage, key = robots.join('/');
  box.hidden = robots.length < 2;
  if (box.key !== key) {
    box.key = key;
    box.replaceChildren(...robots.map(robot => new Option(printable(robot), robot)));
  }
  if (shown !== null && box.value !== shown) box.value = shown;
}

function showCameras() {
  showRobots();
  const box = find('cameras');
  footage.cameras.forEach((camera, index) => {
    let chip = [...box.children].find(each => each.camera === camera);
    if (!chip) chip = Object.assign(make('button', 'chip', make('bdi', '', cameraName(nameAtRobot(camera.name, footage.shown))), make('span', 'dot')), {camera});
    aria(chip, 'pressed', player.views.some(view => view.camera === camera));
    chip.classList.toggle('is-live', Boolean(camera.live));
    aria(chip.lastChild, 'label', camera.live ? say('recordedNow') : null);
    if (box.children[index] !== chip) box.insertBefore(chip, box.children[index] ?? null);
  });
  while (box.children.length > footage.cameras.length) box.lastChild.remove();
}

function showNote() {
  const {note} = player, box = find('note');
  box.hidden = !note;
  if (!note) return;
  write(find('note-text'), note.text);
  write(find('note-detail'), note.detail);
  find('note-act').hidden = !note.action;
  write(find('note-act'), note.action || '');
}

function showConnection() {
  const {trouble} = footage, isShown = trouble !== null && (watching.failures > 1 || !footage.isLoaded);
  find('banner').hidden = !isShown;
  if (!isShown) return;
  write(find('banner').firstElementChild, trouble instanceof Unreachable ? say('lost') : trouble.status === 403 ? say('certificate') : say('refusedConnection', {status: trouble.status}));
}

let isOpened = false;

footage.watch(camera => {
  showConnection();
  if (camera === null && footage.isLoaded && !isOpened) begin();
  // What a link names may have come meanwhile.
  else if (camera === null && isOpened && !footage.trouble && !player.camera && location.hash) openHash(false);
  if (!isOpened) return;
  if (camera === null && state.isNew && lastDay()) setDay(lastDay());
  if (camera === null && footage.trouble === null) player.reconnected();
  if (camera === null) { state.days.clear(); showCameras(); showPlayer(); }
  if (camera === null && state.day !== null) for (const each of footage.cameras) if (!each.known.length) each.need(timeline.bounds.from, timeline.bounds.to).catch(() => {});
  list.show();
  timeline.draw();
});

/** The last day up to today on which something was recorded; null before the first recording. */
function lastDay() {
  const to = Math.max(...footage.cameras.map(camera => camera.to ?? 0));
  return to > 0 ? dayKey(Math.min(to - 1, Date.now()), zone()) : null;
}

/** Once it is known which cameras there are. */
function begin() {
  isOpened = true;
  write(find('host'), footage.robot.name || location.host);
  // What happened at 14:20 behind the robot happened by its clock, but the viewer's own is what a link's offset is checked by.
  const today = dayKey(Date.now(), zone());
  state.day = null;
  if (location.hash.length > 1) openHash(false).then(() => { if (state.day === null) setDay(today); });
  else setDay(lastDay() ?? today);
  // Until somebody chooses a day, the first recording chooses it.
  state.isNew = !lastDay();
  showPlayer();
}

/** Whose time is shown, and the other one's; the button changes it. */
function showZone() {
  const robot = footage.robot.zone, at = player.now ?? Date.now();
  find('zone').hidden = !robot || offset(at, robot) === offset(at);
  const other = written(at, state.isMine ? robot : undefined, {weekday: 'short', hour: '2-digit', minute: '2-digit'});
  write(find('zone'), say(state.isMine ? 'zoneMine' : 'zoneRobot', {time: other}));
}

async function showHealth() {
  if (document.hidden) return;
  let health;
  try { health = await (await fetch('/health', {cache: 'no-store'})).json(); } catch { return; }
  const room = find('room'), seconds = health.forecastSeconds, reasons = health.reasons ?? [];
  state.late = reasons.filter(reason => reason.code === 'camera-late').map(reason => reason.camera);
  // In the robot's own words: which files there are that nobody can watch, and how they become recordings.
  write(find('foreign'), reasons.find(reason => reason.code === 'foreign-files')?.text ?? '');
  // Where the oldest recordings go as new ones come, there is none left to speak of, and nothing is wrong.
  const isShort = seconds >= 3600 || reasons.some(reason => reason.code.startsWith('disk-'));
  room.hidden = !(seconds >= 0 && seconds < 1e8 && isShort);
  write(room, say('room', {length: roomFor(seconds)}));
}

// ---- Hands

async function toMoment() {
  const input = find('moment'), text = input.value;
  if (!text.trim()) return;
  const time = parseMoment(text, state.day, Date.now(), zone(), dayNames());
  aria(input, 'invalid', time === null);
  if (time === null) return player.say(say('badMoment', {text: printable(text)}), {isLasting: true});
  input.blur();
  input.value = '';
  const camera = await player.cameraFor(time);
  if (camera) go(camera, time);
}

function choose(camera) {
  const {now} = player;
  if (now !== null) return go(camera, now, player.isPlaying);
  if (camera.rows.some(row => row.state === 'recording' && isPlayable(row))) return player.goLive(camera);
  const last = camera.rows.findLast(row => row.state === 'ready' && row.start < timeline.bounds.to) ?? null;
  go(camera, last ? last.start : camera.to ?? Date.now());
}

async function copyLink() {
  const {camera, now} = player;
  try {
    await navigator.clipboard.writeText(new URL(momentOf(camera, now), location).href);
  } catch {
    // Not allowed here: the address bar shows the same link.
    showHash();
    return;
  }
  const icon = find('copy').querySelector('use');
  icon.setAttribute('href', '#-done');
  spoken(say('linkCopied'));
  setTimeout(() => icon.setAttribute('href', '#-link'), 1600);
}

const fullScreen = () => document.fullscreenElement ? document.exitFullscreen() : find('stage').requestFullscreen?.();

const keys = {
  ' ': () => player.toggle(), ArrowLeft: () => player.by(-10 * second), ArrowRight: () => player.by(10 * second),
  ',': () => player.frame(-1), '.': () => player.frame(1), i: () => clip.set('from'), o: () => clip.set('to'), l: () => player.goLive(),
  g: () => player.beside(player.views.length < 2), f: fullScreen, '+': () => timeline.zoom(0.5), '-': () => timeline.zoom(2), 0: () => timeline.setDay(state.day, zone()),
  j: () => step(-1), k: () => step(1), Escape: () => calendar.close(),
};

/** The stretch before or behind the one that is shown. */
function step(direction) {
  const {camera, now} = player;
  if (!camera) return;
  const starts = camera.rows.filter(row => row.state !== 'refused').map(row => row.start);
  const next = direction < 0 ? starts.findLast(start => start < now - 2 * second) : starts.find(start => start > now);
  if (next !== undefined) go(camera, next);
}

function start() {
  translate();
  speeds.forEach(rate => {
    const button = make('button', '', `${rate.toLocaleString(locale)}×`);
    button.dataset.rate = rate;
    find('speeds').append(button);
  });
  Object.assign(timeline, {go: (camera, time) => camera && go(camera, time)});
  Object.assign(list, {go});
  Object.assign(calendar, {choose: setDay, known: () => { state.days.clear(); return knownDays(); }});
  Object.assign(clip, {changed: () => timeline.draw()});
  for (const part of [timeline, clip, list, about]) part.start();
  player.watch(what => ({time: showTime, state: showPlayer, note: showNote})[what]());
  showPlayer();

  on('form', 'submit', event => { event.preventDefault(); toMoment(); });
  on('robots', 'change', () => {
    player.close();
    if (footage.choose(find('robots').value)) setDay(state.day);
  });
  on('cameras', 'click', event => { const chip = event.target.closest('.chip'); if (chip) choose(chip.camera); });
  on('earlier', 'click', () => moveDay(-1));
  on('later', 'click', () => moveDay(1));
  on('day-open', 'click', () => find('calendar').hidden ? calendar.open() : calendar.close());
  on('month-back', 'click', () => calendar.move(-1));
  on('month-on', 'click', () => calendar.move(1));
  on('zone', 'click', () => {
    state.isMine = !state.isMine;
    const {now} = player, key = now !== null ? dayKey(now, zone()) : state.day;
    state.day = null;
    list.rows.clear();
    find('days').replaceChildren();
    setDay(key);
    showPlayer();
  });
  on('drawer-open', 'click', () => { const isOpen = document.body.classList.toggle('with-list'); aria(find('drawer-open'), 'expanded', isOpen); timeline.draw(); });
  on('zoom-in', 'click', () => timeline.zoom(0.5));
  on('zoom-out', 'click', () => timeline.zoom(2));
  on('zoom-day', 'click', () => timeline.setDay(state.day, zone()));
  on('play', 'click', () => player.toggle());
  on('screen', 'click', () => player.camera && player.toggle());
  on('back', 'click', keys.ArrowLeft);
  on('forward', 'click', keys.ArrowRight);
  on('frame-back', 'click', keys[',']);
  on('frame-on', 'click', keys['.']);
  on('live', 'click', keys.l);
  on('beside', 'click', keys.g);
  on('full', 'click', fullScreen);
  on('copy', 'click', copyLink);
  on('note-act', 'click', () => { const act = player.note?.act; player.say(''); act?.(); });
  on('banner', 'click', event => { if (event.target.matches('button')) watching.wake(); });
  on('speeds', 'click', event => { if (event.target.dataset.rate) player.setRate(+event.target.dataset.rate); });
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key, act = keys[key];
    if (!act || key === ' ' && event.target.matches('button, a, summary')) return;
    event.preventDefault();
    act();
  });
  addEventListener('hashchange', () => openHash(true));
  addEventListener('online', () => { watching.wake(); showHealth(); });
  document.addEventListener('visibilitychange', () => watching.wake());
  setInterval(() => {
    if (!player.camera || document.hidden) return;
    player.keepTogether();
    // What stands still is drawn once.
    if (player.isPlaying || player.now !== state.shown) { state.shown = player.now; showTime(); }
  }, 250);
  setInterval(() => { if (!document.hidden) timeline.draw(); }, 10000);
  watching.run();
  showHealth();
  setInterval(showHealth, 600000);
}

start();
