import assert from 'node:assert/strict';
import test from 'node:test';
import {nameAtRobot, ofRobot, robotOf, robotsOf, shownRobot} from '../../Sources/FootageServer/Page/robots.js';

const own = [{name: 'front'}, {name: null}];
const several = [{name: 'b:front', robot: 'b'}, {name: 'a:front', robot: 'a'}, {name: 'a:', robot: 'a'}];

test('a robot’s own page knows of no robots, and shows all cameras', () => {
  assert.deepEqual(robotsOf(own), []);
  assert.equal(shownRobot([], null), null);
  assert.deepEqual(ofRobot(own, null), own);
  assert.equal(nameAtRobot('front', null), 'front');
  assert.equal(nameAtRobot(null, null), null);
});

test('of several robots one is shown: the one that was chosen, for as long as it is there', () => {
  assert.deepEqual(robotsOf(several), ['a', 'b']);
  assert.equal(shownRobot(['a', 'b'], null), 'a');
  assert.equal(shownRobot(['a', 'b'], 'b'), 'b');
  assert.equal(shownRobot(['a'], 'b'), 'a');
  assert.deepEqual(ofRobot(several, 'a').map(camera => camera.name), ['a:front', 'a:']);
});

test('a camera is called by its own name below its robot’s, and says whose it is', () => {
  assert.equal(nameAtRobot('a:front', 'a'), 'front');
  assert.equal(nameAtRobot('a:', 'a'), null);
  assert.equal(nameAtRobot('ab:front', 'a'), 'ab:front');
  assert.equal(robotOf('b:front', ['a', 'b']), 'b');
  assert.equal(robotOf('c:front', ['a', 'b']), null);
  assert.equal(robotOf(null, ['a', 'b']), null);
});
