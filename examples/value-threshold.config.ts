import { defineConfig, defineNodeType } from 'holdfast';

/** Routes the run by whether a value is over a threshold. */
const threshold = defineNodeType({
  name: 'threshold',
  schema: {
    type: 'object',
    properties: {
      value: { type: 'number' },
      over: { type: 'number' },
      above: { type: 'string' },
      otherwise: { type: 'string' },
    },
    required: ['value', 'over', 'above', 'otherwise'],
    additionalProperties: false,
  },
  execute: ({ value, over, above, otherwise }) => ({ goto: Number(value) > Number(over) ? above : otherwise }),
});

export default defineConfig({ nodeTypes: [threshold] });
