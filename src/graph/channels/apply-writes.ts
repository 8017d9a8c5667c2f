import { addToList } from '../values/collections.ts';
import { GraphError, toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import { remainingBytes } from '../values/json-size.ts';
import { isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { withAllowance } from '../values/meter.ts';
import { ChannelSizes, measureAnew, rememberRemainingBytes, remainingBytesOf, sizeOfValue } from './channel-sizes.ts';
import type { ValuesByChannel } from './channel-sizes.ts';
import type { UpdateByChannel, Channel } from './channel.ts';
import { createReduceContext } from './reducer.ts';
import type { ReduceContext } from './reducer.ts';

/** The writes of one node task. `by` identifies the task in errors. */
export interface TaskWrite {
  readonly by: string;
  readonly node: string;
  readonly update: UpdateByChannel;
}

/** A change of a channel: a new value, or items added to the end of its list. */
export type ChannelChange = { readonly set: Json } | { readonly append: readonly Json[] };

/** The result of applying writes: the new values, or the channel and the writers at fault. */
export type WriteResult =
  | { readonly ok: true; readonly channels: ValuesByChannel; readonly changes: Readonly<Record<string, ChannelChange>> }
  | {
      readonly ok: false;
      readonly error: RunError;
      readonly channel: string;
      readonly culprits: readonly string[];
    };

/** A write to one channel. */
interface ChannelWrite {
  readonly by: string;
  readonly node: string;
  readonly value: Json;
}

/** Limit of all writes of one superstep, in units of the meter. It belongs to the interpreter version. */
const WRITE_UNITS = 5_000_000;

/**
 * Folds the writes of one superstep into the channels, in the given order, and checks the new values against schemas
 * and size limits. If one write fails, nothing is applied; otherwise the caller ends the round of `context.owned`.
 */
export function applyWrites(
  channels: ReadonlyMap<string, Channel>,
  current: ValuesByChannel,
  writes: readonly TaskWrite[],
  context: ReduceContext,
): WriteResult {
  return withAllowance('The sum of all writes of the superstep', WRITE_UNITS, () =>
    foldAll(channels, current, writes, context),
  );
}

function foldAll(
  channels: ReadonlyMap<string, Channel>,
  current: ValuesByChannel,
  writes: readonly TaskWrite[],
  context: ReduceContext,
): WriteResult {
  if (writes.length === 0) return { ok: true, channels: current, changes: {} };
  const next: Record<string, Json> = { ...current };
  const changes: Record<string, ChannelChange> = {};
  const sizes = new ChannelSizes(current);
  for (const [name, channelWrites] of groupByChannel(writes)) {
    const channel = channels.get(name);
    if (!channel)
      return refusedWrite(name, channelWrites, new GraphError('CHANNEL_SCHEMA_VIOLATION', 'it is not declared'));
    try {
      const before = sizeOfValue(next[name] ?? null);
      const folded = foldWrites(channel, next[name] ?? null, channelWrites, context);
      next[name] = folded.value;
      changes[name] = folded.change;
      sizes.replace(before, folded.value);
      sizes.settle(next);
    } catch (error) {
      context.owned.rollBack();
      return refusedWrite(name, channelWrites, error);
    }
  }
  return { ok: true, channels: next, changes };
}

/** Checks the writes of one task without applying them. @returns `null` if they can be applied */
export function tryWrite(
  channels: ReadonlyMap<string, Channel>,
  current: ValuesByChannel,
  write: TaskWrite,
): RunError | null {
  let messages = 0;
  const context = createReduceContext(() => `tried-${++messages}`);
  const applied = applyWrites(channels, current, [write], context);
  return applied.ok ? null : applied.error;
}

function groupByChannel(writes: readonly TaskWrite[]): Map<string, ChannelWrite[]> {
  const groups = new Map<string, ChannelWrite[]>();
  for (const { by, node, update } of writes) {
    for (const [channel, value] of Object.entries(update)) addToList(groups, channel, { by, node, value });
  }
  return groups;
}

function foldWrites(
  channel: Channel,
  current: Json,
  writes: readonly ChannelWrite[],
  context: ReduceContext,
): { value: Json; change: ChannelChange } {
  refuseConflict(channel, writes);
  const extensions: (readonly Json[] | null)[] = channel.ephemeral ? [null] : [];
  let value = channel.ephemeral ? channel.initial : current;
  let remaining: number | null = null;
  for (const { value: update } of writes) {
    const { value: reduced, extension } = reduceOne(channel, value, update, context);
    const added = extension ?? (channel.reducer.changesOnlyMembers ? update : null);
    remaining = added === null ? measureAnew(reduced) : remainingBytes(remaining ?? remainingBytesOf(value), added);
    value = reduced;
    extensions.push(extension);
  }
  rememberRemainingBytes(value, remaining ?? remainingBytesOf(value));
  checkSchema(channel, value);
  const appended = extensions.every((extension) => extension !== null);
  return { value, change: appended ? { append: extensions.flat() } : { set: value } };
}

function refuseConflict(channel: Channel, writes: readonly ChannelWrite[]): void {
  const replacements = writes.filter(({ value }) => isReplacement(value));
  if (replacements.length > 1) throw writeConflict(replacements, 'both replace its value');
  if (channel.isExclusive && writes.length > 1) throw writeConflict(writes, 'both write it in one superstep');
}

function reduceOne(
  channel: Channel,
  current: Json,
  update: Json,
  context: ReduceContext,
): { value: Json; extension: readonly Json[] | null } {
  if (isReplacement(update)) return { value: replacedValue(channel, update.$replace, context), extension: null };
  context.extension = null;
  const value = channel.reducer.reduce(current, update, context);
  return { value, extension: context.extension };
}

function replacedValue({ reducer }: Channel, value: Json, context: ReduceContext): Json {
  return reducer.replacement ? reducer.replacement(value, context) : value;
}

/** True for `{ "$replace": value }`, which bypasses the reducer. */
export function isReplacement(value: Json): value is JsonObject & { readonly $replace: Json } {
  return isJsonObject(value) && value['$replace'] !== undefined && Object.keys(value).length === 1;
}

function writeConflict(writes: readonly ChannelWrite[], how: string): GraphError {
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

function refusedWrite(channel: string, writes: readonly ChannelWrite[], thrown: unknown): WriteResult {
  const { code, message } = toRunError(thrown);
  const node = writes.at(-1)?.node;
  return {
    ok: false,
    error: { code, message: `Channel "${channel}": ${message}`, ...(node !== undefined && { node }) },
    channel,
    culprits: writes.map(({ by }) => by),
  };
}
