import assert from 'node:assert/strict';
import test from 'node:test';

// Before the module looks for it. No picture is decoded here.
globalThis.VideoDecoder = class {};
const {pictures} = await import('../../Sources/FootageServer/Page/pictures.js');

test('a picture is asked for again where the robot says when, twice, and else never', async () => {
  for (const [name, field, asked] of [['a', '1', 3], ['b', null, 1], ['c', '0', 1]]) {
    let count = 0;
    globalThis.fetch = async path => {
      count += 1;
      assert.equal(path, `/recordings/${name}.mp4?keyframe=2&v=t`);
      return new Response('{}', {status: 503, headers: field === null ? {} : {'Retry-After': field}});
    };
    const began = performance.now();
    assert.equal(await pictures.get({name, tag: 't', start: 0, state: 'ready'}, 2500), null);
    assert.equal(count, asked);
    assert(performance.now() - began >= (asked - 1) * 990);
  }
});
