import { fieldsShownAs } from '../definition/node-types/describe-node.ts';
import type { Intervention } from '../journal/intervention.ts';
import type { WaitingFor } from '../journal/run-view.ts';
import { own } from '../values/json.ts';
import { nodesNamed } from './hidden-at.ts';
import { hideArgs } from './hide-approval.ts';
import { hideMessages, hideStack } from './hide-error.ts';
import { REDACTED } from './mask.ts';
import type { Redaction } from './redaction.ts';

/** Hides what a run waits for, as far as it was made of hidden values: names and times of waits, failed calls. */
export function hideWaiting(waiting: WaitingFor, redaction: Redaction): WaitingFor {
  if (waiting.kind === 'intervention') return hideIntervention(waiting, redaction);
  const nodes = nodesNamed(redaction, waiting.node);
  if (nodes.length === 0) return waiting;
  const isHidden = (place: 'event' | 'time'): boolean =>
    fieldsShownAs(place).some((field) => nodes.some(({ fields = {} }) => own(fields, field) !== undefined));
  const { deadline, ...shown } = waiting;
  const isTimed = deadline !== undefined && !isHidden('time');
  return {
    ...shown,
    ...(waiting.kind === 'event' && isHidden('event') && { id: REDACTED }),
    ...(isTimed && { deadline }),
  };
}

/** Hides the arguments and the messages of a failed call. */
export function hideIntervention(intervention: Intervention, redaction: Redaction): Intervention {
  const { node, args, error } = intervention;
  const nodes = nodesNamed(redaction, node);
  return {
    ...intervention,
    args: args === null ? null : hideArgs(args, nodes),
    error: nodes.some((one) => one.error) ? hideMessages(error) : hideStack(error, redaction),
  };
}
