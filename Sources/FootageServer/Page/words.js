// What the page says, in the browser's language, and how it writes numbers, lengths and times.

const texts = {
  en: {
    moment: 'Go to a time', momentHint: 'yesterday 14:20', badMoment: 'Not a valid time: {text}. Try yesterday 14:20.',
    earlierDay: 'Earlier day', laterDay: 'Later day', monthBack: 'Previous month', monthOn: 'Next month', calendar: 'Choose a day', today: 'Today', yesterday: 'Yesterday',
    zoneRobot: 'Robot’s time · {time} here', zoneMine: 'My time · {time} at the robot', list: 'Recordings', lasting: 'Length', anyLength: 'Any length', timeline: 'Timeline', cameras: 'Cameras', robots: 'Robots', noCamera: 'No camera',
    zoomIn: 'Zoom in (+)', zoomOut: 'Zoom out (−)', wholeDay: 'Whole day (0)',
    play: 'Play (Space)', pause: 'Pause (Space)', back: '10 seconds back (←)', forward: '10 seconds forward (→)', frameBack: 'One picture back (,)',
    frameOn: 'One picture forward (.)', speed: 'Speed', live: 'Live', goLive: 'What is being recorded now (L)', beside: 'Cameras side by side (G)', full: 'Full screen (F)',
    link: 'Copy a link to this moment', linkCopied: 'Link copied', keep: 'Keep', keepHint: 'Keep this recording from being deleted', releaseHint: 'Release it and allow deletion to make room',
    kept: 'Kept from being deleted', released: 'Released', inStore: 'Only in the store', inBoth: 'Also in the store',
    clip: 'Clip', clipIn: 'Begin the clip here (I)', clipOut: 'End the clip here (O)', clipLength: 'Clip of {length}', download: 'Download', share: 'Share', clear: 'Discard',
    clipNone: 'Now set the other end.', clipTooLong: 'A clip is at most two hours long.', clipRefused: 'Cannot be saved as one file: {reason}',
    nothing: 'Nothing recorded on this day', nothingAtAll: 'No recordings yet', howToRecord: 'Copy an MP4 into the recordings folder, one subfolder per camera. It appears here automatically.',
    nearest: '{camera}: nothing was recorded at {time}. Next: {next}', nearestBefore: '{camera}: nothing was recorded at {time}. Previous: {next}', noneAt: '{camera}: nothing was recorded at {time}',
    hint: 'Select a time on the timeline, or type one above.', toNearest: 'Show {time}', gap: '{camera}: nothing was recorded from {from} to {to}', stood: 'Playback stood still at {time} and was moved on', end: 'End of the recordings', loading: 'Loading…',
    lost: 'No connection to the robot. Retrying…', refusedConnection: 'The robot returned an error ({status}). Retrying…', certificate: 'This robot requires a client certificate. Install yours in this browser and open the page again.',
    now: 'Retry now', gone: 'This recording was deleted from the robot', codec: 'This browser cannot play {codec}.', codecHint: 'Use another browser, or download the recording.', codecNowhere: 'No browser plays {codec}.', codecRecorder: 'Set the recorder to H.264 (avc1). Until then, download the recording.',
    noSound: 'The sound of this recording ({codec}) cannot be played here', liveLate: 'This camera’s recordings can be watched when they are finished, up to {length} late', late: 'This camera has recorded nothing for an unusually long time', failed: 'Playback stopped', again: 'Try again',
    unknown: 'The robot has no recording named “{name}”', unknownCamera: 'The robot has no camera named “{name}”',
    isRecording: 'Being recorded', recordedNow: 'Recording now', isRecovered: 'Recovered up to the interruption',
    cannotPlay: 'Cannot be played', cutOff: 'The recorder was interrupted', why: 'Why?', room: 'room for {length}', recordings: '{n} recordings', recording: '1 recording',
    position: '{time}, {what}', ready: 'footage', none: 'nothing recorded',
  },
  de: {
    moment: 'Zu einem Zeitpunkt springen', momentHint: 'gestern 14:20', badMoment: 'Keine gültige Zeitangabe: {text}. Beispiel: gestern 14:20.',
    earlierDay: 'Voriger Tag', laterDay: 'Nächster Tag', monthBack: 'Voriger Monat', monthOn: 'Nächster Monat', calendar: 'Tag wählen', today: 'Heute', yesterday: 'Gestern',
    zoneRobot: 'Zeit des Roboters · hier {time}', zoneMine: 'Meine Zeit · beim Roboter {time}', list: 'Aufnahmen', lasting: 'Dauer', anyLength: 'Beliebige Dauer', timeline: 'Zeitleiste', cameras: 'Kameras', robots: 'Roboter', noCamera: 'Ohne Kamera',
    zoomIn: 'Vergrößern (+)', zoomOut: 'Verkleinern (−)', wholeDay: 'Ganzer Tag (0)',
    play: 'Abspielen (Leertaste)', pause: 'Pause (Leertaste)', back: '10 Sekunden zurück (←)', forward: '10 Sekunden vor (→)', frameBack: 'Ein Bild zurück (,)',
    frameOn: 'Ein Bild vor (.)', speed: 'Geschwindigkeit', live: 'Live', goLive: 'Zur laufenden Aufnahme (L)', beside: 'Kameras nebeneinander (G)', full: 'Vollbild (F)',
    link: 'Link zu diesem Zeitpunkt kopieren', linkCopied: 'Link kopiert', keep: 'Schützen', keepHint: 'Vor dem Löschen schützen', releaseHint: 'Schutz aufheben und Löschen bei Platzmangel erlauben',
    kept: 'Vor dem Löschen geschützt', released: 'Schutz aufgehoben', inStore: 'Nur noch im Objektspeicher', inBoth: 'Auch im Objektspeicher',
    clip: 'Ausschnitt', clipIn: 'Ausschnitt hier beginnen (I)', clipOut: 'Ausschnitt hier beenden (O)', clipLength: 'Ausschnitt: {length}', download: 'Herunterladen', share: 'Teilen', clear: 'Verwerfen',
    clipNone: 'Jetzt das andere Ende festlegen.', clipTooLong: 'Ausschnitte sind höchstens zwei Stunden lang.', clipRefused: 'Lässt sich nicht als eine Datei speichern: {reason}',
    nothing: 'An diesem Tag wurde nichts aufgenommen', nothingAtAll: 'Noch keine Aufnahmen', howToRecord: 'Eine MP4-Datei in den Aufnahmeordner kopieren, mit einem Unterordner je Kamera. Sie erscheint hier automatisch.',
    nearest: '{camera}, {time}: nichts aufgenommen. Nächste Aufnahme: {next}', nearestBefore: '{camera}, {time}: nichts aufgenommen. Vorige Aufnahme: {next}', noneAt: '{camera}, {time}: nichts aufgenommen',
    hint: 'Zeitpunkt auf der Zeitleiste auswählen oder oben eingeben.', toNearest: 'Zu {time} springen', gap: '{camera}, {from} bis {to}: nichts aufgenommen', stood: 'Die Wiedergabe stand um {time} still und wurde weitergeführt', end: 'Ende der Aufnahmen', loading: 'Wird geladen …',
    lost: 'Keine Verbindung zum Roboter. Neuer Versuch …', refusedConnection: 'Der Roboter meldet einen Fehler ({status}). Neuer Versuch …', certificate: 'Dieser Roboter verlangt ein Client-Zertifikat. Das eigene in diesem Browser installieren und die Seite erneut öffnen.',
    now: 'Jetzt erneut versuchen', gone: 'Diese Aufnahme wurde auf dem Roboter gelöscht', codec: 'Dieser Browser kann {codec} nicht abspielen.', codecHint: 'In einem anderen Browser öffnen oder die Aufnahme herunterladen.', codecNowhere: 'Kein Browser kann {codec} abspielen.', codecRecorder: 'Den Rekorder auf H.264 (avc1) einstellen. Bis dahin die Aufnahme herunterladen.',
    noSound: 'Der Ton dieser Aufnahme ({codec}) lässt sich hier nicht abspielen', liveLate: 'Aufnahmen dieser Kamera sind erst abspielbar, wenn sie beendet sind, bis zu {length} später', late: 'Diese Kamera hat ungewöhnlich lange nichts aufgenommen', failed: 'Wiedergabe abgebrochen', again: 'Erneut versuchen',
    unknown: 'Der Roboter hat keine Aufnahme namens „{name}“', unknownCamera: 'Der Roboter hat keine Kamera namens „{name}“',
    isRecording: 'Wird aufgenommen', recordedNow: 'Aufnahme läuft', isRecovered: 'Bis zur Unterbrechung wiederhergestellt',
    cannotPlay: 'Nicht abspielbar', cutOff: 'Aufnahme unterbrochen', why: 'Warum?', room: 'Platz für {length}', recordings: '{n} Aufnahmen', recording: '1 Aufnahme',
    position: '{time}, {what}', ready: 'Aufnahme', none: 'nichts aufgenommen',
  },
  zh: {
    moment: '跳转到时间', momentHint: '昨天 14:20', badMoment: '无法识别的时间：{text}。例如“昨天 14:20”。',
    earlierDay: '上一个有录像的日期', laterDay: '下一个有录像的日期', monthBack: '上个月', monthOn: '下个月', calendar: '选择日期', today: '今天', yesterday: '昨天',
    zoneRobot: '机器人时间 · 本机 {time}', zoneMine: '本机时间 · 机器人 {time}', list: '录像', lasting: '时长', anyLength: '任意时长', timeline: '时间轴', cameras: '摄像头', robots: '机器人', noCamera: '未指定摄像头',
    zoomIn: '放大（+）', zoomOut: '缩小（−）', wholeDay: '全天（0）',
    play: '播放（空格）', pause: '暂停（空格）', back: '后退 10 秒（←）', forward: '前进 10 秒（→）', frameBack: '上一帧（,）',
    frameOn: '下一帧（.）', speed: '速度', live: '实时', goLive: '正在录制的画面（L）', beside: '多画面（G）', full: '全屏（F）',
    link: '复制此时间点的链接', linkCopied: '链接已复制', keep: '保护', keepHint: '防止此录像被删除', releaseHint: '取消保护，允许在空间不足时删除',
    kept: '已保护，不会被删除', released: '已取消保护', inStore: '仅在对象存储中', inBoth: '对象存储中也有',
    clip: '片段', clipIn: '设为片段起点（I）', clipOut: '设为片段终点（O）', clipLength: '片段时长：{length}', download: '下载', share: '分享', clear: '清除',
    clipNone: '请设置片段的另一个端点。', clipTooLong: '片段最长两小时。', clipRefused: '无法保存为单个文件：{reason}',
    nothing: '这一天没有录像', nothingAtAll: '还没有录像', howToRecord: '把 MP4 复制到录像文件夹，每个摄像头一个子文件夹；录像会自动出现在这里。',
    nearest: '{camera}：{time} 没有录像。下一段：{next}', nearestBefore: '{camera}：{time} 没有录像。上一段：{next}', noneAt: '{camera}：{time} 没有录像',
    hint: '选择时间轴上的时间点，或在上方输入时间。', toNearest: '跳转到 {time}', gap: '{camera}：{from} 至 {to} 没有录像', stood: '播放曾停在 {time}，已继续播放', end: '已到录像末尾', loading: '加载中…',
    lost: '无法连接机器人，正在重试…', refusedConnection: '机器人返回错误（{status}），正在重试…', certificate: '此机器人需要客户端证书。请在此浏览器中安装您的证书，然后重新打开此页面。',
    now: '立即重试', gone: '此录像已从机器人上删除', codec: '此浏览器无法播放 {codec}。', codecHint: '请使用其他浏览器打开，或下载录像。', codecNowhere: '没有浏览器能播放 {codec}。', codecRecorder: '请把录像设备设为 H.264（avc1）；在此之前请下载录像。',
    noSound: '此录像的声音（{codec}）无法在此播放', liveLate: '此摄像头的录像要在录完后才能观看，最多晚 {length}', late: '此摄像头已异常长时间没有录像', failed: '播放中断', again: '重试',
    unknown: '机器人上没有名为“{name}”的录像', unknownCamera: '机器人上没有名为“{name}”的摄像头',
    isRecording: '正在录制', recordedNow: '正在录制', isRecovered: '已恢复到录制中断处',
    cannotPlay: '无法播放', cutOff: '录制被中断', why: '查看原因', room: '还可录 {length}', recordings: '{n} 段录像', recording: '1 段录像',
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

/** How late something is, in seconds or in minutes. */
export function lateness(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000), [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return count.toLocaleString(locale, {style: 'unit', unit, unitDisplay: 'long'});
}

export function size(bytes) {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)), value = bytes / 1000 ** power;
  const places = power === 0 || value >= 100 ? 0 : 1;
  return value.toLocaleString(locale, {minimumFractionDigits: places, maximumFractionDigits: places}) + ' ' + ['B', 'kB', 'MB', 'GB', 'TB'][power];
}

/** How long the disk has room: in whole hours below two days, otherwise in days with at most one decimal place. */
export function roomFor(seconds) {
  const [count, unit] = seconds < 172800 ? [Math.floor(seconds / 3600), 'hour'] : [seconds / 86400, 'day'];
  return count.toLocaleString(locale, {style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1});
}

/** Whether there are browsers that play such pictures. */
export const isForBrowsers = codec => /^(avc|hvc|hev|av0|vp0)/.test(codec);
export const codecName = text => ({avc: 'H.264', hvc: 'HEVC (H.265)', hev: 'HEVC (H.265)', av0: 'AV1'})[text.slice(0, 3)] ?? printable(text);
export const cameraName = name => name === null ? say('noCamera') : printable(name);
export const counted = count => count === 1 ? say('recording') : say('recordings', {n: count.toLocaleString(locale)});
