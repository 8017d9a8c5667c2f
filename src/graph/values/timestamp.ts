const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Reads an RFC 3339 timestamp. @returns milliseconds since the epoch; `null`: it is none */
export function parseTimestamp(text: string): number | null {
  const moment = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? null : moment;
}

/** A moment in milliseconds since the epoch, as RFC 3339 writes it. */
export function formatTimestamp(moment: number): string {
  return new Date(moment).toISOString();
}
