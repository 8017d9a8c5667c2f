import type { NewWebhook, WebhookWithSecret } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { isMembers } from '../../../form/fields-of.ts';
import { RequestForm } from '../../../form/request-form.tsx';
import { useForm } from '../../../form/use-form.ts';
import { PageHeader } from '../../../parts/page-header.tsx';
import { ShownSecret } from '../parts/shown-secret.tsx';
import { toWebhook } from '../parts/to-webhook.ts';
import { EventChoice } from './event-choice.tsx';
import { WEBHOOK_SCHEMA } from './webhook-schema.ts';

const FIRST_EVENTS: NewWebhook['events'] = ['approval.requested', 'intervention.requested', 'run.failed'];

/** Adds a webhook, and shows its secret. */
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
          <ShownSecret secret={added.secret} />
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

/** A command that is copied ends up in histories of shells. */
function withoutSecret({ secret, ...body }: NewWebhook): NewWebhook {
  return secret === undefined ? body : { ...body, secret: '…' };
}

/** The beginning of links is for Slack alone. */
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
