import type { ComponentType } from 'react';

type Load = () => Promise<ComponentType>;

/** The code of the pages, by the first part of their paths below `/console`. A folder has each. */
export const LOADERS: Readonly<Record<string, Load>> = {
  inbox: async () => (await import('./inbox/inbox-page.tsx')).InboxPage,
  runs: async () => (await import('./runs/runs-page.tsx')).RunsPage,
  graphs: async () => (await import('./graphs/graphs-page.tsx')).GraphsPage,
  schedules: async () => (await import('./schedules/schedules-page.tsx')).SchedulesPage,
  webhooks: async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage,
  tools: async () => (await import('./tools/tools-page.tsx')).ToolsPage,
  admin: async () => (await import('./admin/admin-page.tsx')).AdminPage,
};

/** The page of one run: its code is asked for together with that of the page around it. */
const ONE_RUN = /^\/console\/runs\/[0-9A-Z]{26}(?:\/|$)/;

/** Asks for the code of the page at an address, so that it comes beside that of the console. Who shows it tells of failures. */
export async function preloadPage(pathname: string): Promise<void> {
  const [, , first = ''] = pathname.split('/');
  const load = Object.hasOwn(LOADERS, first) ? LOADERS[first] : undefined;
  const inner = ONE_RUN.test(pathname) ? import('./runs/run/run-page.tsx') : null;
  await Promise.allSettled([load?.(), inner]);
}
