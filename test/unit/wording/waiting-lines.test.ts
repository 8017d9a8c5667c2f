import { expect, test } from 'vitest';
import { retryLine, waitingLines } from '../../../src/wording/waiting-lines.ts';

const lastError = { code: 'TOOL_FAILED', message: 'the shop\nis closed' } as const;

test.each([
  [
    { node: 'pay', attempt: 2, lastError, nextAttemptAt: '1970-01-01T00:00:02.500Z' },
    'Node pay makes attempt 2 of a call at 1970-01-01T00:00:02.500Z, after TOOL_FAILED the shop is closed',
  ],
  [
    { node: 'pay', index: 3, attempt: 3, lastError: null, nextAttemptAt: null },
    'Node pay[3] makes attempt 3 of a call now',
  ],
])('the pending retry %j is formatted in one line', (retry, line) => {
  expect(retryLine(retry)).toBe(line);
});

const since = '2026-01-01T00:00:00Z';
const asked = {
  title: 'Pay 20?',
  args: { euros: 20 },
  details: null,
  digest: '3f2a9c81d0e4'.padEnd(64, '0'),
  policy: { roles: ['approver'], quorum: 2 },
  decisions: [],
};
const asking = { kind: 'approval', node: 'ask', id: 'R.a1', since } as const;
const choices = [
  { action: 'retry', effect: 'Makes the call again.' },
  { action: 'fail', effect: 'Fails the run.' },
] as const;

test.each([
  [
    asking,
    'Node ask waits for 2 people of approver to decide: Pay 20? With {"euros":20}',
    '  npx holdfast approve R.a1 --digest 3f2a9c81d0e4',
  ],
  [
    {
      kind: 'intervention',
      node: 'pay',
      id: 'pay.1.0',
      since,
      error: { code: 'UNKNOWN_OUTCOME', message: 'lost' },
      choices,
    },
    'Node pay waits for a person to retry, skip or fail it: UNKNOWN_OUTCOME lost',
    '  npx holdfast retry R --id pay.1.0',
  ],
  [
    { kind: 'event', node: 'hold', id: 'parcel', since },
    'Node hold waits for the event parcel',
    '  npx holdfast signal R --event parcel',
  ],
  [{ kind: 'timer', node: 'hold', deadline: 'noon', since }, 'Node hold waits until noon'],
] as const)(
  'the awaited item %j of a run has a line with the reason, and one with the command',
  (waiting, ...lines) => {
    expect(waitingLines('R', waiting, asked)).toEqual(lines);
  },
);

test('the line of an approval that can not be read has its id, and its command decides without a digest', () => {
  expect(waitingLines('R', asking, null)).toEqual([
    'Node ask waits for people to decide its approval',
    '  npx holdfast approve R.a1',
  ]);
});

test('the command for an approval that requires a reason has a placeholder for it', () => {
  expect(waitingLines('R', asking, { ...asked, policy: { requireReason: true } })[1]).toBe(
    "  npx holdfast approve R.a1 --digest 3f2a9c81d0e4 --reason '…'",
  );
});

test.each([
  ['is long', { args: { note: 'x'.repeat(400) } }],
  ['has details', { details: 'An old customer' }],
])('the line of an approval that %s has no deciding command, because the line is incomplete', (_, over) => {
  const [reason, command] = waitingLines('R', asking, { ...asked, ...over });
  expect(reason).toMatch(/: Pay 20\?$/);
  expect(command).toBe('  npx holdfast approvals --run R');
});

test('an untrusted text can not end the quotation in a shell command, or begin another one', () => {
  const [, command] = waitingLines('R', { kind: 'event', node: 'hold', id: "x'; rm -r ~;\n'", since }, null);
  expect(command).toBe(`  npx holdfast signal R --event 'x'\\''; rm -r ~; '\\'''`);
});
