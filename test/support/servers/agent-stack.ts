import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { HttpToolInput } from '../../../src/config/tool.ts';
import type { GraphDefinition, NodeOfType } from '../../../src/graph/definition/definition.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aToolOf } from '../doubles/configured-tool.ts';
import { startJobService } from '../doubles/job-service.ts';
import type { JobService } from '../doubles/job-service.ts';
import { startLoopbackServer } from '../doubles/loopback-server.ts';
import type { LoopbackServer } from '../doubles/loopback-server.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { aGraphOf, startRun } from '../readers/api-runs.ts';
import { createRunControls } from '../readers/run-controls.ts';
import type { RunControls } from '../readers/run-controls.ts';
import { startTestStack } from './test-stack.ts';
import type { TestStack } from './test-stack.ts';

/** Agents on a real stack: a model over HTTP, tools of a job service, PostgreSQL, Temporal. */
export interface AgentStack extends RunControls {
  readonly stack: () => TestStack;
  /** Answers by script; a request without a scripted answer gets 501, which fails the call. */
  readonly model: () => LoopbackServer;
  readonly service: () => JobService;
  readonly user: () => ApiClient;
}

/** USD per million tokens, chosen so that calls cost fractions of a millionth. */
export const PRICE = { input: 0.15, output: 0.6 };

const JOB = {
  type: 'object',
  properties: { job: { type: 'string' }, euros: { type: 'number', maximum: 1000 }, urgent: { type: 'boolean' } },
  required: ['job'],
  additionalProperties: false,
};

const TERMS: Readonly<Record<string, Partial<HttpToolInput>>> = {
  look: { effect: 'idempotent' },
  work: {},
  send: { effect: 'unsafe', approval: 'never' },
  sign: { effect: 'unsafe' },
  vault: { roles: ['support'] },
  repair: { onFailure: 'intervene' },
};

/** An agent that may use all tools. */
export function anAgent(over: Partial<NodeOfType<'agent'>> = {}): NodeOfType<'agent'> {
  const said = over.messages === undefined ? { prompt: 'Do it.' } : {};
  return { type: 'agent', ...said, tools: Object.keys(TERMS), retry: { maxAttempts: 1 }, ...over };
}

/** Provides one stack for all tests of a file; model and service are reset between them. */
export function useAgentStack(): AgentStack {
  let model: LoopbackServer;
  let service: JobService;
  let stack: TestStack;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    model = await startLoopbackServer();
    stops.unshift(() => model.stop());
    service = await startJobService();
    stops.unshift(() => service.stop());
    const tools = Object.entries(TERMS).map(([name, terms]) => aToolOf(service, { name, parameters: JOB, ...terms }));
    const asked = { provider: 'openai-compatible', model: 'm', baseUrl: `${model.url}/v1`, price: PRICE } as const;
    const config = {
      models: { default: asked, spare: asked },
      tools,
      http: { allow: [model.address, service.address] },
    };
    stack = await startTestStack(config);
    stops.unshift(() => stack.stop());
  });
  beforeEach(() => {
    model.forget();
    service.forget();
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  const user = (): ApiClient => stack.as('user');
  return { stack: () => stack, model: () => model, service: () => service, user, ...createRunControls(user) };
}

/** Starts a run of one agent, and waits until it ends or waits. */
export async function startAgent(
  client: ApiClient,
  over: Partial<NodeOfType<'agent'>> = {},
  graph: Partial<GraphDefinition> = {},
): Promise<Json> {
  return await startRun(client, aGraphOf(anAgent(over), graph));
}
