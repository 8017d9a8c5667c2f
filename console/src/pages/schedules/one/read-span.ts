import { isMembers } from '../../../form/fields-of.ts';

/** Reads two times as people write them, without a zone in their own. What is no time goes to the API as it is. */
export function readSpan(value: unknown): { readonly from: string; readonly to: string } {
  const { from, to } = isMembers(value) ? value : {};
  return { from: readTime(from), to: readTime(to) };
}

/** A date alone is its midnight in the zone of the person. */
function readTime(given: unknown): string {
  const text = typeof given === 'string' ? given.trim() : '';
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
