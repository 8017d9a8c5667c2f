import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { runCode } from '../../../../src/activities/calls/run-code.ts';

/** The exports that a configuration gets when it loads these modules a second time. */
interface Copies {
  readonly CallError: typeof CallError;
  readonly result: (value: unknown) => unknown;
}

const copyOf = async (name: string): Promise<Copies> =>
  await import(/* @vite-ignore */ `../../../../src/activities/${name}.ts?copy`);

describe('a second copy of the modules that a configuration imports', () => {
  test('errors made by a second copy of the config package keep their class', async () => {
    const { CallError: Other } = await copyOf('calls/call-error');
    const thrown = new Other('TOOL_FAILED', 'Come again', { retryable: true, done: 'no' });
    expect(Other).not.toBe(CallError);
    await expect(runCode('FUNCTION_FAILED', () => Promise.reject(thrown))).rejects.toBe(thrown);
  });

  test('results made by a second copy of the config package are not commands', async () => {
    const { result } = await copyOf('calls/run-code');
    expect(await runCode('FUNCTION_FAILED', () => result({ goto: 'a' }))).toMatchObject({
      value: { goto: 'a' },
      isPlain: true,
    });
  });

  test('a second copy of the config package does not recognize other errors as its own', () => {
    const others: unknown[] = [new Error('x'), null, 'CallError'];
    expect(others.filter((other) => other instanceof CallError)).toEqual([]);
  });
});
