import type { NewWebhook } from 'holdfast/client';
import type { JSX } from 'react';

type Events = NewWebhook['events'];

/** What a webhook may be told of. */
const EVENTS: Events = [
  'run.started',
  'run.completed',
  'run.failed',
  'run.canceled',
  'run.paused',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'approval.reminder',
  'approval.escalated',
  'intervention.requested',
];

interface EventChoiceProps {
  readonly chosen: Events;
  readonly onChoose: (events: Events) => void;
}

/** A choice of events, in the order of the list. */
export function EventChoice({ chosen, onChoose }: EventChoiceProps): JSX.Element {
  return (
    <fieldset>
      <legend>Events *</legend>
      <div className="event-choice">
        {EVENTS.map((event) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={chosen.includes(event)}
              onChange={({ target }) =>
                onChoose(EVENTS.filter((other) => (other === event ? target.checked : chosen.includes(other))))
              }
            />
            {event}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
