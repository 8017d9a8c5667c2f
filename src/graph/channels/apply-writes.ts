import { GraphError, toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { remainingBytes, MAX_VALUE_BYTES, tooLarge } from '../values/json-size.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { Update, Channel } from './channel.ts';
import { OwnedLists } from './reducer.ts';
import type { ReduceContext } from './reducer.ts';

export type Channels = Readonly<Record<string, Json>>;

/** What one task writes. `by` names the task in errors and tells tasks apart. */
export interface Write {
  readonly by: string;
  readonly node: string;
  readonly update: Update;
}

/** How a channel changed: a new value, or items at the end of its list. */
export type ChannelChange = { readonly set: Json } | { readonly append: readonly Json[] };

export type Applied =
  | { readonly ok: true; readonly channels: Channels; readonly changes: Readonly<Record<string, ChannelChange>> }
  | {
      readonly ok: false;
      readonly error: RunError;
      readonly channel: string;
      readonly culprits: readonly string[];
    };

interface WriteOfChannel {
  readonly by: string;
  readonly node: string;
  readonly value: Json;
}

/**
 * Folds the writes of one superstep into the channels, in the order given, and checks what was written.
 * Nothing is applied when a write can't be: the error names the channel and every node whose write is to blame.
 */
export function applyWrites(
  channels: ReadonlyMap<string, Channel>,
  current: Channels,
  { writes, context }: { writes: readonly Write[]; context: ReduceContext },
): Applied {
  const next: Record<string, Json> = { ...current };
  const changes: Record<string, ChannelChange> = {};
  for (const [name, ofChannel] of byChannel(writes)) {
    const channel = channels.get(name);
    if (!channel) return refused(name, ofChannel, new GraphError('CHANNEL_SCHEMA_VIOLATION', 'it is not declared'));
    try {
      const folded = fold(channel, next[name] ?? null, { writes: ofChannel, context });
      next[name] = folded.value;
      changes[name] = folded.change;
    } catch (error) {
      context.owned.undo();
      return refused(name, ofChannel, error);
    }
  }
  context.owned.keep();
  return { ok: true, channels: next, changes };
}

/** Tries what one task would write, as if it were alone. @returns why it can't be applied, or `null` */
export function tryWrite(channels: ReadonlyMap<string, Channel>, current: Channels, write: Write): RunError | null {
  const context = { owned: new OwnedLists(), nextMessageId: () => 'tried', extension: null };
  const applied = applyWrites(channels, current, { writes: [write], context });
  return applied.ok ? null : applied.error;
}

function byChannel(writes: readonly Write[]): Map<string, WriteOfChannel[]> {
  const found = new Map<string, WriteOfChannel[]>();
  for (const { by, node, update } of writes) {
    for (const [channel, value] of Object.entries(update)) {
      const list = found.get(channel);
      if (list) list.push({ by, node, value });
      else found.set(channel, [{ by, node, value }]);
    }
  }
  return found;
}

function fold(
  channel: Channel,
  current: Json,
  { writes, context }: { writes: readonly WriteOfChannel[]; context: ReduceContext },
): { value: Json; change: ChannelChange } {
  refuseConflict(channel, writes);
  const extensions: (readonly Json[] | null)[] = channel.ephemeral ? [null] : [];
  let value = channel.ephemeral ? channel.initial : current;
  let room: number | null = null;
  for (const { value: update } of writes) {
    const { value: reduced, extension } = reduceOne(channel, value, { update, context });
    const added = extension ?? (channel.reducer.isAdding ? update : null);
    room = added === null ? remainingBytesOf(reduced) : remainingBytes(room ?? remainingBytesOf(value), added);
    value = reduced;
    extensions.push(extension);
  }
  keepRemainingBytes(value, room ?? remainingBytesOf(value));
  checkSchema(channel, value);
  const appended = extensions.every((extension) => extension !== null);
  return { value, change: appended ? { append: extensions.flat() } : { set: value } };
}

function refuseConflict(channel: Channel, writes: readonly WriteOfChannel[]): void {
  const replacements = writes.filter(({ value }) => isReplacement(value));
  if (replacements.length > 1) throw conflict(replacements, 'both replace its value');
  if (channel.isExclusive && writes.length > 1) throw conflict(writes, 'both write it in one superstep');
}

function reduceOne(
  channel: Channel,
  current: Json,
  { update, context }: { update: Json; context: ReduceContext },
): { value: Json; extension: readonly Json[] | null } {
  if (isReplacement(update)) return { value: replaced(channel, update.$replace, context), extension: null };
  context.extension = null;
  const value = channel.reducer.reduce(current, update, context);
  return { value, extension: context.extension };
}

function replaced({ reducer }: Channel, value: Json, context: ReduceContext): Json {
  return reducer.replacement ? reducer.replacement(value, context) : value;
}

/** `{ "$replace": value }` bypasses the reducer. */
export function isReplacement(value: Json): value is JsonObject & { readonly $replace: Json } {
  return isJsonObject(value) && value['$replace'] !== undefined && Object.keys(value).length === 1;
}

function conflict(writes: readonly WriteOfChannel[], how: string): GraphError {
  const writers = writes.map(({ by }) => by).join(' and ');
  return new GraphError(
    'INVALID_CONCURRENT_GRAPH_UPDATE',
    `${writers} ${how}; give it a reducer, or let one node write it`,
  );
}

function checkSchema(channel: Channel, value: Json): void {
  const [violation] = channel.check?.(value) ?? [];
  if (violation)
    throw new GraphError(
      'CHANNEL_SCHEMA_VIOLATION',
      `its value would break its schema at ${violation.path || '/'}: ${violation.message}`,
    );
}

function refused(channel: string, writes: readonly WriteOfChannel[], thrown: unknown): Applied {
  const { code, message } = toRunError(thrown);
  const node = writes.at(-1)?.node;
  return {
    ok: false,
    error: { code, message: `Channel "${channel}": ${message}`, ...(node !== undefined && { node }) },
    channel,
    culprits: writes.map(({ by }) => by),
  };
}

/**
 * How much values may grow at least: so that a list which grows at each step is not measured at each step. An entry may
 * say too little, never too much. What is refused is measured anew, so it does not depend on what is remembered.
 */
const remainingBytesMemo = new WeakMap<object, number>();

/** How much a channel's value may grow. */
function remainingBytesOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return remainingBytes(MAX_VALUE_BYTES, value);
  return remainingBytesMemo.get(value) ?? remainingBytes(MAX_VALUE_BYTES, value);
}

/**
 * Remembers how much a new value may grow.
 * @param left is at most that
 * @throws GraphError `PAYLOAD_TOO_LARGE`
 */
function keepRemainingBytes(value: Json, left: number): void {
  const room = left < 0 ? remainingBytes(MAX_VALUE_BYTES, value) : left;
  if (room < 0) throw tooLarge('its value');
  if (typeof value === 'object' && value !== null) remainingBytesMemo.set(value, room);
}
