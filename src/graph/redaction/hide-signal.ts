import type { RecordedOccurrence } from '../run/occurrence.ts';
import { mapValues } from '../values/collections.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { NodeRedaction, Redaction } from './redaction.ts';
import { standInFor } from './stand-in.ts';

type RecordedSignal = RecordedOccurrence & { readonly kind: 'signal' };

/**
 * Hides what a recorded signal brings to a run that hides anything. Payloads of events, outputs of skipped nodes and
 * fields that no signal has are hidden wherever they go.
 * @param asking what is hidden of the node whose approval is decided; `null` for other signals
 */
export function hideSignal(
  signal: RecordedSignal,
  { channels }: Redaction,
  asking: NodeRedaction | null,
): RecordedSignal {
  const { payload } = signal;
  if (!isJsonObject(payload)) return { ...signal, payload: standInFor(payload) };
  const hiders: Readonly<Record<string, (value: Json) => Json>> = {
    args: (args) => (asking && !hidesArgs(asking) ? args : standInFor(args)),
    values: (values) => (asking ? hideDecided(values, asking) : hideWritten(values, channels)),
  };
  // A digest of what is hidden would tell if a guess is right, and the replay shows something else.
  const { digest: _digest, ...fields } = payload;
  const hide = (value: Json, field: string): Json =>
    (own(hiders, field) ?? (SHOWN.has(field) ? same : standInFor))(value);
  return { ...signal, payload: mapValues(fields, hide) };
}

/** The fields of signals that hold no values of a run. */
const SHOWN: ReadonlySet<string> = new Set([
  'approvalId',
  'asNode',
  'at',
  'checkpoint',
  'by',
  'signalId',
  'event',
  'id',
  'limits',
  'node',
  'reason',
  'roles',
  'since',
  'users',
]);

const same = (value: Json): Json => value;

function hidesArgs({ fields = {}, calls }: NodeRedaction): boolean {
  return calls === true || fields['args'] !== undefined || fields['compensate/args'] !== undefined;
}

function hideDecided(values: Json, asking: NodeRedaction): Json {
  return asking.values ? standInFor(values) : values;
}

function hideWritten(values: Json, channels: readonly string[]): Json {
  return isJsonObject(values) ? standInForChannels(values, channels) : standInFor(values);
}

/** Puts stand-ins in the place of hidden channels. */
export function standInForChannels(values: JsonObject, channels: readonly string[]): JsonObject {
  return mapValues(values, (value, name) => (channels.includes(name) ? standInFor(value) : value));
}
