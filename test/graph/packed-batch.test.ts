import { describe, expect, test } from 'vitest';
import type { JournalBatch } from '../../src/graph/journal-batch.ts';
import { packBatch, unpackBatch } from '../../src/graph/packed-batch.ts';
import type { Carrier } from '../../src/graph/packed-events.ts';
import { toRunView } from '../../src/graph/run-view.ts';
import { aCatalog, aDefinition } from '../support/builders.ts';
import { runInMemory } from '../support/memory-shell.ts';

const definition = aDefinition({
  nodes: {
    first: { type: 'set', write: { log: 'begun' } },
    pay: { type: 'tool', tool: 'charge', args: { key: 'k' }, write: { log: '{{ result }}' } },
    ask: { type: 'approval', title: 'Send it?' },
  },
});
const { events, checkpoints, run } = runInMemory({ definition, catalog: aCatalog(), input: {} }, { tool: () => null });
const whole: JournalBatch = {
  events,
  checkpoints,
  approvals: Object.values(run.approvals),
  view: { ...toRunView(run), startedAt: null },
  closed: null,
};

const carrier: Carrier = { runId: run.id, call: null };

/** As the batch comes out at the other end. */
const sent = (batch: JournalBatch): unknown =>
  unpackBatch(JSON.parse(JSON.stringify(packBatch(batch, carrier))), carrier);

describe('a batch', () => {
  test('comes out as it went in', () => {
    expect(sent(whole)).toEqual(whole);
  });

  test.each([0, 1, 2, 3, 5, 8])('that begins after event %i does too', (from) => {
    const rest = events.slice(from);
    const numbers = new Set(rest.map(({ seq }) => seq));
    const batch = { ...whole, events: rest, checkpoints: checkpoints.filter(({ seq }) => numbers.has(seq)) };
    expect(sent(batch)).toEqual(batch);
  });

  test('with a gap does too, as one that was lost leaves it', () => {
    const batch = { ...whole, events: events.filter(({ seq }) => seq !== 4), checkpoints: [] };
    expect(sent(batch)).toEqual({ ...batch, view: { ...batch.view, checkpointId: run.checkpointId } });
  });
});
