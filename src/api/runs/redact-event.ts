import { isJsonObject } from '../../graph/values/index.ts';

/** Replaces a value that the caller may not see. */
const REDACTED = '[redacted]';

/** Fields of events that hold values by channel. */
const BY_CHANNEL = ['update', 'values', 'output'] as const;

/** Copies an event without the values of some channels. */
export function redactEvent<T extends object>(event: T, channels: ReadonlySet<string>): T {
  if (channels.size === 0) return event;
  const hidden = BY_CHANNEL.flatMap((field) => {
    const values: unknown = field in event ? Reflect.get(event, field) : null;
    return isJsonObject(values) ? [[field, redact(values, channels)] as const] : [];
  });
  return hidden.length === 0 ? event : { ...event, ...Object.fromEntries(hidden) };
}

function redact(values: object, channels: ReadonlySet<string>): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [name, channels.has(name) ? REDACTED : value]),
  );
}
