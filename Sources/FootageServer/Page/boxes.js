// What a player and a decoder want to know of an MP4 (ISO/IEC 14496-12, 14496-15): codecs, tracks, and a key frame's bytes.

export const view = bytes => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const hex = number => number.toString(16).toUpperCase().padStart(2, '0');

/** The boxes between two places, as `[type, begin of what is in it, end]`. */
export function* boxes(bytes, from, to) {
  const data = view(bytes);
  while (from + 8 <= to) {
    let size = data.getUint32(from), head = 8;
    const type = String.fromCharCode(...bytes.subarray(from + 4, from + 8));
    if (size === 1 && from + 16 <= to) { size = Number(data.getBigUint64(from + 8)); head = 16; }
    if (size === 0) size = to - from;
    if (size < head || from + size > to) return;
    yield [type, from + head, from + size];
    from += size;
  }
}

export const join = (...parts) => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { bytes.set(part, at); at += part.length; }
  return bytes;
};

/** A box of a type, with these bytes in it. */
export function box(type, ...parts) {
  const bytes = join(new Uint8Array(8), ...parts);
  view(bytes).setUint32(0, bytes.length);
  for (let index = 0; index < 4; index += 1) bytes[4 + index] = type.charCodeAt(index);
  return bytes;
}

function inside(bytes, [from, to], type) {
  for (const box of boxes(bytes, from, to)) if (box[0] === type) return box.slice(1);
  return null;
}

/** What is in the box at this path; null where there is none. */
export const path = (bytes, range, ...types) => types.reduce((at, type) => at && inside(bytes, at, type), range);

/** `hvc1.1.6.L93.B0` (ISO/IEC 14496-15 annex E). */
function hevc(type, bytes, at) {
  const data = view(bytes), general = bytes[at + 1];
  let flags = 0;
  for (let bit = 0; bit < 32; bit += 1) flags |= (data.getUint32(at + 2) >>> bit & 1) << 31 - bit;
  const rest = [...bytes.subarray(at + 6, at + 12)];
  while (rest.at(-1) === 0) rest.pop();
  return [type, ['', 'A', 'B', 'C'][general >> 6] + (general & 31), (flags >>> 0).toString(16).toUpperCase(),
    (general & 32 ? 'H' : 'L') + bytes[at + 12], ...rest.map(byte => byte.toString(16).toUpperCase())].join('.');
}

/** Of an `esds` (ISO/IEC 14496-1 §7.2.6): the codec, that is the object type, and of AAC which of its kinds, and its channels. */
function elementary(bytes, from, to) {
  let at = from + 4, object = 0;
  while (at + 2 < to) {
    const tag = bytes[at];
    do at += 1; while (bytes[at] & 128);
    at += 1;
    if (tag === 3) at += 3;
    else if (tag === 4) { object = bytes[at]; at += 13; }
    else if (tag === 5) return {codec: `mp4a.${hex(object).toLowerCase()}.${bytes[at] >> 3}`, channels: bytes[at + 1] >> 3 & 15};
    else break;
  }
  return {codec: 'mp4a.' + hex(object).toLowerCase()};
}

const videoEntry = 78, soundEntry = 28;

// The fields after the times, which are longer in version 1 of a header.
const afterTimes = (bytes, [from]) => from + (bytes[from] ? 20 : 12);

function track(bytes, range) {
  const entries = path(bytes, range, 'mdia', 'minf', 'stbl', 'stsd'), header = inside(bytes, range, 'tkhd');
  const times = path(bytes, range, 'mdia', 'mdhd'), handler = path(bytes, range, 'mdia', 'hdlr');
  if (!entries || !header || !times || !handler) return null;
  const [type, from, to] = boxes(bytes, entries[0] + 8, entries[1]).next().value ?? [];
  const data = view(bytes), found = {type, codec: type, id: data.getUint32(afterTimes(bytes, header)), timescale: data.getUint32(afterTimes(bytes, times)),
    isVideo: data.getUint32(handler[0] + 8) === 0x76696465};
  if (['avc1', 'avc3', 'hvc1', 'hev1', 'av01'].includes(type)) {
    const box = [from + videoEntry, to];
    const configuration = inside(bytes, box, 'avcC') ?? inside(bytes, box, 'hvcC') ?? inside(bytes, box, 'av1C');
    if (!configuration) return null;
    const at = configuration[0];
    found.description = bytes.slice(...configuration);
    found.width = data.getUint16(from + 24);
    found.height = data.getUint16(from + 26);
    found.codec = type.startsWith('avc') ? `${type}.${hex(bytes[at + 1])}${hex(bytes[at + 2])}${hex(bytes[at + 3])}`
      : type === 'av01' ? `av01.${bytes[at + 1] >> 5}.${String(bytes[at + 1] & 31).padStart(2, '0')}M.08` : hevc(type, bytes, at);
    // The matrix's first row: which way the picture's right goes.
    const matrix = header[0] + (bytes[header[0]] === 1 ? 52 : 40);
    const [a, b] = [data.getInt32(matrix), data.getInt32(matrix + 4)];
    found.rotation = b > 0 ? 90 : b < 0 ? 270 : a < 0 ? 180 : 0;
  } else if (type === 'mp4a') {
    const descriptor = inside(bytes, [from + soundEntry, to], 'esds');
    if (descriptor) Object.assign(found, elementary(bytes, ...descriptor));
    found.rate = data.getUint16(from + 24);
  } else if (type === 'Opus' || type === 'fLaC') {
    found.codec = type.toLowerCase();
  }
  return found;
}

/** The tracks of a movie, or of an init segment. */
export function tracks(bytes) {
  const movie = inside(bytes, [0, bytes.length], 'moov');
  if (!movie) return [];
  return [...boxes(bytes, ...movie)].filter(box => box[0] === 'trak').map(box => track(bytes, box.slice(1))).filter(Boolean);
}

/** The same of an init segment, each with its media type and an init segment of its own. */
export function parts(bytes) {
  const alone = (range, id) => [...boxes(bytes, ...range)].filter(([type, from, to]) =>
    type === 'trak' ? view(bytes).getUint32(afterTimes(bytes, inside(bytes, [from, to], 'tkhd') ?? [from])) === id
      : type !== 'trex' || view(bytes).getUint32(from + 4) === id)
    .map(([type, from, to]) => ['moov', 'mvex'].includes(type) ? box(type, ...alone([from, to], id)) : bytes.subarray(from - 8, to));
  return tracks(bytes).map(each => ({...each, mime: `${each.isVideo ? 'video' : 'audio'}/mp4; codecs="${each.codec}"`, bytes: join(...alone([0, bytes.length], each.id))}));
}

/** The picture of a movie of one sample, and how it is decoded; null where there is none. */
export function keyFrame(bytes) {
  const video = tracks(bytes).find(each => each.isVideo), media = inside(bytes, [0, bytes.length], 'mdat');
  return video && media && media[1] > media[0] ? {...video, data: bytes.subarray(...media)} : null;
}
