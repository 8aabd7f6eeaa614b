import assert from 'node:assert/strict';
import test from 'node:test';
import {ask, Refused} from '../../Sources/FootageServer/Page/robot.js';

test('a refusal says when the robot may be asked again, where the robot does', async () => {
  for (const [field, again] of [['1', 1000], ['10', 10000], ['0', 0], [null, 0], ['', 0], ['soon', NaN],
    ['Wed, 21 Oct 2026 07:28:00 GMT', NaN]]) {
    globalThis.fetch = async () => new Response('{"code": "busy", "detail": "words"}',
      {status: 503, headers: field === null ? {} : {'Retry-After': field}});
    await assert.rejects(ask('/'), error => error instanceof Refused && error.status === 503 && error.code === 'busy'
      && error.message === 'words' && Object.is(error.again, again), String(field));
  }
});
