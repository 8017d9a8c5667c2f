import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { usePages } from '../../../api/use-pages.ts';
import { Empty } from '../../../parts/empty.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { PagesView } from '../../../parts/pages-view.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Table } from '../../../parts/table.tsx';
import { toWebhook } from '../parts/to-webhook.ts';
import { WebhookState } from '../parts/webhook-state.tsx';
import { WebhookTabs } from '../parts/webhook-tabs.tsx';

const PAGE = { limit: 50 };

/** The addresses that are told of events, the newest first. */
export function WebhookList(): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.webhooks, 'list'], (options) => client.webhooks.list(PAGE, options));
  return (
    <>
      <PageHeader title="Webhooks" about="Addresses that are told when a run ends or needs a person.">
        <Link href="/webhooks/new" className="button">
          New webhook
        </Link>
      </PageHeader>
      <WebhookTabs here="/webhooks" />
      <PagesView pages={pages} empty={<Empty title="Nobody is told of anything">Add one by “New webhook”.</Empty>}>
        {(webhooks) => (
          <Table label="Webhooks" columns={['Address', 'Events', 'State', 'Made']}>
            {webhooks.map((webhook) => (
              <tr key={webhook.id}>
                <th scope="row">
                  <Link href={toWebhook(webhook.id)}>{webhook.url}</Link>
                </th>
                <td>{webhook.events.join(', ')}</td>
                <td>
                  <WebhookState of={webhook} />
                </td>
                <td>
                  <Ago at={webhook.createdAt} /> by {webhook.createdBy}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </PagesView>
    </>
  );
}
