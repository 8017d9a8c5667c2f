const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Reads an RFC 3339 timestamp. @returns milliseconds since the epoch; `null`: the text is no timestamp */
export function parseTimestamp(text: string): number | null {
  const epochMs = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(epochMs) ? null : epochMs;
}

/** Writes milliseconds since the epoch as an RFC 3339 timestamp. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
