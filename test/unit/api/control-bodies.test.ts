import { describe, expect, test } from 'vitest';
import * as bodies from '../../../src/api/schemas/run.ts';
import { signals } from '../../../src/graph/signals/signals.ts';

describe('the body of a control', () => {
  test.each([
    ['pause', bodies.PauseSchema],
    ['resume', bodies.ResumeSchema],
    ['replan', bodies.ReplanSchema],
    ['event', bodies.EventSignalSchema],
    ['cancel', bodies.CancelSchema],
    ['retry', bodies.RetrySchema],
    ['skip', bodies.SkipSchema],
    ['fail', bodies.FailSchema],
  ] as const)('has the fields of the signal %s', (name, { shape }) => {
    expect(Object.keys(shape).sort()).toEqual(Object.keys(signals.get(name)?.properties ?? {}).sort());
  });
});
