import { MODEL_FIELDS } from './model-fields.ts';
import type { ModelFields } from './model-fields.ts';
import type { DescriptionOf } from './node-description.ts';

export const llm: DescriptionOf<ModelFields> = {
  ...MODEL_FIELDS,
  summary: 'Asks a model once. Result: { text, object, toolCalls, message, usage, model }.',
  requestsTools: 'tools',
  look: { outline: 'rounded', fill: 'E0F0FF' },
};
