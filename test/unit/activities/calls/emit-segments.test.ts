import { trace } from '@opentelemetry/api';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { emitSegments } from '../../../../src/activities/calls/write-journal.ts';
import type { RunEvent } from '../../../../src/graph/journal/events.ts';
import type { Journal } from '../../../../src/store/journal.ts';
import { setRunTracer } from '../../../../src/telemetry/traces/run-tracer.ts';
import { aTraceSegment } from '../../../support/builders/trace-segments.ts';

afterEach(() => {
  vi.useRealTimers();
  setRunTracer(null);
});

test('the trace spans of a run segment are dropped when its events are read too slowly, and the run continues', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const read: number[] = [];
  async function* slowly(): AsyncGenerator<RunEvent> {
    for (let seq = 1; seq <= 100; seq++) {
      vi.setSystemTime(Date.now() + 1_000);
      read.push(seq);
      yield { type: 'node.started', node: 'a', visit: seq, seq, step: 0, at: new Date().toISOString() };
    }
  }
  const tracer = trace.getTracer('none');
  setRunTracer({ tracer, startAs: (_ids, start) => start(tracer) });
  const { runId, tenantId, run } = aTraceSegment();
  const segments = { run, segments: [{ name: '1.1', after: 0, upTo: 100 }] };
  const journal: Pick<Journal, 'ofTypes'> = {
    async *ofTypes<Type extends RunEvent['type']>(_runId: string, types: readonly Type[]) {
      const isOfThese = (event: RunEvent): event is RunEvent & { readonly type: Type } =>
        types.some((type) => type === event.type);
      for await (const event of slowly()) if (isOfThese(event)) yield event;
    },
  };
  const activity = new MockActivityEnvironment();
  const entry = { runId, tenantId, graph: 'shop', journal: null, segments };
  await activity.run(async () => await emitSegments({ journal }, entry));
  expect(read).toEqual([1, 2, 3, 4, 5, 6]);
});
