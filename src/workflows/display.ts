import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { RunEvent } from '../graph/journal/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Run } from '../graph/run/index.ts';
import { toDetails } from './details.ts';
import { attributesOf, keyAtStart } from './search-attributes.ts';

/** Shows the current state of a run in Temporal, and of its latest events the last signal that was ignored. */
export type Display = (run: Run, latestEvents: readonly RunEvent[]) => void;

/**
 * @param isFirst true in the first execution, whose search attributes were set at its start
 * @param hidden the values that are hidden here
 */
export function createDisplay(isFirst: boolean, hidden: Redaction): Display {
  let shown = isFirst ? keyAtStart(workflowInfo().typedSearchAttributes) : '';
  return (run, latestEvents) => {
    setCurrentDetails(toDetails(run, latestEvents, hidden));
    const { key, attributes } = attributesOf(run);
    if (key === shown) return;
    shown = key;
    upsertSearchAttributes(attributes);
  };
}
