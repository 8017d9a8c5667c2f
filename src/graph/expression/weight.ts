const CHARACTERS_PER_UNIT = 16;
const known = new WeakMap<object, number>();

/** What reading a whole value costs, in units of the meter; measured once for each object. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_UNIT;
  if (typeof value !== 'object' || value === null) return 1;
  const measured = known.get(value);
  if (measured !== undefined) return measured;
  const members: readonly unknown[] = value instanceof Map ? [...value.values()] : Object.values(value);
  const weight = members.reduce<number>((sum, member) => sum + weightOf(member), 1);
  known.set(value, weight);
  return weight;
}

/** What making a value costs on top of its parts: its own characters or elements. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_PER_UNIT;
  return Array.isArray(value) ? 1 + value.length : 1;
}
