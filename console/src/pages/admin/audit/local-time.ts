/** Writes a time of an address as an input of times has it: to the minute, in the zone of the person. What is no time is empty. */
export function toLocalTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** Reads what stands in an input of times, as a time for an address (RFC 3339); what is no time is empty. */
export function fromLocalTime(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
