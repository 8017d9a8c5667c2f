import type { Webhook } from 'holdfast/client';
import type { JSX } from 'react';
import { Route, Switch, Link } from 'wouter';
import { NewWebhookPage } from './new-webhook-page.tsx';
import { HooksPage } from './hooks-page.tsx';
import { WebhookPage } from './webhook-page.tsx';
import './webhooks.css';
import { KEYS } from '../../api/query-keys.ts';
import { Ago } from '../../parts/time.tsx';
import { toWebhook } from '../paths.ts';
import { WebhookState, WebhookTabs } from './webhook-parts.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import type { ListedResource } from '../../parts/list-page.tsx';

/** All pages of webhooks, and those of hooks, which receive messages. */
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

const WEBHOOKS: ListedResource<Webhook> = { key: KEYS.webhooks, of: ({ webhooks }) => webhooks };

/** The addresses that get events, the newest first. */
function WebhookList(): JSX.Element {
  return (
    <ListPage
      title="Webhooks"
      about="Addresses that are told when a run ends or needs a person."
      resource={WEBHOOKS}
      add={{ href: '/webhooks/new', label: 'New webhook' }}
      empty={{ title: 'Nobody is told of anything', advice: 'Add one by “New webhook”.' }}
      tabs={<WebhookTabs here="/webhooks" />}
      columns={['Address', 'Events', 'State', 'Made']}
    >
      {(webhook) => (
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
      )}
    </ListPage>
  );
}
