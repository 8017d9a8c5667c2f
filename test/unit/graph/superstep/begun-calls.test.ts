import { expect, test } from 'vitest';
import { withBegunCalls } from '../../../../src/graph/superstep/run-task.ts';
import { EMPTY_CONVERSATION } from '../../../../src/graph/run/model-turn.ts';
import type { NodePosition, ResumablePosition } from '../../../../src/graph/run/scope.ts';
import { batchAtPosition } from '../../../../src/graph/run/task-position.ts';
import { NOT_ASKED, answered } from '../../../../src/graph/run/tool-batch.ts';
import type { BatchCall, CallState } from '../../../../src/graph/run/tool-batch.ts';

const open: CallState = { phase: 'open', key: 'k' };
const lost: CallState = {
  phase: 'intervention',
  since: '',
  failure: { callFailed: false, error: { code: 'UNKNOWN_OUTCOME', message: 'lost' } },
};
const inside: CallState = { phase: 'inside' };

const call = (state: CallState, number = 0): BatchCall => ({
  id: 'c',
  name: 'lookup',
  tool: 'lookup',
  args: null,
  isEdited: false,
  number,
  takeover: 0,
  state,
});
const agent = (states: readonly CallState[], callsMade = 1): ResumablePosition => ({
  kind: 'agent',
  conversation: { ...EMPTY_CONVERSATION, callsMade },
  stage: { kind: 'batch', batch: states.map((state) => call(state, callsMade)) },
  iterations: 1,
});
const calls = (states: readonly CallState[], callsMade = 1): ResumablePosition => ({
  kind: 'calls',
  batch: states.map((state) => call(state, callsMade)),
  callsMade,
});

test.each([agent, calls])(
  'the progress of a task records begun and lost calls with their numbers, without their answers',
  (of) => {
    const saved = of([open, NOT_ASKED, open, NOT_ASKED]);
    const later = of([answered('much'), open, lost, inside], 2);
    const next = withBegunCalls(saved, later);
    expect(next && next.kind !== 'finished' ? batchAtPosition(next) : []).toMatchObject([
      { number: 1, state: open },
      { number: 2, state: open },
      { number: 2, state: lost },
      { number: 1, state: NOT_ASKED },
    ]);
    expect(next).toMatchObject(of === agent ? { conversation: { callsMade: 2 } } : { callsMade: 2 });
  },
);

test.each<[string, ResumablePosition | null, NodePosition]>([
  ['nothing is saved', null, calls([open])],
  ['the batch has just begun', agent([]), agent([open])],
  ['the batch is over', agent([open]), agent([])],
  ['there is no batch', agent([open]), { kind: 'call', key: 'k', args: null }],
])('the saved progress of a task’s calls is unchanged if %s', (_where, saved, later) => {
  expect(withBegunCalls(saved, later)).toBe(saved);
});
