import { DBOS } from '@dbos-inc/dbos-sdk';
import { callEcho } from './call-echo.ts';
import { serve } from './serve.ts';

/* DBOS with default settings: each step is a row in PostgreSQL before the next one begins, pure steps included. */

DBOS.setConfig({ name: 'peer', systemDatabaseUrl: process.env['DATABASE_URL'] ?? '', logLevel: 'error' });

const call = async (at: number): Promise<unknown> => await DBOS.runStep(() => callEcho(at), { name: 'call' });

const toolSteps = DBOS.registerWorkflow(
  async (steps: number) => {
    for (let at = 0; at < steps; at++) await call(at);
  },
  { name: 'toolSteps' },
);
const fanOut = DBOS.registerWorkflow(
  async (calls: number) => {
    await Promise.all(Array.from({ length: calls }, (_, at) => call(at)));
  },
  { name: 'fanOut' },
);
const pureSteps = DBOS.registerWorkflow(
  async (steps: number) => {
    let count = 0;
    for (let at = 0; at < steps; at++) count = await DBOS.runStep(async () => count + 1, { name: 'pure' });
    return count;
  },
  { name: 'pureSteps' },
);
const ask = DBOS.registerWorkflow(
  async () => {
    const decision = await DBOS.recv<string>('decision', 600);
    await call(0);
    return decision;
  },
  { name: 'ask' },
);

await DBOS.launch();
await serve({
  toolSteps: async (steps) => await toolSteps(Number(steps)),
  fanOut: async (calls) => await fanOut(Number(calls)),
  pureSteps: async (steps) => await pureSteps(Number(steps)),
  ask: async (workflowID) => await DBOS.startWorkflow(ask, { workflowID })(),
  decide: async (workflowID) => await DBOS.send(workflowID, 'yes', 'decision'),
  ended: async (workflowID) => await DBOS.getResult(workflowID),
});
