import { describe, expect, test, vi } from 'vitest';
import type { SetupStep } from '../../../../src/cli/production/setup-steps.ts';
import { takeStep } from '../../../../src/cli/production/take-step.ts';

const AWAY = Object.assign(new Error('away'), { code: 14 });
const REFUSED = Object.assign(new Error('not allowed'), { code: 7 });
const MADE_BY_OTHER = Object.assign(new Error('exists'), { code: 6 });

const MISSING = { isThere: false, what: 'it' };
const THERE = { isThere: true, what: 'it' };

function aStep(over: Partial<SetupStep>): SetupStep {
  const isAway = (error: unknown): boolean => error === AWAY;
  return { name: 'thing', look: async () => THERE, make: async () => undefined, otherwise: 'ask', isAway, ...over };
}

const soon = () => ({ isDry: false, untilMs: Date.now() + 5_000 });
const now = () => ({ isDry: false, untilMs: Date.now() - 1 });

describe('a step', () => {
  test('changes nothing that exists', async () => {
    const make = vi.fn<SetupStep['make']>();
    expect(await takeStep(aStep({ make }), now())).toEqual({ isThere: true, line: 'there    thing: it' });
    expect(make).not.toHaveBeenCalled();
  });

  test('creates nothing in a dry run', async () => {
    const make = vi.fn<SetupStep['make']>();
    const taken = await takeStep(aStep({ look: async () => MISSING, make }), { ...now(), isDry: true });
    expect(taken).toEqual({ isThere: false, line: 'missing  thing: it' });
    expect(make).not.toHaveBeenCalled();
  });

  test('waits for an unavailable server up to a time limit', async () => {
    const look = vi.fn<SetupStep['look']>().mockRejectedValueOnce(AWAY).mockResolvedValue(THERE);
    expect(await takeStep(aStep({ look }), soon())).toMatchObject({ isThere: true });
    expect(look).toHaveBeenCalledTimes(2);
    await expect(takeStep(aStep({ look: async () => await Promise.reject(AWAY) }), now())).rejects.toBe(AWAY);
  });

  test('does not retry after a refusal like that of Temporal Cloud', async () => {
    const make = vi.fn<SetupStep['make']>().mockRejectedValue(REFUSED);
    await expect(takeStep(aStep({ look: async () => MISSING, make }), soon())).rejects.toBe(REFUSED);
    expect(make).toHaveBeenCalledTimes(1);
  });

  test('succeeds when another process has completed it', async () => {
    const look = vi.fn<SetupStep['look']>().mockResolvedValueOnce(MISSING).mockResolvedValueOnce(MISSING);
    look.mockResolvedValue(THERE);
    const make = vi.fn<SetupStep['make']>().mockRejectedValue(MADE_BY_OTHER);
    expect(await takeStep(aStep({ look, make }), now())).toEqual({ isThere: true, line: 'made     thing: it' });
    expect([look.mock.calls.length, make.mock.calls.length]).toEqual([3, 1]);
  });
});
