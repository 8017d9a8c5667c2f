import { defineConfig, defineNodeType } from 'holdfast';

/** Routes the run by whether a value is at least a threshold. */
const threshold = defineNodeType({
  name: 'threshold',
  schema: {
    type: 'object',
    properties: {
      value: { type: 'number' },
      threshold: { type: 'number' },
      atLeast: { type: 'string' },
      otherwise: { type: 'string' },
    },
    required: ['value', 'threshold', 'atLeast', 'otherwise'],
    additionalProperties: false,
  },
  execute: ({ value, threshold, atLeast, otherwise }) => ({
    goto: Number(value) >= Number(threshold) ? atLeast : otherwise,
  }),
});

export default defineConfig({ nodeTypes: [threshold] });
