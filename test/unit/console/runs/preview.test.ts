import { describe, expect, test } from 'vitest';
import { createPreview } from '../../../../console/src/pages/runs/actions/preview.ts';
import { FAILURE, called, callFailed, completed, failed, history, requested, saved, started } from './sample-events.ts';

const EVENTS = history(
  saved('c1'),
  started('goods'),
  requested('goods', 'k1'),
  called('goods', 'k1'),
  completed('goods'),
  saved('c2'),
  started('postage'),
  requested('postage', 'k2'),
  called('postage', 'k2'),
  requested('postage', 'k3'),
  callFailed('postage', 'k3'),
  failed('postage'),
  { type: 'run.failed', error: FAILURE },
);
const EFFECTS = new Map([['pay', 'keyed']]);

describe('the preview of an action', () => {
  test('the console’s preview of a retry lists the failed work that is repeated, and the rest that it keeps', () => {
    const { kept, again } = createPreview({ kind: 'retry', node: 'postage' }, { events: EVENTS, effects: EFFECTS });
    expect(again).toEqual(['call of pay (keyed) in postage']);
    expect(kept).toEqual(['goods', 'call of pay (keyed) in postage']);
  });

  test('the console’s preview lists the work of a retry that names no node', () => {
    expect(createPreview({ kind: 'retry', node: null }, { events: EVENTS }).again).toEqual(['call of pay in postage']);
  });

  test('the console’s preview names a node that has failed without a call', () => {
    const events = history(started('a'), failed('a'));
    expect(createPreview({ kind: 'retry', node: 'a' }, { events }).again).toEqual(['a']);
  });

  test('the console’s preview warns that a fork repeats calls of its parent', () => {
    const early = createPreview({ kind: 'fork', checkpoint: 'c1' }, { events: EVENTS, effects: EFFECTS });
    expect(early.kept).toEqual([]);
    expect(early.again).toEqual(['call of pay (keyed) in goods', 'call of pay (keyed) in postage']);
    expect(early.notes.join(' ')).toContain('under keys of its own');
    const late = createPreview({ kind: 'fork', checkpoint: 'c2' }, { events: EVENTS });
    expect(late.kept).toEqual(['goods']);
    expect(late.again).toEqual(['call of pay in postage']);
  });

  test('the console’s preview of a cancel names the compensated calls, the latest first', () => {
    const { notes } = createPreview({ kind: 'cancel' }, { events: EVENTS, compensated: new Set(['goods', 'postage']) });
    expect(notes.join(' ')).toContain('pay in postage, pay in goods');
    expect(createPreview({ kind: 'cancel' }, { events: EVENTS }).notes.join(' ')).not.toContain('Undone');
  });

  test.each(['skip', 'fail'] as const)('the console’s preview of a %s lists no repeated work', (kind) => {
    expect(createPreview({ kind, node: 'postage' }, { events: EVENTS })).toMatchObject({ again: [], kept: ['goods'] });
  });
});
