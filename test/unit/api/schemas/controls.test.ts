import { describe, expect, test } from 'vitest';
import { CONTROLS } from '../../../../src/api/schemas/controls.ts';
import { signals } from '../../../../src/graph/signals/receive-signal.ts';

/** Decisions and reassignments have their own routes; an edit is a `PATCH` of a run's state. */
const WITHOUT_CONTROL = new Set(['approve', 'reject', 'reassign', 'edit']);

/** The API sets these fields from what it has read of the run; callers can't set them. */
const BOUND_BY_API: Readonly<Record<string, readonly string[]>> = {
  resume: ['since'],
  retry: ['since'],
  skip: ['since'],
  fail: ['since'],
  replan: ['checkpoint'],
};

describe('the controls', () => {
  test('the control endpoints of the API cover every other signal of a run', () => {
    const expected = [...signals.keys()].filter((name) => !WITHOUT_CONTROL.has(name));
    expect(CONTROLS.map(({ signal }) => signal).toSorted()).toEqual(expected.toSorted());
  });

  test.each(CONTROLS)(
    'the route $route has a body with the fields of its signal that the API does not bind',
    ({ signal, body }) => {
      const { properties = {} } = signals.get(signal) ?? {};
      const asked = Object.keys(properties).filter((name) => !BOUND_BY_API[signal]?.includes(name));
      expect(Object.keys(body.shape).toSorted()).toEqual(asked.toSorted());
    },
  );
});
