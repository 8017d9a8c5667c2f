import { Suspense } from 'react';
import type { ComponentType, JSX } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { Empty } from '../parts/empty.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { Loading } from '../parts/loading.tsx';

/** The pages by their paths below `/console`. A folder has each; what stands below its path is its own. */
const PAGES: readonly (readonly [path: string, Page: ComponentType])[] = [
  ['/inbox/*?', lazyPart(async () => (await import('./inbox/inbox-page.tsx')).InboxPage)],
  ['/runs/*?', lazyPart(async () => (await import('./runs/runs-page.tsx')).RunsPage)],
  ['/graphs/*?', lazyPart(async () => (await import('./graphs/graphs-page.tsx')).GraphsPage)],
  ['/schedules/*?', lazyPart(async () => (await import('./schedules/schedules-page.tsx')).SchedulesPage)],
  ['/webhooks/*?', lazyPart(async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage)],
  ['/tools/*?', lazyPart(async () => (await import('./tools/tools-page.tsx')).ToolsPage)],
  ['/admin/*?', lazyPart(async () => (await import('./admin/admin-page.tsx')).AdminPage)],
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
