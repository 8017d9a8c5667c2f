import type { JsonObject } from '../../values/json.ts';
import type { FieldProblem } from './node-description.ts';

/** The part of a description that all node types with model calls share. */
export const MODEL_FIELDS = {
  templates: ['system', 'prompt'],
  uses: { tools: ['tools'], models: ['model'], messageProcessors: ['context/strategy'] },
  conversations: ['messages'],
  schemas: ['output'],
  exactlyOne: ['prompt', 'messages'],
  findProblems: findPromptProblems,
} as const;

function findPromptProblems(fields: JsonObject): readonly FieldProblem[] {
  const given = MODEL_FIELDS.exactlyOne.filter((field) => fields[field] !== undefined);
  if (given.length === 1) return [];
  return given.length === 0
    ? [{ field: null, message: 'This node needs a prompt, or messages (a channel)' }]
    : [{ field: 'messages', message: 'This node takes a prompt or messages, not both' }];
}
