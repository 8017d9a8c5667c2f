import { expect, test } from 'vitest';
import { formatReason, nextActions } from '../../../src/wording/reasons.ts';
import type { UndatedReason } from '../../../src/wording/reasons.ts';
import { holdfastCommand } from '../../../src/wording/commands.ts';

type Kind = UndatedReason['kind'];

/** A reason with its sentence and the commands of its next actions. */
type Case<K extends Kind> = readonly [Extract<UndatedReason, { readonly kind: K }>, string, readonly string[]];

const down = { code: 'TOOL_FAILED', message: 'shop is down' } as const;
const lost = { code: 'UNKNOWN_OUTCOME', message: 'lost' } as const;
const policy = { roles: ['lead'], quorum: 2 };
const awaited = { question: 'Pay 20?', policy, decisions: 1, digest: null, tool: 'pay' };
const asking = { kind: 'approval', node: 'ask', id: 'R.a1' } as const;
const off = { kind: 'tool', name: 'charge', reason: 'the gateway is down', isSure: true, nodes: ['pay'] };
const choices = [
  { action: 'retry', effect: 'Makes the call again.' },
  { action: 'skip', effect: 'Goes on without it.' },
  { action: 'fail', effect: 'Fails the run.' },
] as const;
const failed = { kind: 'failed', node: 'pay', error: { ...down, node: 'pay', attempts: 5 } } as const;
const FAILED = 'Node pay failed after 5 attempts: TOOL_FAILED shop is down';
const skip = 'npx holdfast skip R --node pay --output null';
const forkAt = { runId: 'R', checkpoint: 'R.c2' };

const CASES: { readonly [K in Kind]: readonly [Case<K>, ...Case<K>[]] } = {
  approval: [
    [
      { ...asking, deadline: 'noon', about: awaited },
      'Node ask waits until noon for 2 people of lead to decide (decisions so far: 1): Pay 20?',
      ['npx holdfast approve R.a1', 'npx holdfast reject R.a1'],
    ],
    [
      { ...asking, about: null },
      'Node ask waits for people to decide its approval',
      ['npx holdfast approve R.a1', 'npx holdfast reject R.a1'],
    ],
  ],
  intervention: [
    [
      { kind: 'intervention', node: 'pay', index: 1, id: 'pay:1', error: { ...lost, cause: down }, about: { choices } },
      'Node pay[1] waits for a person to retry, skip or fail it: UNKNOWN_OUTCOME lost; TOOL_FAILED shop is down',
      [
        'npx holdfast retry R --id pay:1',
        'npx holdfast skip R --id pay:1 --output null',
        'npx holdfast fail R --id pay:1',
      ],
    ],
  ],
  event: [
    [
      { kind: 'event', node: 'hold', id: 'parcel', deadline: 'noon', about: null },
      'Node hold waits for the event parcel until noon',
      ['npx holdfast signal R --event parcel'],
    ],
    [{ kind: 'event', node: 'hold', id: '[redacted]', about: null }, 'Node hold waits for the event [redacted]', []],
  ],
  timer: [[{ kind: 'timer', node: 'hold', deadline: 'noon', about: null }, 'Node hold waits until noon', []]],
  'switched-off': [
    [
      { kind: 'switched-off', about: { ...off, calls: [] } },
      'Node pay: calls of the tool charge wait until an administrator switches it on: the gateway is down',
      [],
    ],
  ],
  queued: [
    [
      { kind: 'queued', about: { threadId: 't', aheadRunId: 'Q' } },
      'The run waits for its turn on the thread t: run Q is not over',
      [],
    ],
    [
      { kind: 'queued', about: { threadId: 't', aheadRunId: null } },
      'The run waits for its turn on the thread t: the run before it is not over',
      [],
    ],
  ],
  pending: [
    [
      { kind: 'pending', about: { reason: 'connection refused' } },
      'Temporal does not have the run yet, and it is tried again: connection refused',
      [],
    ],
  ],
  poisoned: [
    [
      { kind: 'poisoned', about: { message: 'bad code' } },
      "The run's workflow task fails, and the run is ended soon if it goes on to: bad code",
      [],
    ],
  ],
  busy: [
    [
      { kind: 'busy', about: { by: 'queue' } },
      'The run waits for its turn at a worker that is busy with others, and goes on by itself',
      [],
    ],
    [
      { kind: 'busy', about: { by: 'machine' } },
      'The machine of its worker has no time for the run, or has ended the process that was at it. It is tried again by itself',
      [],
    ],
  ],
  paused: [
    [
      { kind: 'paused', about: { stop: { by: 'uma', reason: 'holidays' }, checkpoint: 'R.c3' } },
      'The run was paused by uma: holidays',
      ['npx holdfast resume R --checkpoint R.c3'],
    ],
    [{ kind: 'paused', about: { stop: null, checkpoint: null } }, 'The run was paused', ['npx holdfast resume R']],
  ],
  retrying: [
    [
      { kind: 'retrying', node: 'pay', attempt: 3, nextAttemptAt: 'noon', error: down, about: null },
      'Node pay makes attempt 3 of a call at noon, after TOOL_FAILED shop is down',
      [],
    ],
  ],
  working: [
    [{ kind: 'working', about: { hasBegun: true, next: ['pay', 'tip'] } }, 'The run is at work: pay, tip', []],
    [{ kind: 'working', about: { hasBegun: true, next: [] } }, 'The run is at work', []],
    [
      { kind: 'working', about: { hasBegun: false, next: [] } },
      'No worker has begun the run yet: is one up, and does it reach the database?',
      [],
    ],
  ],
  completed: [[{ kind: 'completed', about: null }, 'The run has completed', []]],
  failed: [
    [{ ...failed, about: { obstacle: null } }, FAILED, ['npx holdfast retry R', skip]],
    [
      { kind: 'failed', error: { ...lost, node: 'pay' }, about: { obstacle: null } },
      'Node pay failed: UNKNOWN_OUTCOME lost',
      ['npx holdfast retry R --node pay', skip],
    ],
    [
      { kind: 'failed', error: down, about: { obstacle: null } },
      'The run failed: TOOL_FAILED shop is down',
      ['npx holdfast retry R'],
    ],
    ...(['stateless', 'undone', 'inherited'] as const).map((kind): Case<'failed'> => [
      { ...failed, about: { obstacle: { kind, forkAt } } },
      FAILED,
      ['npx holdfast fork R --checkpoint R.c2'],
    ]),
    [{ ...failed, about: { obstacle: { kind: 'undone', forkAt: null } } }, FAILED, []],
    [
      { ...failed, about: { obstacle: { kind: 'several-lost', forkAt } } },
      FAILED,
      [skip, 'npx holdfast fork R --checkpoint R.c2'],
    ],
  ],
  canceled: [
    [
      {
        kind: 'canceled',
        error: { code: 'CANCELED', message: 'Canceled by uma', cause: down },
        about: { stop: { by: 'uma', reason: null } },
      },
      'The run was canceled by uma; TOOL_FAILED shop is down',
      [],
    ],
  ],
};

test.each(Object.values(CASES).flat())(
  'the waiting reason %j has a sentence and its next actions',
  (reason, text, commands) => {
    expect(formatReason(reason)).toBe(text);
    expect(nextActions(reason, 'R').map(holdfastCommand)).toEqual(commands);
  },
);

test('each suggested next action of a run has a description of its effect', () => {
  const effects = Object.values(CASES)
    .flat()
    .flatMap(([reason]) => nextActions(reason, 'R').map(({ effect }) => effect));
  for (const effect of effects) expect(effect).toMatch(/^[A-Z].*\.$/);
});

test('the sentence about a pending approval has its question near the beginning, however many people decide', () => {
  const users = Array.from({ length: 500 }, (_, number) => `person-${number}@example.org`);
  const about = { ...awaited, policy: { users } };
  expect(formatReason({ ...asking, about }).slice(0, 500)).toContain('Pay 20?');
});
