import { expect, test } from 'vitest';
import { approvalInWords } from '../../../../src/graph/wording/approval-in-words.ts';
import { waitingInWords } from '../../../../src/graph/wording/waiting-in-words.ts';

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
