import type { JSX } from 'react';
import { Route, Switch } from 'wouter';
import { NewWebhookPage } from './form/new-webhook-page.tsx';
import { HooksPage } from './hooks/hooks-page.tsx';
import { WebhookList } from './list/webhook-list.tsx';
import { WebhookPage } from './one/webhook-page.tsx';
import './parts/webhooks.css';

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
