/** One name, or a list of them, as a list. */
export function toList(named: string | readonly string[]): readonly string[] {
  return typeof named === 'string' ? [named] : named;
}
