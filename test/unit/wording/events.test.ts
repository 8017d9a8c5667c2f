import { expect, test } from 'vitest';
import { toPublicApproval } from '../../../src/graph/run/approval.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { createEventFormatter } from '../../../src/wording/events.ts';
import { anApproval } from '../../support/builders/store-builders.ts';
import type { RunEvent, RunEventBody } from '../../../src/graph/journal/events.ts';

const at = '2026-01-01T00:00:00Z';
const format = (body: RunEventBody, path?: readonly string[]): string | null => {
  const event: RunEvent = { seq: 1, at, step: 0, ...(path && { path }), ...body };
  return createEventFormatter()(event);
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
])('the run event %j is formatted in one line', (event, line) => {
  expect(format(event)).toBe(line);
});

test('the formatted name of a node in a subgraph begins with the enclosing nodes', () => {
  expect(format({ type: 'node.completed', ...task, update: {} }, ['outer'])).toBe('outer/pay is done');
});

const stack = 'at execute (tools/pay.ts:31:36)\nat run (tools/pay.ts:2:1)';
const thrown = { ...error, cause: { code: 'Error', message: error.message, stack } } as const;

test.each<[RunEventBody, string]>([
  [
    { type: 'tool.called', ...task, tool: 'refund', error: thrown, attempts: 1, durationMs: 1, idempotencyKey: 'k' },
    'pay: refund has failed: TOOL_FAILED the shop is closed, at execute (tools/pay.ts:31:36)',
  ],
  [
    { type: 'node.failed', ...task, error: thrown, attempts: 1 },
    'pay has failed: TOOL_FAILED the shop is closed, at execute (tools/pay.ts:31:36)',
  ],
])('the line of the failure %j names where configured code has thrown', (event, line) => {
  expect(format(event)).toBe(line);
});

test.each([
  ['01R:each#3.1.0/pay:1:0:0', 'each[3]/pay'],
  ['01R:each#3.1.0/pay#2:1:0:0', 'each[3]/pay[2]'],
  ['01R:shortened:1:0:0', 'each/pay'],
])('the line of a call with the key %s names the elements around it', (idempotencyKey, name) => {
  const event = { type: 'tool.requested', ...task, tool: 'refund', args: {}, idempotencyKey } as const;
  expect(format(event, ['each'])).toBe(`${name}: refund is called with {}`);
});

test('a large value in a formatted event is truncated, and control characters are escaped', () => {
  expect(format({ type: 'run.completed', output: 'x'.repeat(1_000) })?.length).toBeLessThan(250);
  expect(format({ type: 'run.canceled', by: 'uma\u001B[2A\n', reason: null })).toBe('canceled by uma\\u{1b}[2A ');
});

const proposed: RunEventBody = {
  type: 'approval.requested',
  ...task,
  approval: { ...toPublicApproval(anApproval('R', 'pending')), id: 'a', args: { euros: 100 } },
};
const decided = (args: Json, status = 'approved'): RunEventBody => ({
  type: 'approval.decided',
  ...task,
  approvalId: 'a',
  decision: 'approve',
  reason: null,
  status,
  args,
  by: 'ada',
});
const expired = (args?: Json): RunEventBody => ({
  type: 'approval.expired',
  ...task,
  approvalId: 'a',
  status: 'approved',
  ...(args !== undefined && { args }),
});

test.each<[string, readonly RunEventBody[], string]>([
  ['same arguments', [proposed, decided({ euros: 100 })], 'pay: ada says approve, it is approved'],
  ['other arguments', [proposed, decided({ euros: 50 })], 'pay: ada says approve, it is approved, with {"euros":50}'],
  ['no known request', [decided({ euros: 50 })], 'pay: ada says approve, it is approved'],
  [
    'the arguments of an earlier decision',
    [proposed, decided({ euros: 50 }, 'pending'), decided({ euros: 50 })],
    'pay: ada says approve, it is approved',
  ],
  [
    'an expiry that restores the proposed arguments',
    [proposed, decided({ euros: 50 }, 'pending'), expired({ euros: 100 })],
    'pay: the time to decide is over, it is approved, with {"euros":100}',
  ],
  ['an expiry without arguments', [proposed, expired()], 'pay: the time to decide is over, it is approved'],
])('the line of a decision names changed arguments: %s', (_, bodies, line) => {
  const formatNext = createEventFormatter();
  const lines = bodies.map((body, index) => formatNext({ seq: index + 1, at, step: 0, ...body }));
  expect(lines.at(-1)).toBe(line);
});
