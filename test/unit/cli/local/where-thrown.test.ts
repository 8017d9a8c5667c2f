import { expect, test } from 'vitest';
import { whereThrown } from '../../../../src/cli/local/where-thrown.ts';

const thrown = (...frames: string[]): Error =>
  Object.assign(new Error('x'), { stack: ['Error: x', ...frames.map((frame) => `    at ${frame}`)].join('\n') });

test.each([
  [['pay (/app/tools/pay.ts:3:9)'], ' (/app/tools/pay.ts:3:9)'],
  [['file:///app/tools/pay.ts?generation=2:3:9'], ' (/app/tools/pay.ts:3:9)'],
  [['z (/app/node_modules/zod/index.js:1:2)', 'async pay (file:///app/pay.ts:3:9)'], ' (/app/pay.ts:3:9)'],
  [[`load (${process.cwd()}/src/config/load-config.ts:1:2)`, 'node:internal/modules:1:2'], ''],
])('the location in the project of the stack %j is%s', (frames, place) => {
  expect(whereThrown(thrown(...frames))).toBe(place);
});

test('the printed location of an error is that of its innermost cause', () => {
  const cause = thrown('pay (/app/pay.ts:3:9)');
  expect(whereThrown(new Error('config', { cause }))).toBe(' (/app/pay.ts:3:9)');
});

test.each(['text', null])('the stack %j has no location in the user’s project', (error) => {
  expect(whereThrown(error)).toBe('');
});
