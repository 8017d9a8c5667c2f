import type { RunEvent } from '../graph/journal/index.ts';

/** How a text is meant, which decides its look: a result, a failure, something to act on, a detail, or a heading. */
export type Tone = 'success' | 'failure' | 'attention' | 'quiet' | 'heading';

type EventType = RunEvent['type'];

/** The tones of events that stand out; all others have none. A call that has failed is a failure, too. */
const TONES: { readonly [T in EventType]?: Tone } = {
  'run.completed': 'success',
  'run.failed': 'failure',
  'run.canceled': 'attention',
  'run.paused': 'attention',
  'node.failed': 'failure',
  'compensation.failed': 'failure',
  'approval.requested': 'attention',
  'approval.expired': 'attention',
  'signal.ignored': 'attention',
};

/** Returns the tone of an event's line; `null` for an ordinary one. */
export function toneOfEvent(event: RunEvent): Tone | null {
  const hasFailed = 'error' in event && event.error !== undefined;
  return TONES[event.type] ?? (hasFailed ? 'failure' : null);
}
