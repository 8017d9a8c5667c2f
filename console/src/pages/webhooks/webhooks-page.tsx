import type { JSX } from 'react';
import { Route, Switch, Link } from 'wouter';
import { NewWebhookPage } from './new-webhook-page.tsx';
import { HooksPage } from './hooks-page.tsx';
import { WebhookPage } from './webhook-page.tsx';
import './webhooks.css';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Ago } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { toWebhook } from '../paths.ts';
import { WebhookState, WebhookTabs } from './webhook-parts.tsx';

/** All pages of webhooks, and those of hooks, which take messages of others. */
export function WebhooksPage(): JSX.Element {
  return (
    <Switch>
      <Route path="/webhooks/new">
        <NewWebhookPage />
      </Route>
      <Route path="/webhooks/hooks/:id?">{({ id = null }) => <HooksPage openId={id} />}</Route>
      <Route path="/webhooks/:id">{({ id }) => <WebhookPage key={id} id={id} />}</Route>
      <Route>
        <WebhookList />
      </Route>
    </Switch>
  );
}

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
