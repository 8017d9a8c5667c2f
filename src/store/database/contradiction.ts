/** True for an error of the database about an event that says something else than the one with its number. */
export function isContradiction(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'events_say_one_thing';
}
