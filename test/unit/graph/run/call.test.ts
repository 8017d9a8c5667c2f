import { expect, test } from 'vitest';
import { calleeName, isLocalCall } from '../../../../src/graph/run/call.ts';
import type { CallEffect, CallRequest } from '../../../../src/graph/run/effect.ts';
import { aModelRequest, aPolicy, aToolRequest } from '../../../support/builders/call-builders.ts';

const policy = { effect: 'idempotent', policy: aPolicy() } as const;

test.each([
  [aModelRequest({ model: 'small' }), 'model:small'],
  [aToolRequest({ tool: 'charge' }), 'tool:charge'],
  [{ kind: 'function', function: 'double', args: {}, ...policy } as const, 'function:double'],
  [{ kind: 'node', nodeType: 'geocode', config: {}, state: {}, run: {}, ...policy } as const, 'node:geocode'],
])('the called service of the request %j is named %s', (request, name) => {
  expect(calleeName(request)).toBe(name);
});

const short = { effect: 'idempotent', execution: 'local', policy: aPolicy({ timeoutMs: 10_000 }) } as const;

function aCall(request: CallRequest, over: Partial<CallEffect> = {}): CallEffect {
  return { kind: 'call', key: 'k', takeover: 0, node: 'n', summary: 's', request, ...over };
}

test.each<[string, CallRequest]>([
  ['a tool', aToolRequest(short)],
  ['a function', { kind: 'function', function: 'double', args: {}, ...short }],
  ['a node of its own type', { kind: 'node', nodeType: 'geocode', config: {}, state: {}, run: {}, ...short }],
])('a short idempotent call of %s may be a local activity', (_, request) => {
  expect(isLocalCall(aCall(request))).toBe(true);
});

test.each<[string, CallRequest, Partial<CallEffect>?]>([
  ['does not request local execution', aToolRequest({ effect: 'idempotent', policy: short.policy })],
  ['requests an activity', aToolRequest({ ...short, execution: 'activity' })],
  ['is keyed', aToolRequest({ ...short, effect: 'keyed' })],
  ['may take long', aToolRequest({ ...short, policy: aPolicy({ timeoutMs: 10_001 }) })],
  ['has a task queue of its own', aToolRequest({ ...short, taskQueue: 'elsewhere' })],
  ['can be compensated', aToolRequest(short), { isCompensable: true }],
  ['is a model call', aModelRequest()],
])('a call that %s is not a local activity', (_, request, over) => {
  expect(isLocalCall(aCall(request, over))).toBe(false);
});
