import { expect, test } from 'vitest';
import type { CallEffect } from '../../../src/graph/run/effect.ts';
import { callOptions } from '../../../src/workflows/activities.ts';
import { aModelRequest, aToolRequest } from '../../support/builders/call-builders.ts';

const aCall = (request: CallEffect['request']): CallEffect => ({
  kind: 'call',
  key: 'R1.pay.1',
  takeover: 0,
  node: 'pay',
  summary: 'pay: charge',
  request,
});

test('a tool call uses the task queue that the tool names', () => {
  expect(callOptions(aCall(aToolRequest({ taskQueue: 'payments' })))).toMatchObject({ taskQueue: 'payments' });
});

test.each([
  ['a tool that names no task queue', aToolRequest()],
  ["a tool that names the engine's task queue", aToolRequest({ taskQueue: 'holdfast' })],
  ['a model', aModelRequest()],
])("a call of %s uses the run's own task queue", (_what, request) => {
  expect(callOptions(aCall(request))).toMatchObject({ taskQueue: 'holdfast' });
});
