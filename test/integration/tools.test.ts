import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { readDescription } from '../support/readers/api-description.ts';
import type { ApiDescription } from '../support/readers/api-description.ts';
import { aGraphOf, readAll, startRun } from '../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { aProblem, errorsIn } from '../support/readers/problems.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let stack: TestStack;
let api: ApiDescription;
beforeAll(async () => {
  const config = fileURLToPath(new URL('../../examples/tools/holdfast.config.ts', import.meta.url));
  stack = await startTestStack(config, { VOUCHER_KEY: 'key-of-vouchers' });
  api = await readDescription(stack.stranger);
});
afterAll(async () => {
  await stack.stop();
});

const as = (caller: Parameters<TestStack['as']>[0]) => api.watch(stack.as(caller));
const call = (tool: string, args: Json): NodeDefinition => ({ type: 'tool', tool, args });
const answerTo = async (tool: string, args: Json, who: Parameters<TestStack['as']>[0] = 'user'): Promise<Json> =>
  await startRun(stack.as(who), aGraphOf(call(tool, args)));

describe('GET /api/tools', () => {
  test('GET /api/tools lists every tool by name with its description', async () => {
    const { status, body } = await as('user').get('/api/tools');
    expect(status).toBe(200);
    const names = listAt(body, '/items').map((item) => textAt(item, '/name'));
    expect(names).toEqual(['book_parcel', 'grant_points', 'points', 'sign_voucher']);
    expect(at(body, '/nextCursor')).toBeNull();
    expect(at(body, '/items/0')).toEqual({
      name: 'book_parcel',
      description: 'Book the pickup of a parcel.',
      parameters: {
        type: 'object',
        properties: { order: { type: 'string' }, day: { type: 'string', format: 'date' } },
        required: ['order', 'day'],
        additionalProperties: false,
      },
      result: { type: 'object', required: ['pickup'] },
      effect: 'unsafe',
      approval: 'always',
      roles: null,
      onFailure: 'tell',
      taskQueue: null,
      timeout: '10s',
      switchedOff: null,
    });
    expect(at(body, '/items/1')).toMatchObject({
      effect: 'keyed',
      approval: { when: 'args.points > 1000' },
      roles: ['support'],
      onFailure: 'intervene',
      taskQueue: null,
      timeout: '60s',
    });
    expect(at(body, '/items/3')).toMatchObject({
      result: null,
      approval: null,
      taskQueue: 'vouchers',
      parameters: { properties: { euros: { type: 'number', default: 5 } }, required: ['order'] },
    });
  });

  test('GET /api/tools omits addresses and secrets of tools', async () => {
    const text = JSON.stringify((await as('admin').get('/api/tools')).body);
    for (const hidden of ['parcels.example', 'PARCEL_AUTHORIZATION', 'VOUCHER_KEY', 'key-of-vouchers'])
      expect(text).not.toContain(hidden);
  });

  test('GET /api/tools is paged', async () => {
    const names = (await readAll(as('user'), '/api/tools', 3)).map((item) => textAt(item, '/name'));
    expect(names).toEqual(['book_parcel', 'grant_points', 'points', 'sign_voucher']);
  });

  test.each(['user', 'approver', 'admin', 'otherTenantUser'] as const)(
    'GET /api/tools is readable by %s',
    async (caller) => {
      expect(await as(caller).get('/api/tools')).toMatchObject({ status: 200 });
    },
  );

  test('GET /api/tools is refused without a token', async () => {
    expect(await api.watch(stack.stranger).get('/api/tools')).toMatchObject(aProblem(401, 'UNAUTHENTICATED'));
  });

  test('GET /api/tools refuses an invalid cursor', async () => {
    expect(await as('user').get('/api/tools?limit=0')).toMatchObject({ status: 422 });
    expect(await as('user').get('/api/tools?cursor=x')).toMatchObject(aProblem(400, 'INVALID_CURSOR'));
  });
});

test('every response of GET /api/tools is described in the OpenAPI document', () => {
  expect(api.notDescribed()).toEqual([]);
});

describe('a tool in code', () => {
  test('a tool in code receives parsed arguments and its secrets on any task queue', async () => {
    expect(await answerTo('sign_voucher', { order: 'A-7' })).toMatchObject({
      status: 'completed',
      output: { answer: { order: 'A-7', euros: 5, code: expect.stringMatching(/^[\w-]{12}$/) } },
    });
  });

  test('a tool in code is not called with arguments that violate its schema', async () => {
    expect(await answerTo('sign_voucher', { order: '{{ "B-7" }}' })).toMatchObject({
      status: 'failed',
      error: { code: 'INVALID_TOOL_ARGUMENTS', message: expect.stringContaining('sign_voucher') },
    });
  });

  test('a graph is invalid if it calls a tool in code with arguments that violate the schema of the tool', async () => {
    const graph = aGraphOf(call('sign_voucher', { order: 'B-7' }));
    const answer = await as('user').post('/api/runs', { graph });
    expect(answer).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
    expect(errorsIn(answer)).toEqual(['INVALID_FIELD /nodes/only/args/order']);
  });

  test('a tool in code can be a method of a stateful instance', async () => {
    await answerTo('grant_points', { customer: 'bob', points: 10 }, 'admin');
    const again = await answerTo('grant_points', { customer: 'bob', points: 5 }, 'admin');
    expect(at(again, '/output/answer')).toEqual({ customer: 'bob', points: 15 });
    expect(at(await answerTo('points', { customer: 'ann' }), '/output/answer')).toEqual({
      customer: 'ann',
      points: 120,
    });
  });
});

test('a tool with roles is called in runs of callers with one of these roles, and of admins', async () => {
  expect(await answerTo('grant_points', { customer: 'cid', points: 1 }, 'user')).toMatchObject({
    status: 'failed',
    error: { code: 'TOOL_FAILED', message: expect.stringMatching(/grant_points may be called .*support/) },
  });
  expect(await answerTo('grant_points', { customer: 'cid', points: 1 }, 'admin')).toMatchObject({
    status: 'completed',
  });
});
