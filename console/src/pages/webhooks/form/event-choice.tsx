import type { NewWebhook } from 'holdfast/client';
import type { JSX } from 'react';
import { EVENT_TEXTS, isWebhookEvent } from './event-texts.ts';

type Events = NewWebhook['events'];

const EVENTS: Events = Object.keys(EVENT_TEXTS).filter(isWebhookEvent);

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
            <code>{event}</code> <span className="muted small-text">{EVENT_TEXTS[event]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
