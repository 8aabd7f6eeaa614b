import assert from 'node:assert/strict';
import test from 'node:test';

/** The words of the page in a browser that prefers this language. */
async function words(language) {
  Object.defineProperty(globalThis, 'navigator', {value: {language, languages: [language]}, configurable: true});
  return import(`../../Sources/FootageServer/Page/words.js?${language}`);
}

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
