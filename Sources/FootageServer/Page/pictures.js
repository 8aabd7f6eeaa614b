// Key frames as pictures: a movie of one sample, decoded by the browser (WebCodecs). Without that there are none.
import {askBytes, encodeName, pause} from './robot.js';
import {keyFrame} from './boxes.js';

// At once; pictures that are kept; pixels of a side that one has at most.
const most = 3, kept = 90, longest = 960;

export const canDecode = 'VideoDecoder' in globalThis;

/** Somebody who saves data has no pictures that nobody asked for. */
export const isSaving = () => Boolean(navigator.connection?.saveData);

function decoded({codec, description, width, height, rotation, data}) {
  return new Promise((resolve, reject) => {
    const decoder = new VideoDecoder({
      output(frame) {
        const scale = Math.min(1, longest / Math.max(frame.displayWidth, frame.displayHeight));
        const size = {resizeWidth: Math.round(frame.displayWidth * scale), resizeHeight: Math.round(frame.displayHeight * scale)};
        createImageBitmap(frame, size).then(bitmap => resolve({bitmap, rotation}), reject).finally(() => frame.close());
      },
      error: reject,
    });
    decoder.configure({codec, description, codedWidth: width, codedHeight: height, optimizeForLatency: true});
    decoder.decode(new EncodedVideoChunk({type: 'key', timestamp: 0, data}));
    decoder.flush().then(() => decoder.close(), reject);
  });
}

/** The picture at a moment of a recording: its key frame at that second or before it. */
class Pictures {
  #made = new Map();
  #waiting = [];
  #running = new Map();

  /** How many bytes came, and how many pictures: what looking around costs. */
  spent = {bytes: 0, pictures: 0};

  static key(row, time) { return `${row.tag} ${Math.max(0, Math.floor((time - row.start) / 1000))}`; }

  have(row, time) { return this.#made.get(Pictures.key(row, time)); }

  /** Null where it cannot be had, or where nobody waits for it any more: the latest of an `owner` counts, others are given up. */
  get(row, time, owner) {
    const key = Pictures.key(row, time), made = this.#made.get(key);
    if (made || !canDecode || row.tag === null) return Promise.resolve(made ?? null);
    if (owner) this.drop(owner);
    return new Promise(resolve => {
      this.#waiting.push({key, row, second: +key.split(' ')[1], owner, resolve});
      this.#next();
    });
  }

  /** What this owner waits for is not begun any more. */
  drop(owner) {
    for (const job of this.#waiting.filter(job => job.owner === owner)) job.resolve(null);
    this.#waiting = this.#waiting.filter(job => job.owner !== owner);
  }

  #next() {
    while (this.#running.size < most && this.#waiting.length) {
      const job = this.#waiting.pop();
      const running = this.#running.get(job.key) ?? this.#make(job);
      this.#running.set(job.key, running);
      running.then(picture => { job.resolve(picture); this.#running.delete(job.key); this.#next(); });
    }
  }

  async #make({key, row, second}, left = 2) {
    try {
      const bytes = await askBytes(`/recordings/${encodeName(row.name)}.mp4?keyframe=${second}${row.state === 'ready' ? '&v=' + row.tag : ''}`);
      this.spent.bytes += bytes.length;
      this.spent.pictures += 1;
      const frame = keyFrame(bytes);
      if (!frame) return null;
      const picture = await decoded(frame);
      this.#made.set(key, picture);
      for (const [old, {bitmap}] of this.#made) {
        if (this.#made.size <= kept) break;
        bitmap.close();
        this.#made.delete(old);
      }
      return picture;
    } catch (error) {
      // A picture that cannot be had is none: what is wrong with the recording or the connection is said by the player.
      if (!left || !error.again) return null;
      // Of a robot that has much to do nothing else is asked in its place.
      await pause(error.again);
      return this.#make({key, row, second}, left - 1);
    }
  }
}

export const pictures = new Pictures();

/** Draws a picture as large as it fits into a rectangle, turned as its track says. */
export function draw(context, {bitmap, rotation}, x, y, width, height, isFilling = false) {
  const isTurned = rotation % 180 !== 0, own = isTurned ? [bitmap.height, bitmap.width] : [bitmap.width, bitmap.height];
  const scale = (isFilling ? Math.max : Math.min)(width / own[0], height / own[1]);
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.translate(x + width / 2, y + height / 2);
  context.rotate(rotation * Math.PI / 180);
  context.drawImage(bitmap, -bitmap.width * scale / 2, -bitmap.height * scale / 2, bitmap.width * scale, bitmap.height * scale);
  context.restore();
}
