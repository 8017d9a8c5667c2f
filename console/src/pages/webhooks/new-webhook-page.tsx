import type { NewWebhook, WebhookWithSecret } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { isMembers } from '../../form/fields.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { SecretNotice } from './webhook-parts.tsx';
import { toWebhook } from '../paths.ts';

const FIRST_EVENTS: NewWebhook['events'] = ['approval.requested', 'intervention.requested', 'run.failed'];

/** The form that adds a webhook. It shows the secret afterwards. */
export function NewWebhookPage(): JSX.Element {
  const [added, setAdded] = useState<WebhookWithSecret | null>(null);
  return (
    <div className="stack">
      <Link href="/webhooks" className="small-text">
        All webhooks
      </Link>
      <PageHeader title="New webhook" />
      {added === null ? (
        <NewWebhookForm onAdded={setAdded} />
      ) : (
        <>
          <SecretNotice secret={added.secret} />
          <p>
            <Link href={toWebhook(added.id)}>Go to the webhook</Link>
          </p>
        </>
      )}
    </div>
  );
}

function NewWebhookForm({ onAdded }: { readonly onAdded: (webhook: WebhookWithSecret) => void }): JSX.Element {
  const client = useApi();
  const form = useForm(WEBHOOK_SCHEMA, { format: 'standard', linkBase: `${location.origin}/console` });
  const [events, setEvents] = useState(FIRST_EVENTS);
  const body = toNewWebhook(form.value, events);
  return (
    <section className="card narrow" aria-label="The webhook">
      <RequestForm
        form={form}
        legend="Webhook"
        submit="Add"
        request={{ method: 'POST', path: '/api/webhooks', body: withoutSecret(body) }}
        send={async (options) => await client.webhooks.add(body, options)}
        stale={[KEYS.webhooks]}
        onDone={onAdded}
      >
        <EventChoice chosen={events} onChoose={setEvents} />
      </RequestForm>
    </section>
  );
}

/** Hides secrets in a copied command, which ends up in the history of a shell. */
function withoutSecret({ secret, ...body }: NewWebhook): NewWebhook {
  return secret === undefined ? body : { ...body, secret: '…' };
}

/** Only messages to Slack have links, so only they need the base of links. */
function toNewWebhook(value: unknown, events: NewWebhook['events']): NewWebhook {
  const { url, secret, format, linkBase } = isMembers(value) ? value : {};
  const isForSlack = format === 'slack';
  return {
    url: typeof url === 'string' ? url : '',
    events,
    format: isForSlack ? 'slack' : 'standard',
    ...(typeof secret === 'string' && { secret }),
    ...(isForSlack && typeof linkBase === 'string' && { linkBase }),
  };
}

type WebhookEvent = NewWebhook['events'][number];

/** Labels of the events of webhooks. The type covers all events of the API. */
const EVENT_TEXTS: Readonly<Record<WebhookEvent, string>> = {
  'run.started': 'A run has begun',
  'run.completed': 'A run has ended as it should',
  'run.failed': 'A run has failed',
  'run.canceled': 'A run was canceled',
  'run.paused': 'A run was paused',
  'approval.requested': 'An approval waits for people',
  'approval.decided': 'Somebody has decided an approval',
  'approval.expired': 'Nobody has decided an approval in time',
  'approval.reminder': 'Somebody reminds of an approval',
  'approval.escalated': 'An approval waits for more people than before',
  'intervention.requested': 'A failed node waits for a person',
};

function isWebhookEvent(name: string): name is WebhookEvent {
  return Object.hasOwn(EVENT_TEXTS, name);
}

type Events = NewWebhook['events'];

const EVENTS: Events = Object.keys(EVENT_TEXTS).filter(isWebhookEvent);

interface EventChoiceProps {
  readonly chosen: Events;
  readonly onChoose: (events: Events) => void;
}

/** A choice of events, in the order of the list. */
function EventChoice({ chosen, onChoose }: EventChoiceProps): JSX.Element {
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

/** The JSON Schema of the form of a webhook, without its events. */
const WEBHOOK_SCHEMA = {
  type: 'object',
  required: ['url', 'format'],
  properties: {
    url: { type: 'string', format: 'uri', title: 'Address', description: 'Where messages are posted to' },
    format: {
      title: 'Messages',
      oneOf: [
        { const: 'standard', title: 'JSON with signatures (Standard Webhooks)' },
        { const: 'slack', title: 'For an incoming webhook of Slack' },
      ],
    },
    secret: {
      type: 'string',
      title: 'Secret',
      description: 'whsec_ and 24 to 64 bytes in base64; without one it is made',
    },
    linkBase: {
      type: 'string',
      format: 'uri',
      title: 'Links begin with',
      description: 'Of messages for Slack, such as the address of this console',
    },
  },
} as const;
