import { describe, expect, test, vi } from 'vitest';
import type { SetupStep } from '../../../../src/cli/production/setup-steps.ts';
import { takeSetupStep } from '../../../../src/cli/production/setup-steps.ts';

const AWAY = Object.assign(new Error('away'), { code: 14 });
const REFUSED = Object.assign(new Error('not allowed'), { code: 7 });
const MADE_BY_OTHER = Object.assign(new Error('exists'), { code: 6 });

const MISSING = { isThere: false, what: 'it' };
const THERE = { isThere: true, what: 'it' };

function aStep(over: Partial<SetupStep>): SetupStep {
  const isAway = (error: unknown): boolean => error === AWAY;
  return { name: 'thing', check: async () => THERE, create: async () => undefined, remedy: 'ask', isAway, ...over };
}

const soon = () => ({ isDry: false, untilMs: Date.now() + 5_000 });
const now = () => ({ isDry: false, untilMs: Date.now() - 1 });

describe('a step', () => {
  test('a setup step changes nothing that exists', async () => {
    const create = vi.fn<SetupStep['create']>();
    expect(await takeSetupStep(aStep({ create }), now())).toEqual({ isThere: true, line: 'there    thing: it' });
    expect(create).not.toHaveBeenCalled();
  });

  test('a setup step creates nothing in a dry run', async () => {
    const create = vi.fn<SetupStep['create']>();
    const taken = await takeSetupStep(aStep({ check: async () => MISSING, create }), { ...now(), isDry: true });
    expect(taken).toEqual({ isThere: false, line: 'missing  thing: it' });
    expect(create).not.toHaveBeenCalled();
  });

  test('a setup step waits for an unavailable server up to a time limit', async () => {
    const check = vi.fn<SetupStep['check']>().mockRejectedValueOnce(AWAY).mockResolvedValue(THERE);
    expect(await takeSetupStep(aStep({ check }), soon())).toMatchObject({ isThere: true });
    expect(check).toHaveBeenCalledTimes(2);
    await expect(takeSetupStep(aStep({ check: async () => await Promise.reject(AWAY) }), now())).rejects.toBe(AWAY);
  });

  test('a setup step does not retry after a refusal like that of Temporal Cloud', async () => {
    const create = vi.fn<SetupStep['create']>().mockRejectedValue(REFUSED);
    await expect(takeSetupStep(aStep({ check: async () => MISSING, create }), soon())).rejects.toBe(REFUSED);
    expect(create).toHaveBeenCalledTimes(1);
  });

  test('a setup step succeeds when another process has completed it', async () => {
    const check = vi.fn<SetupStep['check']>().mockResolvedValueOnce(MISSING).mockResolvedValueOnce(MISSING);
    check.mockResolvedValue(THERE);
    const create = vi.fn<SetupStep['create']>().mockRejectedValue(MADE_BY_OTHER);
    expect(await takeSetupStep(aStep({ check, create }), now())).toEqual({ isThere: true, line: 'made     thing: it' });
    expect([check.mock.calls.length, create.mock.calls.length]).toEqual([3, 1]);
  });
});
