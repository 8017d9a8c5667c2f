import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import type { HttpToolInput } from '../../../src/config/tool.ts';
import { choosePort } from '../../../src/dev/ports.ts';
import { startScriptedModel } from '../../../src/dev/scripted-model/server.ts';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { aDefinition } from '../builders/builders.ts';
import { aToolOf } from '../doubles/configured-tool.ts';
import { startJobService } from '../doubles/job-service.ts';
import type { JobService } from '../doubles/job-service.ts';
import type { ApiAnswer, ApiClient } from '../readers/api-client.ts';
import { hasStatus } from '../readers/api-runs.ts';
import { textAt } from '../readers/json-at.ts';
import { startDeployment } from './deployment.ts';
import type { Deployment } from './deployment.ts';
import { FIRST_PORT } from './ports.ts';

/** A running deployment, and the services that it calls: the tools `unsafe` and `keyed`, and models. */
export interface Site {
  readonly deployment: Deployment;
  readonly service: JobService;
  readonly model: { goOffline(): Promise<void>; goOnline(): Promise<void> };
  readonly user: ApiClient;
  readonly approver: ApiClient;
  /** @returns the run's id */
  startRun(nodes: Record<string, NodeDefinition>): Promise<string>;
  until(id: string, status: string): Promise<void>;
  /** Waits until worker and API report that they are ready. */
  untilReady(): Promise<void>;
  stop(): Promise<void>;
}

type Tool = Pick<HttpToolInput, 'timeout' | 'retry'>;
type Configured = NonNullable<ConfigInput['models']>;

/** Returns the models, given the one that answers by rules. */
export type Models = (scripted: Configured[string]) => Configured;

/** Longer than any request takes while a dependency is down. */
export const BOUND_MS = 30_000;

/** After an outage of a minute, the next retry with growing delays may be this far away. */
export const PATIENTLY = { interval: 50, timeout: 150_000 };

export async function startSite({ tool, models }: { tool: Tool; models: Models }): Promise<Site> {
  const service = await startJobService(await choosePort('the service', undefined, FIRST_PORT + 15));
  const port = await choosePort('the model', undefined, FIRST_PORT + 15);
  let model = await startScriptedModel({ port });
  const deployment = await startDeployment({
    models: models({ provider: 'openai-compatible', model: 'scripted', baseUrl: model.url }),
    tools: [
      aToolOf(service, { name: 'unsafe', effect: 'unsafe', ...tool }),
      aToolOf(service, { name: 'keyed', effect: 'keyed', ...tool }),
    ],
    http: { allow: [service.address, `127.0.0.1:${port}`] },
    defaults: { heartbeatTimeout: '5s' },
  });
  await Promise.all([deployment.api.said('API listening'), deployment.worker.said('worker started')]);
  const user = deployment.as('user');
  return {
    deployment,
    service,
    model: {
      goOffline: () => model.stop(),
      goOnline: async () => void (model = await startScriptedModel({ port })),
    },
    user,
    approver: deployment.as('approver'),
    startRun: async (nodes) => textAt((await user.post('/api/runs', { graph: aDefinition({ nodes }) })).body, '/id'),
    until: async (id, status) => void (await user.untilRun(id, hasStatus(status), PATIENTLY.timeout)),
    async untilReady() {
      await vi.waitUntil(async () => {
        const answers = [deployment.workerHealth, user].map((one) => one.get('/readyz').catch(() => null));
        return (await Promise.all(answers)).every((answer) => answer?.status === 200);
      }, PATIENTLY);
    },
    async stop() {
      await deployment.stop();
      await Promise.all([model.stop(), service.stop()]);
    },
  };
}

/** A node that executes a job with a tool, and records it. */
export function aCall(tool: 'unsafe' | 'keyed', job: string) {
  return { type: 'tool', tool, args: { job }, write: { log: job } } as const;
}

/**
 * The statuses of a request to repeat: its first attempt is in progress, there are too many requests, or a dependency
 * is down.
 */
const AGAIN: ReadonlySet<number> = new Set([409, 429, 503]);

/**
 * Repeats a request under its key until it is accepted.
 * @throws when it is refused permanently, or is not accepted in time, with the last response
 */
export async function repeated(send: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  for (const until = Date.now() + PATIENTLY.timeout; ;) {
    const answer = await send();
    const { status, body } = answer;
    if (status < 300) return answer;
    if (!AGAIN.has(status) || Date.now() > until)
      throw new Error(`The request was not accepted; the last answer was ${status}: ${JSON.stringify(body)}`);
    await sleep(PATIENTLY.interval);
  }
}
