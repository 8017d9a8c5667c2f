import { Context } from '@temporalio/activity';
import { TOLD_EVENTS } from '../../../graph/journal/index.ts';
import type { Store } from '../../../store/store.ts';
import { isTracing } from '../../../telemetry/traces/run-tracer.ts';
import { tellSegment } from '../../../telemetry/traces/tell-segment.ts';
import type { JournalWrite } from '../journal/write-journal.ts';

/** Makes the spans of a run's segments that are over, from its journal. A run never fails for its spans. */
export async function tellSegments(
  { journal }: { readonly journal: Pick<Store['journal'], 'ofTypes'> },
  { runId, tenantId, segments: ended }: JournalWrite,
): Promise<void> {
  if (!ended || !isTracing()) return;
  const { run, segments } = ended;
  const giveUpAt = Date.now() + WITHIN_MS;
  try {
    for (const { name, after, upTo, ...told } of segments) {
      const events = journal.ofTypes(runId, TOLD_EVENTS, { after, upTo });
      await tellSegment({ runId, tenantId, run, segment: name, ...told }, until(giveUpAt, events));
    }
  } catch (error) {
    Context.current().log.warn('the spans of a run are lost', { error, run: runId });
  }
}

/** The run waits for its journal, and so for this. */
const WITHIN_MS = 5_000;

async function* until<T>(time: number, items: AsyncIterable<T>): AsyncIterable<T> {
  for await (const item of items) {
    if (Date.now() > time) throw new Error(`To read the events of its segments took more than ${WITHIN_MS} ms`);
    yield item;
  }
}
