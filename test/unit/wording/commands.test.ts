import { expect, test } from 'vitest';
import { commandsOf } from '../../../src/wording/commands.ts';
import { control, decisionsOf, fork, sendEvent, skipNode } from '../../../src/wording/next-actions.ts';
import type { NextAction } from '../../../src/wording/next-actions.ts';

const [approve, reject] = decisionsOf('R.a1', { policy: { requireReason: true }, digest: 'a1b2c3d4e5f6a7b8' });

/** The forms of an action: a request, a command and a signal. */
interface Typed {
  readonly path: string;
  readonly body: string;
  readonly words: string;
  readonly signal: string;
}

test.each<[NextAction | undefined, Typed]>([
  [
    approve,
    {
      path: 'approvals/R.a1/decision',
      body: '{"decision":"approve","digest":"a1b2c3d4e5f6a7b8","reason":"…"}',
      words: "approve R.a1 --digest a1b2c3d4e5f6 --reason '…'",
      signal: `approve --input '{"approvalId":"R.a1","digest":"a1b2c3d4e5f6a7b8","reason":"…"}'`,
    },
  ],
  [
    reject && { ...reject, body: {} },
    {
      path: 'approvals/R.a1/decision',
      body: '{"decision":"reject"}',
      words: 'reject R.a1',
      signal: `reject --input '{"approvalId":"R.a1"}'`,
    },
  ],
  [
    skipNode('R', 'pay'),
    {
      path: 'runs/R/skip',
      body: '{"node":"pay","output":null}',
      words: 'skip R --node pay --output null',
      signal: `skip --input '{"node":"pay","output":null}'`,
    },
  ],
  [
    sendEvent('R', 'hold', 'parcel'),
    {
      path: 'runs/R/signal',
      body: '{"event":"parcel"}',
      words: 'signal R --event parcel',
      signal: `event --input '{"event":"parcel"}'`,
    },
  ],
  [
    control('replan', 'R'),
    { path: 'runs/R/replan', body: '{"node":"…"}', words: "replan R '…'", signal: `replan --input '{"node":"…"}'` },
  ],
  [control('pause', 'R'), { path: 'runs/R/pause', body: '{}', words: 'pause R', signal: "pause --input '{}'" }],
  [
    fork({ runId: 'P', checkpoint: 'P.c2' }, 'inherited'),
    {
      path: 'runs/P/fork',
      body: '{"checkpoint":"P.c2"}',
      words: 'fork P --checkpoint P.c2',
      signal: `fork --input '{"checkpoint":"P.c2"}'`,
    },
  ],
])('the next action %j of a run has a request, a command and a signal', (next, { path, body, words, signal }) => {
  const headers = `-H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json'`;
  expect(next && commandsOf(next, 'run:acme:R')).toEqual({
    curl: `curl -X POST "$HOLDFAST_URL/api/${path}" ${headers} -d '${body}'`,
    holdfast: `npx holdfast ${words}`,
    temporal: `temporal workflow signal --workflow-id run:acme:R --name ${signal}`,
  });
});

test('the next action of a run without a workflow has no signal command', () => {
  expect(commandsOf(control('cancel', 'R'), null).temporal).toBeNull();
});
