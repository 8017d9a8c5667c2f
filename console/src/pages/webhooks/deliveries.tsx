import type { Webhook, WebhookDelivery } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { toWebhook } from '../paths.ts';
import { formatDuration } from '../../parts/texts.ts';

const STATUSES = ['pending', 'delivered', 'failed'] as const;
const PAGE = 25;

/** The deliveries of a webhook in the last 30 days. */
export function Deliveries({ webhook: { id } }: { readonly webhook: Webhook }): JSX.Element {
  const client = useApi();
  const [status, setStatus] = useState<WebhookDelivery['status'] | undefined>();
  const pages = usePages([...KEYS.webhooks, 'deliveries', id, status ?? null], (options) =>
    client.webhooks.deliveries(id, { limit: PAGE, status }, options),
  );
  return (
    <section className="stack" aria-label="Deliveries">
      <div className="row">
        <h2>Deliveries</h2>
        <select
          aria-label="Only with this status"
          className="fitting"
          value={status ?? ''}
          onChange={({ target }) => setStatus(STATUSES.find((one) => one === target.value))}
        >
          <option value="">All</option>
          {STATUSES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <button type="button" className="button small" onClick={pages.readAgain}>
          Look again
        </button>
      </div>
      <PagesView pages={pages} empty={<Empty title="It was told nothing">A ping tells it something.</Empty>}>
        {(deliveries) => (
          <Table
            label="Deliveries, the newest first"
            columns={['Event', 'Run', 'Status', 'Attempts', { forReaders: 'What to do' }]}
          >
            {deliveries.map((delivery) => (
              <Row key={delivery.id} webhookId={id} delivery={delivery} />
            ))}
          </Table>
        )}
      </PagesView>
    </section>
  );
}

interface RowProps {
  readonly webhookId: string;
  readonly delivery: WebhookDelivery;
}

function Row({ webhookId, delivery }: RowProps): JSX.Element {
  const { id, type, runId, status, attempts, nextAttemptAt, createdAt } = delivery;
  const client = useApi();
  return (
    <tr>
      <td>
        {type}
        <p className="muted small-text">
          <Time at={createdAt} />
        </p>
      </td>
      <td>
        {runId === null ? (
          '—'
        ) : (
          <Link href={`/runs/${encodeURIComponent(runId)}`} className="mono">
            {runId}
          </Link>
        )}
      </td>
      <td>
        <Status of={status} />
        {nextAttemptAt !== null && (
          <p className="muted small-text">
            next attempt <Ago at={nextAttemptAt} />
          </p>
        )}
      </td>
      <td>
        <Attempts attempts={attempts} />
      </td>
      <td>
        <ActionButton
          label="Send again"
          of={type}
          look="small"
          request={{ method: 'POST', path: `/api${toWebhook(webhookId)}/deliveries/${id}/replay`, body: {} }}
          send={async (options) => await client.webhooks.replay(webhookId, id, options)}
          stale={[KEYS.webhooks]}
        />
      </td>
    </tr>
  );
}

/** The attempts of a delivery, with the answers. */
function Attempts({ attempts }: Pick<WebhookDelivery, 'attempts'>): JSX.Element {
  if (attempts.length === 0) return <>none yet</>;
  return (
    <ol className="attempts small-text">
      {attempts.map(({ at, status, error, durationMs }) => (
        <li key={at}>
          <Time at={at} />: {status ?? 'no answer'} after {formatDuration(durationMs)}
          {error !== null && <span className="muted"> {error}</span>}
        </li>
      ))}
    </ol>
  );
}
