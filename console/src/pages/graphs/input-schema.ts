import { isMembers } from '../../form/fields.ts';
import type { Schema } from '../../form/fields.ts';

type Members = Readonly<Record<string, unknown>>;

/** The types of values by reducer, for channels without a schema. */
const OF_REDUCERS: Readonly<Record<string, Members>> = {
  sum: { type: 'number' },
  min: { type: 'number' },
  max: { type: 'number' },
  and: { type: 'boolean' },
  or: { type: 'boolean' },
};

/** Creates the JSON Schema of the input of runs, from a definition's input channels. */
export function inputSchema(definition: Members): Members {
  const channels = isMembers(definition['channels']) ? definition['channels'] : {};
  const input = Array.isArray(definition['input']) ? definition['input'].map(String) : Object.keys(channels);
  const required = Array.isArray(definition['required']) ? definition['required'].map(String) : [];
  return {
    type: 'object',
    properties: Object.fromEntries(input.map((name) => [name, ofChannel(channels[name])])),
    required,
  };
}

function ofChannel(channel: unknown): Members {
  if (!isMembers(channel)) return {};
  const { schema, reducer, description } = channel;
  const own = isMembers(schema) ? schema : (OF_REDUCERS[String(reducer)] ?? {});
  return typeof description === 'string' ? { ...own, description } : own;
}

/** The initial input of a run: the channels' defaults, an empty message, and empty members of objects. */
export function firstInput(definition: Members): Members {
  const channels = isMembers(definition['channels']) ? definition['channels'] : {};
  const { properties } = inputSchema(definition);
  const names = isMembers(properties) ? Object.keys(properties) : [];
  const values = names.map((name) => [name, firstValue(channels[name])] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function firstValue(channel: unknown): unknown {
  if (!isMembers(channel)) return undefined;
  if ('default' in channel) return channel['default'];
  if (channel['reducer'] === 'messages') return [{ role: 'user', content: '' }];
  const { schema } = channel;
  return isMembers(schema) && isMembers(schema['properties']) ? createSkeleton(schema) : undefined;
}

/** Empty values by type. */
const BLANKS: ReadonlyMap<unknown, unknown> = new Map<unknown, unknown>([
  ['string', ''],
  ['number', 0],
  ['integer', 0],
  ['boolean', false],
  ['array', []],
]);

/** Creates a value to fill in: an object with the members that a schema names, empty or with their defaults. */
function createSkeleton(schema: Schema): unknown {
  if (!isMembers(schema)) return null;
  const { type, properties, default: first, const: only, enum: options } = schema;
  if (first !== undefined) return first;
  if (only !== undefined) return only;
  if (Array.isArray(options)) return options[0];
  if (!isMembers(properties)) return type === 'object' ? {} : (BLANKS.get(type) ?? null);
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, createSkeleton(member)]));
}
