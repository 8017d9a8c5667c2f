import { describe, expect, test } from 'vitest';
import { CallError, causeOfFailure } from '../../../../src/activities/calls/call-error.ts';
import { fromCode } from '../../../../src/activities/calls/classify-failure.ts';
import { userStackOf } from '../../../../src/activities/calls/user-stack.ts';

const OWN = new URL('../../../../src/activities/calls/run-code.ts', import.meta.url).href;

function errorWith(stack: string): Error {
  return Object.assign(new TypeError('x is undefined'), { stack });
}

describe('the stack of an error', () => {
  test('the stack of a user’s error begins in the file that threw', () => {
    const here = userStackOf(new RangeError('no'));
    expect(here).toMatchObject({ name: 'RangeError' });
    expect(here?.frames.split('\n')[0]).toMatch(
      /^at .*test\/unit\/activities\/calls\/user-stack\.test\.ts:\d+:\d+\)?$/,
    );
  });

  test('the stack of a user’s error omits the engine, packages, Node itself and code outside of files', () => {
    const frames = [
      'at pay (/app/tools/pay.ts:3:9)',
      `at runCode (${OWN}:14:28)`,
      'at request (/app/node_modules/undici/index.js:1:1)',
      'at JSON.parse (<anonymous>)',
      'at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      'at async file:///app/my%20tools/refund.ts?v=1:7:3',
    ];
    const stack = `TypeError: x is undefined\n${frames.map((frame) => `    ${frame}`).join('\n')}`;
    expect(userStackOf(errorWith(stack))?.frames).toBe(
      'at pay (/app/tools/pay.ts:3:9)\nat /app/my tools/refund.ts:7:3',
    );
  });

  test('the stack of a user’s error has ten frames and 2,000 characters at most, however long the message and the stack are', () => {
    const frame = `    at ${'f'.repeat(300)} (/app/pay.ts:1:1)`;
    const stack = `Error: ${'m'.repeat(1_000_000)}\n${`${frame}\n`.repeat(50)}`;
    expect(userStackOf(errorWith(stack))?.frames.length).toBeLessThanOrEqual(2_000);
    const short = `Error\n${'    at f (/app/pay.ts:1:1)\n'.repeat(50)}`;
    expect(userStackOf(errorWith(short))?.frames.split('\n')).toHaveLength(10);
  });

  test.each(['no error', null, errorWith('TypeError: x'), errorWith(`TypeError\n    at run (${OWN}:1:1)`)])(
    'an error has no user stack if no user code threw: %s',
    (thrown) => expect(userStackOf(thrown)).toBeNull(),
  );
});

describe('an error of configured code', () => {
  const cause = (code: string): Error => Object.assign(new Error('no route'), { code });
  test.each([
    ['a TypeError', new TypeError('x is not a function'), false],
    ['a ReferenceError', new ReferenceError('x is not defined'), false],
    ['a SyntaxError', new SyntaxError('Unexpected token'), false],
    ['a TypeError of Node', Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' }), false],
    ['the TypeError of fetch', new TypeError('fetch failed', { cause: cause('ECONNREFUSED') }), true],
    ['any other error', new Error('busy'), true],
    ['a RangeError', new RangeError('busy'), true],
  ])('an error of configured code, %s, is retried: %s', (_what, thrown, retryable) => {
    expect(fromCode('TOOL_FAILED', thrown)).toMatchObject({ retryable, done: 'perhaps' });
  });

  test('an already classified error of configured code is unchanged, and its cause has the stack', () => {
    const error = new CallError('TOOL_FAILED', 'full', { retryable: false, done: 'no', reason: 'sold_out' });
    expect(fromCode('TOOL_FAILED', error)).toBe(error);
    const stack = expect.stringContaining('user-stack.test.ts');
    expect(causeOfFailure(error)).toEqual({ cause: { code: 'sold_out', message: 'full', stack } });
  });
});
