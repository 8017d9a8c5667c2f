import { expect, test } from 'vitest';
import { calleeName } from '../../../../src/graph/run/call.ts';
import { aModelRequest, aPolicy, aToolRequest } from '../../../support/builders/call-builders.ts';

const policy = { effect: 'idempotent', policy: aPolicy() } as const;

test.each([
  [aModelRequest({ model: 'small' }), 'model:small'],
  [aToolRequest({ tool: 'charge' }), 'tool:charge'],
  [{ kind: 'function', function: 'double', args: {}, ...policy } as const, 'function:double'],
  [{ kind: 'node', nodeType: 'geocode', config: {}, state: {}, run: {}, ...policy } as const, 'node:geocode'],
])('the callee of %j is named %s', (request, name) => {
  expect(calleeName(request)).toBe(name);
});
