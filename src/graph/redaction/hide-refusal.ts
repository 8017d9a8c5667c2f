import type { Refusal } from '../run/refusal.ts';
import { REDACTED } from './mask.ts';
import { isRedacting } from './redaction.ts';
import type { Redaction } from './redaction.ts';

/** Hides the messages of a refusal that may quote hidden values. Those about other channels stay. */
export function hideRefusal(refusal: Refusal, redaction: Redaction): Refusal {
  const { issues = [], mayQuote } = refusal;
  if (mayQuote !== true || !isRedacting(redaction)) return refusal;
  const isShown = ({ path }: { readonly path: string }): boolean => {
    const [, field, channel] = path.split('/');
    return field === 'values' && channel !== undefined && !redaction.channels.includes(channel);
  };
  if (issues.length > 0 && issues.every(isShown)) return refusal;
  return {
    ...refusal,
    message: REDACTED,
    ...(refusal.issues && {
      issues: issues.map((issue) => (isShown(issue) ? issue : { ...issue, message: REDACTED })),
    }),
  };
}
