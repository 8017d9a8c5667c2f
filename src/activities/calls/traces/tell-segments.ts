import { Context } from '@temporalio/activity';
import type { Store } from '../../../store/store.ts';
import { TOLD_EVENTS } from '../../../telemetry/traces/plan-segment.ts';
import { isTracing } from '../../../telemetry/traces/run-tracer.ts';
import { tellSegment } from '../../../telemetry/traces/tell-segment.ts';
import type { JournalWrite } from '../write-journal.ts';

/** Makes the spans of a run's segments that are over, from its journal. A run never fails for its spans. */
export async function tellSegments(
  { journal }: Pick<Store, 'journal'>,
  { runId, tenantId, segments: ended }: JournalWrite,
): Promise<void> {
  if (!ended || !isTracing()) return;
  const { run, segments } = ended;
  try {
    for (const { name, after, upTo, sentIn } of segments) {
      const events = journal.ofTypes(runId, TOLD_EVENTS, { after, upTo });
      await tellSegment({ runId, tenantId, run, segment: name, sentIn }, events);
    }
  } catch (error) {
    Context.current().log.warn('the spans of a run are lost', { error, run: runId });
  }
}
