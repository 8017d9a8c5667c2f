/** An object without the members that are `null`, 0, or an empty list or object. */
export function withoutEmpty<T extends object>(value: T): Partial<T> {
  const rest: Partial<T> = {};
  for (const key in value) if (!isEmpty(value[key])) rest[key] = value[key];
  return rest;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
