import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { QUERIES, RUN_GRAPH } from '../../src/workflows/contract.ts';

/** Clients that continuously query all open runs through Temporal. */
export interface QueryClients {
  /** Stops them. @returns the number of answered queries */
  stop(): Promise<number>;
}

const OPEN = `WorkflowType = '${RUN_GRAPH}' AND ExecutionStatus = 'Running'`;
const ANSWER_WITHIN_MS = 5_000;
const PAUSE_MS = 200;

/** @param count the number of concurrent clients, each of which queries one run after the other */
export function startQueryClients(address: string, count: number): QueryClients {
  const end = new AbortController();
  let answered = 0;
  const askAll = async ({ connection, workflow }: Client): Promise<void> => {
    for await (const { workflowId } of workflow.list({ query: OPEN })) {
      if (end.signal.aborted) return;
      const ask = async (): Promise<unknown> => await workflow.getHandle(workflowId).query(QUERIES.status);
      answered += await connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, ask).then(
        () => 1,
        () => 0,
      );
    }
  };
  const work = async (): Promise<void> => {
    while (!end.signal.aborted) {
      // Temporal is killed from time to time, so the connection may fail.
      const connection = await Connection.connect({ address }).catch(() => null);
      if (connection) {
        await askAll(new Client({ connection })).catch(() => undefined);
        await connection.close();
      }
      await sleep(PAUSE_MS);
    }
  };
  const working = Array.from({ length: count }, work);
  return {
    async stop() {
      end.abort();
      await Promise.all(working);
      return answered;
    },
  };
}
