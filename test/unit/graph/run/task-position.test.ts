import { describe, expect, test } from 'vitest';
import { EMPTY_CONVERSATION } from '../../../../src/graph/run/model-turn.ts';
import type { FailingPosition, ResumablePosition, Scope } from '../../../../src/graph/run/scope.ts';
import { scopeInside, withScopeInside } from '../../../../src/graph/run/task-position.ts';

const scope: Scope = {
  step: 0,
  channels: {},
  at: { kind: 'running', tasks: [] },
  deferred: [],
  joins: {},
  visits: {},
  messages: 0,
  widest: 0,
};
const later: Scope = { ...scope, step: 1 };

const PROGRESS: readonly (readonly [string, (inside: Scope) => ResumablePosition])[] = [
  ['a subgraph', (inside) => ({ kind: 'subgraph', scope: inside, input: {} })],
  ['tool calls', (inside) => ({ kind: 'calls', batch: [], callsMade: 0, inside })],
  [
    'an agent',
    (inside) => ({
      kind: 'agent',
      conversation: EMPTY_CONVERSATION,
      stage: { kind: 'asking' },
      iterations: 0,
      inside,
    }),
  ],
];

describe('a task that fails after the calls of its graphs', () => {
  const failing = (saved: FailingPosition['saved']): FailingPosition => ({
    kind: 'failing',
    failing: { callFailed: false, error: { code: 'TIMEOUT', message: 'late' } },
    saved,
    call: null,
  });

  test.each(PROGRESS)(
    'a task that fails after graph calls with %s keeps the graphs in its saved progress',
    (_work, progressWith) => {
      const position = failing(progressWith(scope));
      expect(scopeInside(position)).toBe(scope);
      expect(withScopeInside(position, later)).toEqual(failing(progressWith(later)));
    },
  );

  test('a task that fails after graph calls has no graph inside if nothing is saved', () => {
    expect(scopeInside(failing(null))).toBeNull();
    expect(() => withScopeInside(failing(null), later)).toThrow(TypeError);
  });
});
