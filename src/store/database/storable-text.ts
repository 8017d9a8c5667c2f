/**
 * Replaces NUL in the texts of a statement's parameters, and in lists of texts, by U+FFFD: PostgreSQL's text can't hold
 * NUL. A search for such a text then finds nothing instead of failing.
 */
export function storableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map(toStorable);
}

function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return Array.isArray(value) && value.some((item) => toStorable(item) !== item) ? value.map(toStorable) : value;
}
