// What the page says, in the browser's language, and how it writes numbers, lengths and times.

const texts = {
  en: {
    moment: 'Go to a time', momentHint: 'yesterday 14:20', badMoment: 'Not a time: {text}. Try 14:20, or yesterday 14:20.',
    earlierDay: 'Earlier day', laterDay: 'Later day', calendar: 'Choose a day', today: 'Today', yesterday: 'Yesterday',
    zoneRobot: 'Robot’s time', zoneMine: 'My time', list: 'Recordings', lasting: 'Length', anyLength: 'Any length', timeline: 'Timeline', cameras: 'Cameras', robots: 'Robots', noCamera: 'No camera',
    zoomIn: 'Zoom in (+)', zoomOut: 'Zoom out (−)', wholeDay: 'Whole day (0)',
    play: 'Play (Space)', pause: 'Pause (Space)', back: '10 seconds back (←)', forward: '10 seconds on (→)', frameBack: 'One picture back (,)',
    frameOn: 'One picture on (.)', speed: 'Speed', live: 'Live', goLive: 'What is being recorded now (L)', beside: 'Cameras side by side (G)', full: 'Full screen (F)',
    link: 'Copy a link to this moment', linkCopied: 'Link copied', keep: 'Keep', keepHint: 'Keep this recording from being deleted', releaseHint: 'Kept: release it, so that it may be deleted to make room',
    kept: 'Kept from being deleted', released: 'Released', inStore: 'In the store alone', inBoth: 'Also in the store',
    clip: 'Clip', clipIn: 'Begin the clip here (I)', clipOut: 'End the clip here (O)', clipLength: 'Clip of {length}', download: 'Download', share: 'Share', clear: 'Discard',
    clipNone: 'Now go to its other end, and set that.', clipTooLong: 'A clip is two hours at most.', clipRefused: 'This cannot be one file: {reason}',
    nothing: 'Nothing recorded on this day', nothingAtAll: 'No recordings yet', howToRecord: 'Copy an MP4 into the recordings folder, for each camera into one of its own. It appears here by itself.',
    nearest: 'Nothing was recorded at {time}. Next: {next}', nearestBefore: 'Nothing was recorded at {time}. The last before: {next}', noneAt: 'Nothing was recorded at {time}',
    hint: 'Press a moment on the timeline, or type one above.', toNearest: 'Show {time}', gap: 'Nothing was recorded from {from} to {to}', end: 'That was the last picture', loading: 'Loading…',
    lost: 'No connection to the robot. Trying again…', refusedConnection: 'The robot answered with an error ({status}). Trying again…', certificate: 'This robot asks for a client certificate. Install yours in this browser, and open the page again.',
    now: 'Try now', gone: 'This recording was deleted from the robot', codec: 'This browser cannot play {codec}', codecHint: 'Open this page in another one, or download the recording.', failed: 'Playback stopped', again: 'Try again',
    unknown: 'The robot has no recording named “{name}”', unknownCamera: 'The robot has no camera named “{name}”',
    isRecording: 'Being recorded', recordedNow: 'recording now', isRecovered: 'Recovered up to where its recorder stopped',
    cannotPlay: 'Cannot be played', cutOff: 'The recorder was cut off', why: 'Why?', room: 'room for {length}', hours: '{n} h', days: '{n} days', recordings: '{n} recordings', recording: '1 recording',
    position: '{time}, {what}', ready: 'footage', none: 'nothing recorded',
  },
  de: {
    moment: 'Zu einer Zeit gehen', momentHint: 'gestern 14:20', badMoment: 'Keine Zeit: {text}. Zum Beispiel 14:20 oder gestern 14:20.',
    earlierDay: 'Früherer Tag', laterDay: 'Späterer Tag', calendar: 'Tag wählen', today: 'Heute', yesterday: 'Gestern',
    zoneRobot: 'Zeit des Roboters', zoneMine: 'Meine Zeit', list: 'Aufnahmen', lasting: 'Länge', anyLength: 'Jede Länge', timeline: 'Zeitleiste', cameras: 'Kameras', robots: 'Roboter', noCamera: 'Ohne Kamera',
    zoomIn: 'Vergrößern (+)', zoomOut: 'Verkleinern (−)', wholeDay: 'Ganzer Tag (0)',
    play: 'Abspielen (Leertaste)', pause: 'Anhalten (Leertaste)', back: '10 Sekunden zurück (←)', forward: '10 Sekunden vor (→)', frameBack: 'Ein Bild zurück (,)',
    frameOn: 'Ein Bild vor (.)', speed: 'Tempo', live: 'Live', goLive: 'Was gerade aufgenommen wird (L)', beside: 'Kameras nebeneinander (G)', full: 'Vollbild (F)',
    link: 'Link auf diesen Moment kopieren', linkCopied: 'Link kopiert', keep: 'Behalten', keepHint: 'Diese Aufnahme vor dem Löschen schützen', releaseHint: 'Geschützt: freigeben, damit sie gelöscht werden darf, wenn Platz fehlt',
    kept: 'Vor dem Löschen geschützt', released: 'Freigegeben', inStore: 'Nur noch im Speicher', inBoth: 'Auch im Speicher',
    clip: 'Ausschnitt', clipIn: 'Ausschnitt hier beginnen (I)', clipOut: 'Ausschnitt hier beenden (O)', clipLength: 'Ausschnitt von {length}', download: 'Herunterladen', share: 'Teilen', clear: 'Verwerfen',
    clipNone: 'Nun zum anderen Ende gehen und es setzen.', clipTooLong: 'Ein Ausschnitt dauert höchstens zwei Stunden.', clipRefused: 'Das geht nicht in eine Datei: {reason}',
    nothing: 'An diesem Tag wurde nichts aufgenommen', nothingAtAll: 'Noch keine Aufnahmen', howToRecord: 'Eine MP4-Datei in den Ordner der Aufnahmen kopieren, für jede Kamera in einen eigenen. Sie erscheint hier von selbst.',
    nearest: 'Um {time} wurde nichts aufgenommen. Danach: {next}', nearestBefore: 'Um {time} wurde nichts aufgenommen. Zuletzt davor: {next}', noneAt: 'Um {time} wurde nichts aufgenommen',
    hint: 'Auf der Zeitleiste einen Moment drücken, oder oben einen eingeben.', toNearest: '{time} zeigen', gap: 'Von {from} bis {to} wurde nichts aufgenommen', end: 'Das war das letzte Bild', loading: 'Lädt…',
    lost: 'Keine Verbindung zum Roboter. Neuer Versuch…', refusedConnection: 'Der Roboter antwortet mit einem Fehler ({status}). Neuer Versuch…', certificate: 'Dieser Roboter verlangt ein Client-Zertifikat. Installieren Sie Ihres in diesem Browser, und öffnen Sie die Seite neu.',
    now: 'Jetzt versuchen', gone: 'Diese Aufnahme wurde auf dem Roboter gelöscht', codec: 'Dieser Browser kann {codec} nicht abspielen', codecHint: 'Die Seite in einem anderen öffnen, oder die Aufnahme herunterladen.', failed: 'Wiedergabe angehalten', again: 'Noch einmal',
    unknown: 'Der Roboter hat keine Aufnahme namens „{name}“', unknownCamera: 'Der Roboter hat keine Kamera namens „{name}“',
    isRecording: 'Wird aufgenommen', recordedNow: 'nimmt auf', isRecovered: 'Gerettet bis dahin, wo der Rekorder aufhörte',
    cannotPlay: 'Nicht abspielbar', cutOff: 'Der Rekorder wurde unterbrochen', why: 'Warum?', room: 'Platz für {length}', hours: '{n} Std.', days: '{n} Tage', recordings: '{n} Aufnahmen', recording: '1 Aufnahme',
    position: '{time}, {what}', ready: 'Aufnahme', none: 'nichts aufgenommen',
  },
  zh: {
    moment: '跳转到时间', momentHint: '昨天 14:20', badMoment: '无法识别的时间：{text}。例如 14:20 或 昨天 14:20。',
    earlierDay: '前一天', laterDay: '后一天', calendar: '选择日期', today: '今天', yesterday: '昨天',
    zoneRobot: '机器人时间', zoneMine: '我的时间', list: '录像', lasting: '时长', anyLength: '任意时长', timeline: '时间轴', cameras: '摄像头', robots: '机器人', noCamera: '无摄像头',
    zoomIn: '放大 (+)', zoomOut: '缩小 (−)', wholeDay: '全天 (0)',
    play: '播放（空格）', pause: '暂停（空格）', back: '后退 10 秒 (←)', forward: '前进 10 秒 (→)', frameBack: '上一帧 (,)',
    frameOn: '下一帧 (.)', speed: '速度', live: '直播', goLive: '正在录制的画面 (L)', beside: '多画面 (G)', full: '全屏 (F)',
    link: '复制此刻的链接', linkCopied: '链接已复制', keep: '保留', keepHint: '防止此录像被删除', releaseHint: '已保留：取消后可在空间不足时删除',
    kept: '已防止删除', released: '已取消保留', inStore: '仅在存储中', inBoth: '也在存储中',
    clip: '片段', clipIn: '片段从此开始 (I)', clipOut: '片段到此结束 (O)', clipLength: '片段 {length}', download: '下载', share: '分享', clear: '放弃',
    clipNone: '请转到片段的另一端并设置。', clipTooLong: '片段最长两小时。', clipRefused: '无法合成一个文件：{reason}',
    nothing: '这一天没有录像', nothingAtAll: '还没有录像', howToRecord: '把 MP4 复制到录像文件夹，每个摄像头一个文件夹，会自动出现在这里。',
    nearest: '{time} 没有录像。之后：{next}', nearestBefore: '{time} 没有录像。之前最近：{next}', noneAt: '{time} 没有录像',
    hint: '点按时间轴上的某一刻，或在上方输入时间。', toNearest: '显示 {time}', gap: '{from} 至 {to} 没有录像', end: '已是最后一帧', loading: '加载中…',
    lost: '无法连接机器人，正在重试…', refusedConnection: '机器人返回错误（{status}），正在重试…', certificate: '此机器人需要客户端证书。请在浏览器中安装后重新打开本页。',
    now: '立即重试', gone: '此录像已从机器人上删除', codec: '此浏览器无法播放 {codec}', codecHint: '请换一个浏览器打开本页，或下载录像。', failed: '播放已停止', again: '重试',
    unknown: '机器人上没有名为“{name}”的录像', unknownCamera: '机器人上没有名为“{name}”的摄像头',
    isRecording: '正在录制', recordedNow: '正在录制', isRecovered: '已恢复到录制中断处',
    cannotPlay: '无法播放', cutOff: '录制被中断', why: '为什么？', room: '还可录 {length}', hours: '{n} 小时', days: '{n} 天', recordings: '{n} 个录像', recording: '1 个录像',
    position: '{time}，{what}', ready: '有录像', none: '无录像',
  },
};

export const language = (navigator.languages ?? [navigator.language]).map(tag => tag.slice(0, 2)).find(tag => texts[tag]) ?? 'en';
/** Numbers and dates are written as the browser's own locale does, where the page speaks its language. */
export const locale = navigator.language?.slice(0, 2) === language ? navigator.language : language;

export const say = (key, values = {}) => texts[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');

/** What would break a line of text, or turn its direction, is made visible. */
export const printable = name => (name ?? '').replace(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');

export const joined = parts => parts.filter(Boolean).join(' · ');

const formats = new Map();

/** Writes times in a zone; `style` is of `Intl.DateTimeFormat`. */
export function written(time, zone, style) {
  const key = `${zone} ${JSON.stringify(style)}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(locale, {timeZone: zone, ...style}));
  return formats.get(key).format(time);
}

export const clock = (time, zone) => written(time, zone, {hour: '2-digit', minute: '2-digit', second: '2-digit'});
export const shortClock = (time, zone) => written(time, zone, {hour: '2-digit', minute: '2-digit'});
export const date = (time, zone) => written(time, zone, {weekday: 'short', day: 'numeric', month: 'short', year: 'numeric'});

/** The words for days as people type them, in the page's language and in English. */
export function dayNames() {
  const own = [language, 'en'], sunday = Date.UTC(2023, 0, 1);
  const weekday = (index, tag, width) => new Intl.DateTimeFormat(tag, {timeZone: 'UTC', weekday: width}).format(sunday + index * 86400000);
  return {
    today: own.map(tag => texts[tag].today.toLowerCase()),
    yesterday: own.map(tag => texts[tag].yesterday.toLowerCase()),
    weekdays: [0, 1, 2, 3, 4, 5, 6].map(index => own.flatMap(tag => ['long', 'short'].map(width => weekday(index, tag, width).toLowerCase().replace('.', '')))),
  };
}

export function length(milliseconds) {
  const whole = Math.round(milliseconds / 1000), two = number => String(number).padStart(2, '0');
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

export function size(bytes) {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)), value = bytes / 1000 ** power;
  const places = power === 0 || value >= 100 ? 0 : 1;
  return value.toLocaleString(locale, {minimumFractionDigits: places, maximumFractionDigits: places}) + ' ' + ['B', 'kB', 'MB', 'GB', 'TB'][power];
}

export const codecName = text => ({avc: 'H.264', hvc: 'HEVC (H.265)', hev: 'HEVC (H.265)', av0: 'AV1'})[text.slice(0, 3)] ?? text;
export const cameraName = name => name === null ? say('noCamera') : printable(name);
export const counted = count => count === 1 ? say('recording') : say('recordings', {n: count.toLocaleString(locale)});
