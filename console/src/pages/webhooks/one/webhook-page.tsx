import { useQuery } from '@tanstack/react-query';
import type { Webhook } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { Notice } from '../../../parts/notice.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { Time } from '../../../parts/time.tsx';
import { ShownSecret } from '../parts/shown-secret.tsx';
import { WebhookState } from '../parts/webhook-state.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';

/** One webhook: what it is told, what came of it, and what can be done with it. */
export function WebhookPage({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  const query = useQuery({
    queryKey: [...KEYS.webhooks, 'one', id],
    queryFn: async ({ signal }) => await client.webhooks.get(id, { signal }),
  });
  return (
    <div className="stack">
      <Link href="/webhooks" className="small-text">
        All webhooks
      </Link>
      <QueryView query={query} what="Opening the webhook">
        {(webhook) => <Opened webhook={webhook} />}
      </QueryView>
    </div>
  );
}

function Opened({ webhook }: { readonly webhook: Webhook }): JSX.Element {
  const { url, events, format, linkBase, failingSince, disabled, createdAt, createdBy } = webhook;
  const [rotated, setRotated] = useState<{ readonly secret: string | null } | null>(null);
  return (
    <>
      <PageHeader title="Webhook" about={url}>
        <WebhookState of={webhook} />
      </PageHeader>
      {disabled && (
        <Notice kind="warn">
          <p>
            It is told of nothing since <Time at={disabled.at} />. What happens meanwhile is not kept for it.
          </p>
        </Notice>
      )}
      {!disabled && failingSince !== null && (
        <Notice kind="warn">
          <p>
            Nothing was delivered since <Time at={failingSince} />. After five days of that it is disabled.
          </p>
        </Notice>
      )}
      <WebhookActions webhook={webhook} onRotated={setRotated} />
      {rotated && (
        <>
          <ShownSecret secret={rotated.secret} />
          <p className="muted">For 24 hours each message has both signatures.</p>
        </>
      )}
      <section className="card" aria-label="About it">
        <dl className="facts">
          <dt>Is told of</dt>
          <dd>{events.join(', ')}</dd>
          <dt>Messages</dt>
          <dd>{format}</dd>
          <dt>Links begin with</dt>
          <dd>{linkBase ?? 'none'}</dd>
          <dt>Made</dt>
          <dd>
            <Time at={createdAt} /> by {createdBy}
          </dd>
        </dl>
      </section>
      <Deliveries webhook={webhook} />
    </>
  );
}
