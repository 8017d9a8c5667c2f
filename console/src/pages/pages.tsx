import { Suspense, lazy } from 'react';
import type { ComponentType, JSX } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { Empty } from '../parts/empty.tsx';
import { Loading } from '../parts/loading.tsx';

/** A page that is loaded when it is opened. */
const page = (load: () => Promise<ComponentType>): ComponentType => lazy(async () => ({ default: await load() }));

/** The pages by their paths below `/console`. A folder has each; what stands below its path is its own. */
const PAGES: readonly (readonly [path: string, Page: ComponentType])[] = [
  ['/inbox/*?', page(async () => (await import('./inbox/inbox-page.tsx')).InboxPage)],
  ['/runs/*?', page(async () => (await import('./runs/runs-page.tsx')).RunsPage)],
  ['/graphs/*?', page(async () => (await import('./graphs/graphs-page.tsx')).GraphsPage)],
  ['/schedules/*?', page(async () => (await import('./schedules/schedules-page.tsx')).SchedulesPage)],
  ['/webhooks/*?', page(async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage)],
  ['/tools/*?', page(async () => (await import('./tools/tools-page.tsx')).ToolsPage)],
  ['/admin/*?', page(async () => (await import('./admin/admin-page.tsx')).AdminPage)],
];

/** The page that the address names. */
export function Pages(): JSX.Element {
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        {PAGES.map(([path, Page]) => (
          <Route key={path} path={path} component={Page} />
        ))}
        <Route path="/">
          <Redirect to="/inbox" replace />
        </Route>
        <Route>
          <Empty title="There is no such page">Take one of those at the side.</Empty>
        </Route>
      </Switch>
    </Suspense>
  );
}
