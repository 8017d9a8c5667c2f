import type { ModelDelta } from '../journal/model-delta.ts';
import { own } from '../values/json.ts';
import { graphAt } from './hidden-at.ts';
import { REDACTED } from './mask.ts';
import type { Redaction } from './redaction.ts';

/** Hides the text of a delta where the results of its node are hidden. */
export function hideDelta(delta: ModelDelta, redaction: Redaction): ModelDelta {
  const hidden = own(graphAt(redaction, delta.path ?? []).nodes, delta.node);
  return hidden?.result === true || hidden?.calls === true ? { ...delta, text: REDACTED } : delta;
}
