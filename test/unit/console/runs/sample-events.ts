import type { RunEvent } from '../../../../console/src/pages/runs/data/history.ts';

const BEGIN_MS = Date.parse('2026-11-24T09:30:00.000Z');

/** An event without its number and time. */
type Told<E> = E extends RunEvent ? Omit<E, 'seq' | 'at' | 'step'> : never;

/** A history of events, one second apart, beginning at 09:30. */
export function history(...told: readonly Told<RunEvent>[]): readonly RunEvent[] {
  return told.map((event, place) => ({
    seq: place + 1,
    at: new Date(BEGIN_MS + place * 1_000).toISOString(),
    step: 0,
    ...event,
  }));
}

/** Returns the time of an event of `history` in milliseconds. */
export function atMs(seq: number): number {
  return BEGIN_MS + (seq - 1) * 1_000;
}

export const started = (node: string, visit = 1) => ({ type: 'node.started', node, visit }) as const;
export const completed = (node: string, visit = 1) =>
  ({ type: 'node.completed', node, visit, update: { [node]: visit } }) as const;
export const failed = (node: string, visit = 1) =>
  ({ type: 'node.failed', node, visit, error: FAILURE, attempts: 1 }) as const;

export const FAILURE = { code: 'TOOL_FAILED', message: 'no such order' } as const;

export const requested = (node: string, key: string) =>
  ({ type: 'tool.requested', node, visit: 1, tool: 'pay', args: {}, idempotencyKey: key }) as const;
export const called = (node: string, key: string) =>
  ({ type: 'tool.called', node, visit: 1, tool: 'pay', ...CALLED, idempotencyKey: key, result: 1 }) as const;
export const callFailed = (node: string, key: string) =>
  ({ type: 'tool.called', node, visit: 1, tool: 'pay', ...CALLED, idempotencyKey: key, error: FAILURE }) as const;

const CALLED = { attempts: 1, durationMs: 500 };

export const saved = (checkpoint: string) =>
  ({ type: 'checkpoint.saved', checkpoint, source: 'loop', next: [] }) as const;

const APPROVAL = {
  id: 'a1',
  runId: 'r1',
  node: 'ask',
  title: 'Pay?',
  details: null,
  args: {},
  digest: 'd1',
  argsSchema: null,
  decisionSchema: null,
  policy: { roles: ['approver'] },
  status: 'pending',
  decisions: [],
  previous: [],
  requestedBy: 'uma',
  requestedAt: '2026-11-24T09:30:00.000Z',
  expiresAt: '2026-11-26T09:30:00.000Z',
} as const;

export const asked = (node: string) =>
  ({ type: 'approval.requested', node, visit: 1, approval: { ...APPROVAL, node } }) as const;
export const decided = (node: string, status: string) =>
  ({
    type: 'approval.decided',
    node,
    visit: 1,
    approvalId: 'a1',
    decision: 'approve',
    reason: null,
    status,
    args: {},
    by: 'ada',
  }) as const;
