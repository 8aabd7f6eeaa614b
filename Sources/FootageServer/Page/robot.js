// Questions to the robot. All of them have a deadline; what comes instead of an answer is one of two errors.

const patience = 15000;

export class Unreachable extends Error {}

/** An answer that is none: its status, the code and the sentence of its reason, and in how many milliseconds it may be asked again;
 * 0 or none where it does not say. */
export class Refused extends Error {
  constructor(status, {code = '', detail = ''} = {}, again) { super(detail || `HTTP ${status}`); Object.assign(this, {status, code, again}); }
}

export const encodeName = name => name.split('/').map(encodeURIComponent).join('/');

/** An answer, once its head is there. `signal` gives up; `wait` is how many milliseconds longer the robot may take. */
export async function ask(path, {signal, wait = 0, ...options} = {}) {
  const alarm = new AbortController(), timer = setTimeout(() => alarm.abort(), patience + wait);
  const given = () => alarm.abort();
  signal?.addEventListener('abort', given);
  let response;
  try {
    response = await fetch(path, {...options, signal: alarm.signal});
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new Unreachable(error.message);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', given);
  }
  if (response.ok || response.status === 304) return response;
  let problem = {};
  // Without such a document the status says it.
  try { problem = await response.json(); } catch {}
  throw new Refused(response.status, problem, response.headers.get('Retry-After') * 1000);
}

/** The same, and all of its bytes. */
async function whole(path, options, read) {
  const response = await ask(path, options);
  try {
    return await read(response);
  } catch (error) {
    if (options?.signal?.aborted) throw options.signal.reason;
    throw new Unreachable(error.message);
  }
}

export const askJSON = (path, options) => whole(path, {cache: 'no-store', ...options}, response => response.json());
export const askText = (path, options) => whole(path, options, response => response.text());
export const askBytes = (path, options) => whole(path, options, async response => new Uint8Array(await response.arrayBuffer()));

/** One recording's metadata; null where the robot has none of that name. */
export async function details(name, options) {
  try {
    return await askJSON(`/recordings/${encodeName(name)}.json`, options);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** Milliseconds, unless it is given up before. */
export const pause = (time, signal) => new Promise((resolve, reject) => {
  if (signal?.aborted) return reject(signal.reason);
  const timer = setTimeout(() => { signal?.removeEventListener('abort', stop); resolve(); }, time);
  const stop = () => { clearTimeout(timer); reject(signal.reason); };
  signal?.addEventListener('abort', stop);
});
