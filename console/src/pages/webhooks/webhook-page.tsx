import { useQuery } from '@tanstack/react-query';
import type { Webhook, WebhookWithSecret } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link, useLocation } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { Notice } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { Time } from '../../parts/time.tsx';
import { SecretNotice, WebhookState } from './webhook-parts.tsx';
import { Deliveries } from './deliveries.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { toWebhook } from '../paths.ts';

/** The page of a webhook: its events, deliveries and actions. */
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
          <SecretNotice secret={rotated.secret} />
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

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: WebhookWithSecret) => void;
}

/** Buttons that ping, disable, enable or delete a webhook. */
function WebhookActions({ webhook: { id, disabled, format }, onRotated }: WebhookActionsProps): JSX.Element {
  const { webhooks } = useApi();
  const [, navigate] = useLocation();
  const path = `/api${toWebhook(id)}`;
  const stale = [KEYS.webhooks];
  return (
    <div className="row">
      {disabled && (
        <ActionButton
          label="Tell it again"
          look="primary"
          request={{ method: 'POST', path: `${path}/enable`, body: {} }}
          send={async (options) => await webhooks.enable(id, options)}
          stale={stale}
        />
      )}
      <ActionButton
        label="Ping"
        request={{ method: 'POST', path: `${path}/ping`, body: {} }}
        send={async (options) => await webhooks.ping(id, options)}
        stale={stale}
      />
      {format === 'standard' && (
        <ActionButton
          label="New secret"
          warning="The secret of now signs for 24 hours more, beside the new one."
          request={{ method: 'POST', path: `${path}/rotate`, body: {} }}
          send={async (options) => await webhooks.rotate(id, {}, options)}
          stale={stale}
          onDone={onRotated}
        />
      )}
      <ActionButton
        label="Remove"
        look="danger"
        warning="The webhook goes for good, and its deliveries with it."
        request={{ method: 'DELETE', path }}
        send={async (options) => await webhooks.remove(id, options)}
        stale={[[...KEYS.webhooks, 'list']]}
        onDone={() => navigate('/webhooks')}
      />
    </div>
  );
}
