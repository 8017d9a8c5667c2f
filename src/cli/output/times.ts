/** The name of this machine's time zone, such as `Europe/Berlin`, to be printed once beside local times. */
export function zoneName(): string {
  return new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
}

/** Formats a time as local time of day. @param at RFC 3339 @returns such as `14:07:59` */
export function formatClock(at: string): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => pad(part, 2)).join(':');
}

/** Formats a time as local date and time. @param at RFC 3339 @returns such as `2026-11-28 14:07:59.123` */
export function formatLocalTime(at: string): string {
  const time = new Date(at);
  const date = [pad(time.getFullYear(), 4), pad(time.getMonth() + 1, 2), pad(time.getDate(), 2)].join('-');
  return `${date} ${formatClock(at)}.${pad(time.getMilliseconds(), 3)}`;
}

function pad(part: number, width: number): string {
  return String(part).padStart(width, '0');
}

/** Formats a time span, such as `2.1 s`. */
export function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
