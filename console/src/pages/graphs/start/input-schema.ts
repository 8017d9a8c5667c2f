import { isMembers } from '../../../form/fields-of.ts';
import { skeletonOf } from '../../../form/skeleton-of.ts';

type Members = Readonly<Record<string, unknown>>;

/** What values a reducer holds, where its channel has no schema. */
const OF_REDUCERS: Readonly<Record<string, Members>> = {
  sum: { type: 'number' },
  min: { type: 'number' },
  max: { type: 'number' },
  and: { type: 'boolean' },
  or: { type: 'boolean' },
};

/** Gives the JSON Schema of the input of a definition's runs: its input channels. */
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

/** What the input begins with: the defaults, a message to write, and the members of objects. */
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
  return isMembers(schema) && isMembers(schema['properties']) ? skeletonOf(schema) : undefined;
}
