import type { Page } from './page.ts';
import { channelsPage } from './pages/channels.ts';
import { commandsPage } from './pages/commands.ts';
import { configurationPage } from './pages/configuration.ts';
import { definitionPage } from './pages/definition.ts';
import { edgesPage } from './pages/edges.ts';
import { environmentPage } from './pages/environment.ts';
import { errorsPage } from './pages/errors.ts';
import { eventsPage } from './pages/events.ts';
import { expressionsPage } from './pages/expressions.ts';
import { httpPage } from './pages/http.ts';
import { limitsPage } from './pages/limits.ts';
import { metricsPage } from './pages/metrics.ts';
import { nodesPage } from './pages/nodes.ts';

/** The pages of the reference, in the order in which they are listed. */
export const PAGES: readonly Page[] = [
  definitionPage,
  nodesPage,
  channelsPage,
  edgesPage,
  expressionsPage,
  limitsPage,
  eventsPage,
  errorsPage,
  configurationPage,
  environmentPage,
  metricsPage,
  commandsPage,
  httpPage,
];
