import { isMembers } from '../../../form/fields-of.ts';

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

/** What the input begins with: a message to write in each channel of messages that must be given, and the defaults. */
export function firstInput(definition: Members): Members {
  const channels = isMembers(definition['channels']) ? definition['channels'] : {};
  const { properties } = inputSchema(definition);
  const names = isMembers(properties) ? Object.keys(properties) : [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const channel = channels[name];
      if (!isMembers(channel)) return [];
      if ('default' in channel) return [[name, channel['default']]];
      return channel['reducer'] === 'messages' ? [[name, [{ role: 'user', content: '' }]]] : [];
    }),
  );
}
