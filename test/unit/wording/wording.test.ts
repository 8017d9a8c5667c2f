import { expect, test } from 'vitest';
import {
  eventInWords,
  retryInWords,
  approvalInWords,
  waitingInWords,
  whoDecides,
} from '../../../src/wording/wording.ts';
import type { RunEvent, RunEventBody } from '../../../src/graph/journal/events.ts';

const at = '2026-01-01T00:00:00Z';
const say = (body: RunEventBody, path?: readonly string[]): string | null => {
  const event: RunEvent = { seq: 1, at, step: 0, ...(path && { path }), ...body };
  return eventInWords(event);
};
const task = { node: 'pay', visit: 1 } as const;
const error = { code: 'TOOL_FAILED', message: 'the shop is closed' } as const;

test.each<[RunEventBody, string | null]>([
  [{ type: 'run.started', graph: null, by: 'uma' }, 'started by uma'],
  [{ type: 'node.started', ...task, index: 2 }, 'pay[2] begins'],
  [
    { type: 'node.failed', ...task, error, attempts: 5 },
    'pay has failed after 5 attempts: TOOL_FAILED the shop is closed',
  ],
  [
    { type: 'tool.requested', ...task, tool: 'refund', args: { euros: 5 }, idempotencyKey: 'k' },
    'pay: refund is called with {"euros":5}',
  ],
  [
    { type: 'tool.called', ...task, tool: 'refund', result: 1, attempts: 1, durationMs: 12, idempotencyKey: 'k' },
    'pay: refund has answered in 12 ms',
  ],
  [
    {
      type: 'approval.decided',
      ...task,
      approvalId: 'a',
      decision: 'approve',
      reason: 'ok',
      status: 'approved',
      args: null,
      by: 'ada',
    },
    'pay: ada says approve ("ok"), it is approved',
  ],
  [{ type: 'run.completed', output: { receipt: 'R-1' } }, 'completed: {"receipt":"R-1"}'],
  [{ type: 'step.started', nodes: ['pay'] }, null],
])('%j is told in one line', (event, line) => {
  expect(say(event)).toBe(line);
});

test('a node of a subgraph has the nodes around it before its name', () => {
  expect(say({ type: 'node.completed', ...task, update: {} }, ['outer'])).toBe('outer/pay is done');
});

test('a large value is cut, and what is not a letter is shown as text', () => {
  expect(say({ type: 'run.completed', output: 'x'.repeat(1_000) })?.length).toBeLessThan(250);
  expect(say({ type: 'run.canceled', by: 'uma\u001B[2A\n', reason: null })).toBe('canceled by uma\\u{1b}[2A ');
});

const lastError = { code: 'TOOL_FAILED', message: 'the shop\nis closed' } as const;

test.each([
  [
    { node: 'pay', attempt: 2, lastError, nextAttemptAt: '1970-01-01T00:00:02.500Z' },
    'pay: attempt 2 in 2 s: TOOL_FAILED the shop is closed',
  ],
  [{ node: 'pay', index: 3, attempt: 3, lastError: null, nextAttemptAt: null }, 'pay[3]: attempt 3 in 0 s'],
])('%j is told in one line', (retry, line) => {
  expect(retryInWords(retry, 1_000)).toBe(line);
});

const digest = '3f2a9c81d0e4'.padEnd(64, '0');
const asked = {
  title: 'Pay 20?',
  args: { euros: 20 },
  details: null,
  digest,
  policy: { roles: ['approver'], quorum: 2 },
};

test.each([
  [
    { kind: 'approval', node: 'ask', id: 'R.a1' },
    {
      text: 'ask waits for 2 people of approver: Pay 20? With {"euros":20}',
      command: 'holdfast approve R.a1 --digest 3f2a9c81d0e4',
    },
  ],
  [
    { kind: 'intervention', node: 'pay', id: 'pay.1.0', error: { code: 'UNKNOWN_OUTCOME', message: 'lost' } },
    {
      text: 'pay waits for a person to retry, skip or fail it: UNKNOWN_OUTCOME lost',
      command: "holdfast retry R --id 'pay.1.0'",
    },
  ],
  [
    { kind: 'event', node: 'hold', id: 'parcel' },
    { text: 'hold waits for the event parcel', command: "holdfast signal R --event 'parcel'" },
  ],
  [
    { kind: 'timer', node: 'hold', deadline: 'noon' },
    { text: 'hold waits until noon', command: null },
  ],
] as const)('%j is told with the command that lets it go on', (waiting, line) => {
  expect(waitingInWords('R', waiting, asked)).toEqual(line);
});

test('the command for an approval that needs a reason has a place for it', () => {
  const waiting = { kind: 'approval', node: 'ask', id: 'R.a1' } as const;
  expect(waitingInWords('R', waiting, { ...asked, policy: { requireReason: true } })).toMatchObject({
    command: 'holdfast approve R.a1 --digest 3f2a9c81d0e4 --reason …',
  });
});

test.each([
  ['is long', { args: { note: 'x'.repeat(400) } }],
  ['has details', { details: 'An old customer' }],
])('an approval that %s is not decided by its line, which does not show all', (_, over) => {
  const waiting = { kind: 'approval', node: 'ask', id: 'R.a1' } as const;
  expect(waitingInWords('R', waiting, { ...asked, ...over }).command).toBe('holdfast approvals --run R');
});

test('no part of an approval can pose as another, or move the cursor', () => {
  const args = { euros: 300 };
  const text = approvalInWords({ title: 'Pay 1?\n  args     {"euros":1}', tool: 'pay', args, details: '\u001B[2A' });
  expect(text.split('\n')).toEqual([
    '  asks     Pay 1?',
    '             args     {"euros":1}',
    '  tool     pay',
    '  args     {"euros":300}',
    '  details  \\u{1b}[2A',
    '',
  ]);
});

test('a text from outside ends no quotation of the command, and starts no other one', () => {
  const { command } = waitingInWords('R', { kind: 'event', node: 'hold', id: "x'; rm -r ~;\n'" }, null);
  expect(command).toBe(`holdfast signal R --event 'x'\\''; rm -r ~; '\\'''`);
});

test.each([
  [{}, 'anybody who may decide'],
  [{ roles: ['approver'], users: ['ann'] }, 'approver or ann'],
  [{ roles: ['approver'], quorum: 2 }, '2 people of approver'],
  [{ roles: ['approver'], escalate: [{ after: '1d', roles: ['lead'] }] }, 'approver (after 1d also lead)'],
  [{ users: ['ann'], excludeRequester: true }, 'ann, but not who has asked'],
])('%j names who decides', (policy, who) => {
  expect(whoDecides(policy)).toBe(who);
});
