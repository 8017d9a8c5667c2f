import { expect, test } from 'vitest';
import { RecordedAnswers } from '../../../../src/api/chat/chat-stream.ts';
import { AT } from '../../../support/builders/store-builders.ts';

const called = (idempotencyKey: string, over: { readonly path?: string[] } = {}) =>
  ({
    type: 'model.called',
    node: 'talk',
    visit: 1,
    model: 'm',
    attempts: 1,
    durationMs: 1,
    idempotencyKey,
    seq: 1,
    at: AT,
    step: 0,
    ...over,
  }) as const;

test('recorded model answers are matched to the calls of a run’s events, even if other calls have no events', () => {
  const answers = new RecordedAnswers([
    { key: 'R:talk:1:0:0', text: '' },
    { key: 'R:talk:1:2:0', text: 'second' },
    { key: 'R:talk:1:1:0', text: 'first' },
    { key: 'R:talk:1:2:1', text: 'again' },
    { key: 'R:outer.1.0/talk:1:0:0', text: 'inside' },
  ]);
  const textOf = (key: string): string | undefined => answers.deltaOf(called(key))?.text;
  const keys = ['R:talk:1:1:0', 'R:talk:1:2:0', 'R:talk:1:2:1', 'R:talk:1:3:0', 'R:talk:1:0:0'];
  expect(keys.map(textOf)).toEqual(['first', 'second', 'again', undefined, undefined]);
  expect(answers.deltaOf(called('R:talk:1:1:0'))).toMatchObject({ node: 'talk', callKey: 'R:talk:1:1:0', index: 0 });
  expect(answers.deltaOf(called('R:outer.1.0/talk:1:0:0', { path: ['outer'] }))).toBeNull();
});
