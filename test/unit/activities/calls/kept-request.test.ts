import { describe, expect, test } from 'vitest';
import { MAX_KEPT_BYTES, openKeptRequest } from '../../../../src/activities/calls/make-attempt.ts';
import { jsonSize } from '../../../../src/graph/values/json-size.ts';
import { aModelRequest, aToolRequest } from '../../../support/builders/call-builders.ts';

describe('the stored request', () => {
  test('the request of a tool call is stored before the call', () => {
    expect(openKeptRequest(aToolRequest({ args: { amount: 1 } })).kept()).toMatchObject({ args: { amount: 1 } });
  });

  test('the request of a model call is stored after its messages are fitted to the context', () => {
    const request = openKeptRequest(aModelRequest());
    expect(request.kept()).toBeNull();
    request.keep({ system: null, messages: [{ role: 'user', content: 'Hi' }] });
    expect(request.kept()).toEqual({ system: null, messages: [{ role: 'user', content: 'Hi' }] });
  });

  test('the stored request of a long prompt contains its latest messages', () => {
    const request = openKeptRequest(aModelRequest());
    const messages = Array.from({ length: 30 }, (_, n) => ({ content: `${n} ${'x'.repeat(10_000)}` }));
    request.keep({ messages });
    const kept = request.kept();
    expect(kept).toEqual({ messages: messages.slice(-6), omitted: 24 });
    expect(jsonSize(kept)).toBeLessThanOrEqual(MAX_KEPT_BYTES);
  });

  test.each([
    ['arguments', () => openKeptRequest(aToolRequest({ args: { x: 'x'.repeat(MAX_KEPT_BYTES) } }))],
    [
      'instructions',
      () => {
        const request = openKeptRequest(aModelRequest());
        request.keep({ system: 'x'.repeat(MAX_KEPT_BYTES), messages: [{ content: 'Hi' }] });
        return request;
      },
    ],
  ])('a call with too large %s stores no request', (_what, open) => {
    expect(open().kept()).toBeNull();
  });
});
