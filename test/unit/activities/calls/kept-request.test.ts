import { describe, expect, test } from 'vitest';
import { MAX_KEPT_BYTES, openKeptRequest } from '../../../../src/activities/calls/make-attempt.ts';
import { jsonSize } from '../../../../src/graph/values/json-size.ts';
import { aModelRequest, aToolRequest } from '../../../support/builders/call-builders.ts';

describe('the stored request', () => {
  test('of a tool is known before the call', () => {
    expect(openKeptRequest(aToolRequest({ args: { amount: 1 } })).kept()).toMatchObject({ args: { amount: 1 } });
  });

  test('of a model is known after its messages are fitted', () => {
    const request = openKeptRequest(aModelRequest());
    expect(request.kept()).toBeNull();
    request.keep({ system: null, messages: [{ role: 'user', content: 'Hi' }] });
    expect(request.kept()).toEqual({ system: null, messages: [{ role: 'user', content: 'Hi' }] });
  });

  test('of a long prompt contains its latest messages', () => {
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
  ])('of %s that are too large is nothing', (_what, open) => {
    expect(open().kept()).toBeNull();
  });
});
