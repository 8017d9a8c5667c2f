import { defineConfig, defineNodeType } from 'holdfast';

/** Sends the run one way or the other, by whether a value is over a threshold. */
const threshold = defineNodeType({
  name: 'threshold',
  schema: {
    type: 'object',
    properties: {
      value: { type: 'number' },
      over: { type: 'number' },
      then: { type: 'string' },
      else: { type: 'string' },
    },
    required: ['value', 'over', 'then', 'else'],
    additionalProperties: false,
  },
  execute: ({ value, over, then, else: otherwise }) => ({ goto: Number(value) > Number(over) ? then : otherwise }),
});

export default defineConfig({ nodeTypes: [threshold] });
