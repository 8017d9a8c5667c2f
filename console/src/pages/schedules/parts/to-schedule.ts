/** The way to a schedule. */
export function toSchedule(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}
