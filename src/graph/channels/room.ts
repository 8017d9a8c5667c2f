import { roomAfter } from '../json.ts';
import type { Json } from '../json.ts';
import { MAX_VALUE_BYTES, tooLarge } from '../refuse-large.ts';

/**
 * How much values may grow at least: so that a list which grows at each step is not measured at each step. An entry may
 * say too little, never too much. What is refused is measured anew, so it does not depend on what is remembered.
 */
const rooms = new WeakMap<object, number>();

/** How much a channel's value may grow. */
export function roomOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return roomAfter(MAX_VALUE_BYTES, value);
  return rooms.get(value) ?? roomAfter(MAX_VALUE_BYTES, value);
}

/**
 * Remembers how much a new value may grow.
 * @param left is at most that
 * @throws GraphError `PAYLOAD_TOO_LARGE`
 */
export function keepRoom(value: Json, left: number): void {
  const room = left < 0 ? roomAfter(MAX_VALUE_BYTES, value) : left;
  if (room < 0) throw tooLarge('its value');
  if (typeof value === 'object' && value !== null) rooms.set(value, room);
}
