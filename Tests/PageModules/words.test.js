import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';

/** The words of the page in a browser that prefers this language. */
async function words(language) {
  Object.defineProperty(globalThis, 'navigator', {value: {language, languages: [language]}, configurable: true});
  return import(`../../Sources/FootageServer/Page/words.js?${language}`);
}

test('how late something is has a unit, and is never less than it is', async () => {
  for (const [language, milliseconds, text] of [
    ['en-US', 20000, '20 seconds'], ['en-US', 60000, '1 minute'], ['en-US', 61000, '2 minutes'], ['de-DE', 60000, '1 Minute'], ['de-DE', 1, '1 Sekunde'],
  ]) assert.equal((await words(language)).lateness(milliseconds), text, language);
});

const day = 86400;

test('the time for which the disk has room is written as the language writes numbers and units', async () => {
  for (const [language, seconds, text] of [
    ['en-US', 2.1 * day, '2.1 days'], ['de-DE', 2.1 * day, '2,1 Tage'], ['zh-CN', 2.1 * day, '2.1天'],
    ['en-US', 2 * day, '2 days'], ['de-DE', 2 * day, '2 Tage'], ['de-DE', 1157.25 * day, '1.157,3 Tage'],
    ['en-US', 2 * day - 1, '47 hours'], ['de-DE', 2 * day - 1, '47 Stunden'], ['zh-CN', 3600, '1小时'],
  ]) assert.equal((await words(language)).roomFor(seconds), text, language);
});

test('a browser in a language that the page does not speak gets English words and numbers', async () => {
  const {language, roomFor} = await words('fr-FR');
  assert.equal(language, 'en');
  assert.equal(roomFor(2.5 * day), '2.5 days');
});

test('each text is there in each language, with the same values in it', () => {
  const source = readFileSync(new URL('../../Sources/FootageServer/Page/words.js', import.meta.url), 'utf8');
  const all = ['en', 'de', 'zh'].map(tag => Object.fromEntries([...new RegExp(`\\n  ${tag}: \\{(.*?)\\n  \\},`, 's').exec(source)[1]
    .matchAll(/(\w+): '([^']*)'/g)].map(([, key, text]) => [key, [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()])));
  assert.ok(Object.keys(all[0]).length > 80);
  assert.deepEqual(all[1], all[0]);
  assert.deepEqual(all[2], all[0]);
});

test('a codec that no browser plays is told from one that others play', async () => {
  const {isForBrowsers, codecName} = await words('en-US');
  for (const codec of ['avc1.64001E', 'hvc1.1.6.L93.B0', 'hev1', 'av01.0.04M.08', 'vp09.00.10.08']) assert.ok(isForBrowsers(codec), codec);
  for (const codec of ['mp4v.20.9', 'mp4v', 'jpeg', 's263', '', 'encv']) assert.ok(!isForBrowsers(codec), codec);
  assert.equal(codecName('mp4v.\u202e20'), 'mp4v.\ufffd20');
});
