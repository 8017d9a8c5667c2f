import { MODEL_FIELDS } from './model-fields.ts';
import type { DescriptionOf } from './node-description.ts';

export const agent: DescriptionOf<'agent'> = {
  ...MODEL_FIELDS,
  summary: 'A model that uses tools until it has an answer. Result: as of llm, with `iterations`.',
  approvals: { rules: 'approve', tools: 'tools' },
  mayWait: true,
  look: { outline: 'doubleCircle', fill: 'D6E0F5' },
};
