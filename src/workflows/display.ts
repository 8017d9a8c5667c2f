import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { Run } from '../graph/run.ts';
import { toDetails } from './details.ts';
import { attributesOf, keyAtStart } from './search-attributes.ts';

/** Shows a run in Temporal as it is now. */
export type Display = (run: Run) => void;

/** @param isFirst the search attributes of the execution's start are what was shown last */
export function createDisplay(isFirst: boolean): Display {
  let shown = isFirst ? keyAtStart(workflowInfo().typedSearchAttributes) : '';
  return (run) => {
    setCurrentDetails(toDetails(run));
    const { key, attributes } = attributesOf(run);
    if (key === shown) return;
    shown = key;
    upsertSearchAttributes(attributes);
  };
}
