import { mapValues } from '../values/collections.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { isJsonObject } from '../values/json.ts';
import { REDACTED } from './mask.ts';
import type { GraphRedaction } from './redaction.ts';

/** Hides the values of hidden channels in an object by channel. */
export function hideChannels(values: JsonObject, { channels }: Pick<GraphRedaction, 'channels'>): JsonObject {
  if (channels.length === 0) return values;
  const hidden = new Set(channels);
  return mapValues(values, (value, name) => (hidden.has(name) ? REDACTED : value));
}

/** As `hideChannels`, for an output, which a run that has not completed does not have. */
export function hideOutput(output: Json, redaction: Pick<GraphRedaction, 'channels'>): Json {
  return isJsonObject(output) ? hideChannels(output, redaction) : output;
}
