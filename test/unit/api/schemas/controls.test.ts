import { describe, expect, test } from 'vitest';
import { CONTROLS } from '../../../../src/api/schemas/controls.ts';
import { signals } from '../../../../src/graph/signals/signals.ts';

/** Decisions and reassignments have routes of their own; an edit is a `PATCH` of a run's state. */
const WITHOUT_CONTROL = new Set(['approve', 'reject', 'reassign', 'edit']);

describe('the controls', () => {
  test('cover every other signal', () => {
    const expected = [...signals.keys()].filter((name) => !WITHOUT_CONTROL.has(name));
    expect(CONTROLS.map(({ signal }) => signal).toSorted()).toEqual(expected.toSorted());
  });

  test.each(CONTROLS)('$route has a body with the fields of its signal', ({ signal, body }) => {
    const { properties = {} } = signals.get(signal) ?? {};
    expect(Object.keys(body.shape).toSorted()).toEqual(Object.keys(properties).toSorted());
  });
});
