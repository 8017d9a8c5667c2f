import { describe, expect, test } from 'vitest';
import { toCallPolicy } from '../../../../src/graph/definition/call-policy.ts';
import { DEFAULTS } from '../../../../src/graph/definition/catalog.ts';
import type { RunPhase } from '../../../../src/graph/run/phase.ts';
import type { UnknownCompensation } from '../../../../src/graph/run/compensation.ts';
import { hasEnded, isEnding, mayOpenStep, standsStill, statusOf } from '../../../../src/graph/run/status.ts';

const error = { code: 'TOOL_FAILED', message: 'broken' } as const;
const by = { by: 'ada', reason: null };
const policy = toCallPolicy([], DEFAULTS, undefined);
const awaits: UnknownCompensation = {
  kind: 'unknown',
  compensation: {
    key: 'k',
    task: { node: 'pay', visit: 1 },
    step: 0,
    request: { kind: 'tool', tool: 'refund', args: {}, effect: 'keyed', policy },
    needsApproval: false,
    shapedBy: [],
  },
  error,
  since: '2026-01-02T03:04:05Z',
};

describe('the status of a run', () => {
  test.each<[RunPhase, string]>([
    [{ kind: 'running', pause: null }, 'running'],
    [{ kind: 'running', pause: by }, 'running'],
    [{ kind: 'waiting' }, 'waiting'],
    [{ kind: 'paused', since: 1 }, 'paused'],
    [{ kind: 'failing', error, awaits: null }, 'running'],
    [{ kind: 'canceling', ...by, awaits: null }, 'running'],
    [{ kind: 'closing', ...by, unknown: [] }, 'running'],
    [{ kind: 'completed', endedAt: 1, output: {} }, 'completed'],
    [{ kind: 'failed', endedAt: 1, error }, 'failed'],
    [{ kind: 'canceled', endedAt: 1, error: null, ...by }, 'canceled'],
  ])('the status of a run in the phase %j is %s', (phase, status) => {
    expect(statusOf({ phase })).toBe(status);
    expect(hasEnded({ phase })).toBe('endedAt' in phase);
  });

  test.each<[RunPhase, string]>([
    [{ kind: 'failing', error, awaits }, 'waiting'],
    [{ kind: 'canceling', ...by, awaits }, 'waiting'],
  ])('the status of a run in the phase %j is %s while a compensation has an unknown outcome', (phase, status) => {
    expect(statusOf({ phase })).toBe(status);
  });
});

describe('a run', () => {
  test.each<[RunPhase, { ending: boolean; still: boolean; opens: boolean }]>([
    [
      { kind: 'running', pause: null },
      { ending: false, still: false, opens: true },
    ],
    [
      { kind: 'running', pause: by },
      { ending: false, still: false, opens: false },
    ],
    [{ kind: 'waiting' }, { ending: false, still: false, opens: true }],
    [
      { kind: 'paused', since: 1 },
      { ending: false, still: true, opens: false },
    ],
    [
      { kind: 'failing', error, awaits: null },
      { ending: true, still: true, opens: false },
    ],
    [
      { kind: 'canceling', ...by, awaits: null },
      { ending: true, still: true, opens: false },
    ],
    [
      { kind: 'closing', ...by, unknown: [] },
      { ending: false, still: false, opens: false },
    ],
    [
      { kind: 'failed', endedAt: 1, error },
      { ending: false, still: true, opens: false },
    ],
  ])('a run in the phase %j has the derived flags %j', (phase, { ending, still, opens }) => {
    expect([isEnding({ phase }), standsStill({ phase }), mayOpenStep({ phase }, false)]).toEqual([
      ending,
      still,
      opens,
    ]);
    expect(mayOpenStep({ phase }, true)).toBe(opens || phase.kind === 'closing');
  });
});
