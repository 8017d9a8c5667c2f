import { defineConfig, defineNodeType, defineTool } from 'holdfast';

const SCHEMA = { type: 'object', properties: { value: { type: 'string' } } } as const;

/** Throws an error that quotes what it has got, as its text, its class, its cause and a field. */
function refuse(value: unknown): never {
  const text = `No ${JSON.stringify(value)}`;
  throw Object.assign(new TypeError(text, { cause: new Error(text) }), { detail: text });
}

/** A model, tools, a function and a node type whose errors quote what they are called with. */
export default defineConfig({
  models: { default: { generate: ({ messages }) => refuse(messages) } },
  tools: [
    defineTool({
      name: 'quote',
      description: 'Quotes its arguments',
      parameters: SCHEMA,
      effect: 'keyed',
      retry: { maxAttempts: 2, initialInterval: '10ms' },
      execute: async (args, { logger }) => {
        logger.warn({ error: new TypeError(JSON.stringify(args)) }, 'a line of the tool');
        return refuse(args);
      },
    }),
    defineTool({
      name: 'done',
      description: 'Works',
      parameters: SCHEMA,
      effect: 'keyed',
      execute: async (args) => args,
    }),
  ],
  functions: {
    quote: {
      effect: 'idempotent',
      timeout: '5s',
      execute: async (args, { logger }) => {
        logger.warn(new Error(JSON.stringify(args)), 'a line of the function');
        return refuse(args);
      },
    },
  },
  nodeTypes: [defineNodeType({ name: 'quoting', schema: SCHEMA, execute: async (config) => refuse(config) })],
});
