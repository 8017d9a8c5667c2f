import { describe, expect, test, vi } from 'vitest';
import type { SetupStep, StepResult } from '../../../../src/cli/production/setup-steps.ts';
import { formatStep, takeSetupStep } from '../../../../src/cli/production/setup-steps.ts';

const AWAY = Object.assign(new Error('away'), { code: 14 });
const REFUSED = Object.assign(new Error('not allowed'), { code: 7 });
const MADE_BY_OTHER = Object.assign(new Error('exists'), { code: 6 });

const MISSING = { isThere: false, what: 'it' };
const THERE = { isThere: true, what: 'it' };
const FAILED: StepResult = { step: 'thing', state: 'failed', problem: 'away', remedy: 'ask' };

function aStep(over: Partial<SetupStep>): SetupStep {
  const isAway = (error: unknown): boolean => error === AWAY;
  return { name: 'thing', check: async () => THERE, create: async () => undefined, remedy: 'ask', isAway, ...over };
}

const soon = () => ({ isDry: false, untilMs: Date.now() + 5_000 });
const now = () => ({ isDry: false, untilMs: Date.now() - 1 });

describe('a step', () => {
  test('a setup step changes nothing that exists', async () => {
    const create = vi.fn<SetupStep['create']>();
    expect(await takeSetupStep(aStep({ create }), now())).toEqual({ step: 'thing', state: 'there', what: 'it' });
    expect(create).not.toHaveBeenCalled();
  });

  test('a setup step creates nothing in a dry run', async () => {
    const create = vi.fn<SetupStep['create']>();
    const taken = await takeSetupStep(aStep({ check: async () => MISSING, create }), { ...now(), isDry: true });
    expect(taken).toEqual({ step: 'thing', state: 'missing', what: 'it' });
    expect(create).not.toHaveBeenCalled();
  });

  test('a setup step waits for an unavailable server up to a time limit', async () => {
    const check = vi.fn<SetupStep['check']>().mockRejectedValueOnce(AWAY).mockResolvedValue(THERE);
    expect(await takeSetupStep(aStep({ check }), soon())).toMatchObject({ state: 'there' });
    expect(check).toHaveBeenCalledTimes(2);
    expect(await takeSetupStep(aStep({ check: async () => await Promise.reject(AWAY) }), now())).toEqual(FAILED);
  });

  test('a setup step does not retry after a refusal like that of Temporal Cloud', async () => {
    const create = vi.fn<SetupStep['create']>().mockRejectedValue(REFUSED);
    expect(await takeSetupStep(aStep({ check: async () => MISSING, create }), soon())).toEqual({
      ...FAILED,
      problem: 'not allowed',
    });
    expect(create).toHaveBeenCalledTimes(1);
  });

  test('a setup step succeeds when another process has completed it', async () => {
    const check = vi.fn<SetupStep['check']>().mockResolvedValueOnce(MISSING).mockResolvedValueOnce(MISSING);
    check.mockResolvedValue(THERE);
    const create = vi.fn<SetupStep['create']>().mockRejectedValue(MADE_BY_OTHER);
    expect(await takeSetupStep(aStep({ check, create }), now())).toEqual({ step: 'thing', state: 'made', what: 'it' });
    expect([check.mock.calls.length, create.mock.calls.length]).toEqual([3, 1]);
  });
});

test.each<[StepResult, string]>([
  [{ step: 'tables', state: 'there', what: '0001' }, 'there    tables: 0001\n'],
  [{ step: 'tables', state: 'missing', what: '0001' }, 'missing  tables: 0001\n'],
  [{ step: 'tables', state: 'made', what: '0001' }, 'made     tables: 0001\n'],
  [FAILED, 'FAIL     thing: away\n         ask\n'],
])('the result %j of a setup step is formatted for people', (result, text) => {
  expect(formatStep(result)).toBe(text);
});
