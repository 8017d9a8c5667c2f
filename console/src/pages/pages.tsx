import { Suspense } from 'react';
import type { ComponentType, JSX } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { Empty, Loading } from '../parts/notices.tsx';
import { lazyPart } from '../parts/query-view.tsx';
import { LOADERS } from './load-page.ts';

/** The pages by their paths below `/console`. Each page handles the paths below its own. */
const PAGES: readonly (readonly [path: string, Page: ComponentType])[] = Object.entries(LOADERS).map(([name, load]) => [
  `/${name}/*?`,
  lazyPart(load),
]);

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
