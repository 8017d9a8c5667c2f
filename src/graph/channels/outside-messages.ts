import { MESSAGE_ROLES } from '../definition/message.ts';
import type { MessageRole } from '../definition/message.ts';
import { toPointer } from '../values/json-pointer.ts';
import { isJsonObject, toItems } from '../values/json.ts';
import { deepEqual } from '../values/compare-json.ts';
import type { Json } from '../values/json.ts';
import { spendUnits } from '../values/meter.ts';
import type { ChannelSet, Channel, UpdateByChannel } from './channel.ts';
import { isReplacement } from './apply-writes.ts';
import type { ValuesByChannel } from './channel-sizes.ts';

/*
 * Messages from outside come from the people and systems that start, edit and signal runs. A conversation accepts only
 * the roles that its channel names, so no untrusted client can write as the system, the model or a tool.
 */

/** A message from outside that a channel does not accept. */
export interface RefusedMessage {
  readonly channel: string;
  /** JSON Pointer into the update. */
  readonly path: string;
  readonly message: string;
}

/**
 * Finds the first message from outside that its channel does not accept. Messages that the channel already holds are
 * allowed, so that a client can write back a conversation without some of its messages.
 */
export function findRefusedMessage(
  { channels }: ChannelSet,
  current: ValuesByChannel,
  update: UpdateByChannel,
): RefusedMessage | null {
  for (const [name, value] of Object.entries(update)) {
    const channel = channels.get(name);
    const found = channel?.rolesFromOutside
      ? findMessageFault(channel, channel.rolesFromOutside, value, current[name] ?? [])
      : null;
    if (found) return { channel: name, path: toPointer([name, ...found.path]), message: found.message };
  }
  return null;
}

/** `path` leads from the channel's value to the field at fault. */
type MessageFault = Pick<RefusedMessage, 'message'> & { readonly path: readonly (string | number)[] };

function findMessageFault(
  { name }: Channel,
  roles: readonly MessageRole[],
  value: Json,
  known: Json,
): MessageFault | null {
  const written = isReplacement(value) ? value.$replace : value;
  const items = toItems(written);
  const held = indexById(toItems(known), items.length);
  const at = items.findIndex((item) => faultyField(item, roles) !== null && !isInChannel(item, held));
  const item = items[at];
  const field = item === undefined ? null : faultyField(item, roles);
  if (field === null) return null;
  const inside = isReplacement(value) ? ['$replace'] : [];
  const path = [...inside, ...(items === written ? [at] : []), field];
  return { path, message: `Channel "${name}": ${REFUSAL_REASONS[field](roles)}` };
}

const REFUSAL_REASONS = {
  role: (roles: readonly MessageRole[]) =>
    `it takes no message of this role from outside, only of ${roles.join(', ') || 'none'}; its "roles" say which`,
  providerParts: () => 'no message from outside has providerParts, which only models write',
} as const;

/**
 * Returns the field that makes a message unacceptable. A message with an unknown role is left to the reducer, which
 * refuses it.
 */
function faultyField(item: Json, roles: readonly MessageRole[]): keyof typeof REFUSAL_REASONS | null {
  if (!isJsonObject(item)) return null;
  const { role, providerParts } = item;
  if (isMessageRole(role) && !roles.includes(role)) return 'role';
  return providerParts === undefined ? null : 'providerParts';
}

function isMessageRole(role: Json | undefined): role is MessageRole {
  return MESSAGE_ROLES.some((known) => known === role);
}

function indexById(messages: readonly Json[], items: number): ReadonlyMap<Json, Json> {
  spendUnits(messages.length + items);
  return new Map(messages.filter(isJsonObject).map((message) => [message['id'] ?? null, message]));
}

function isInChannel(item: Json, held: ReadonlyMap<Json, Json>): boolean {
  const message = isJsonObject(item) ? held.get(item['id'] ?? null) : undefined;
  return message !== undefined && deepEqual(message, item);
}

/** True if a template names the role of each message in it as a constant, so that no data chooses a role. */
export function namesRoles(template: Json): boolean {
  if (isReplacement(template)) return namesRoles(template.$replace);
  return toItems(template).every((item) => {
    const role = isJsonObject(item) ? item['role'] : undefined;
    return typeof role === 'string' && !role.includes('{{');
  });
}
