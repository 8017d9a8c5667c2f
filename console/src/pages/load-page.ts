import type { ComponentType } from 'react';

type Load = () => Promise<ComponentType>;

/** Loaders of the pages' code, by the first part of their paths below `/console`. */
export const LOADERS: Readonly<Record<string, Load>> = {
  inbox: async () => (await import('./inbox/inbox-page.tsx')).InboxPage,
  runs: async () => (await import('./runs/runs-page.tsx')).RunsPage,
  graphs: async () => (await import('./graphs/graphs-page.tsx')).GraphsPage,
  schedules: async () => (await import('./schedules/schedules-page.tsx')).SchedulesPage,
  webhooks: async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage,
  tools: async () => (await import('./tools/tools-page.tsx')).ToolsPage,
  admin: async () => (await import('./admin/admin-page.tsx')).AdminPage,
};

/** The path of one run. Its page is loaded together with the page around it. */
const ONE_RUN = /^\/console\/runs\/[0-9A-Z]{26}(?:\/|$)/;

/** Loads the code of the page at an address in parallel with the console's own. The page that renders it shows failures. */
export async function preloadPage(pathname: string): Promise<void> {
  const [, , first = ''] = pathname.split('/');
  const load = Object.hasOwn(LOADERS, first) ? LOADERS[first] : undefined;
  const inner = ONE_RUN.test(pathname) ? import('./runs/run/run-page.tsx') : null;
  await Promise.allSettled([load?.(), inner]);
}
