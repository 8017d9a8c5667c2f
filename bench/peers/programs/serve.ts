import { listenOnPort } from '../../../src/process/listen.ts';

/** The work of a program for a request; the response follows when it is done. */
export type Work = Readonly<Record<WorkName, (given: string) => Promise<unknown>>>;

/** `ask` receives an id and resolves when its run waits; `ended` resolves when that run has ended. */
export type WorkName = 'toolSteps' | 'fanOut' | 'pureSteps' | 'ask' | 'decide' | 'ended';

/** Serves the work of a program: `GET /toolSteps/100`. It prints its address as the first line. */
export async function serve(work: Work): Promise<void> {
  const { url } = await listenOnPort(
    { fetch: async (request) => await answer(work, new URL(request.url)) },
    { port: 0 },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());
  process.stdout.write(`${url}\n`);
}

async function answer(work: Work, { pathname }: URL): Promise<Response> {
  const [, name = '', given = ''] = pathname.split('/');
  const found = Object.entries(work).find(([known]) => known === name);
  if (!found) return new Response(null, { status: 404 });
  await found[1](given);
  return Response.json({ done: true });
}
