import { MODEL_FIELDS } from './model-fields.ts';
import type { ModelFields } from './model-fields.ts';
import type { DescriptionOf } from './node-description.ts';

export interface AgentFields extends ModelFields {
  /** The maximum of model turns that call tools; 5 by default. */
  readonly maxIterations?: number;
  /** By tool: "always", "never", or CEL over the call's `args`. It decides if a person must approve the call. */
  readonly approve?: Readonly<Record<string, string>>;
}

export const agent: DescriptionOf<AgentFields> = {
  ...MODEL_FIELDS,
  summary: 'A model that uses tools until it has an answer. Result: as of llm, with `iterations`.',
  approvals: { rules: 'approve', tools: 'tools' },
  look: { outline: 'doubleCircle', fill: 'D6E0F5' },
};
