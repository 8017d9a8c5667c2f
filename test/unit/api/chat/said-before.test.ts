import { expect, test } from 'vitest';
import { SaidBefore } from '../../../../src/api/chat/narrate/said-before.ts';
import { AT } from '../../../support/builders/store-builders.ts';

const called = (node: string, visit: number, over: { readonly index?: number; readonly path?: string[] } = {}) =>
  ({
    type: 'model.called',
    node,
    visit,
    model: 'm',
    attempts: 1,
    durationMs: 1,
    idempotencyKey: 'R:talk:1:0:0',
    seq: 1,
    at: AT,
    step: 0,
    ...over,
  }) as const;

test('answers are taken by task, in the order of calls and rounds', () => {
  const said = new SaidBefore([
    { key: 'R:talk:1:10:0', text: 'third' },
    { key: 'R:talk:1:2:0', text: '' },
    { key: 'R:talk:1:0:0', text: 'first' },
    { key: 'R:talk:1:0:1', text: 'again' },
    { key: 'R:talk:2:0:0', text: 'later' },
    { key: 'R:talk#1:1:0:0', text: 'of one' },
    { key: 'R:outer.1.0/talk:1:0:0', text: 'inside' },
  ]);
  const texts = [1, 2, 3, 4, 5].map(() => said.take(called('talk', 1))?.text);
  expect(texts).toEqual(['first', undefined, 'third', 'again', undefined]);
  expect(said.take(called('talk', 2))).toMatchObject({ callKey: 'R:talk:2:0:0', index: 0, text: 'later' });
  expect(said.take(called('talk', 1, { index: 1 }))).toMatchObject({ text: 'of one' });
  expect(said.take(called('talk', 1, { path: ['outer'] }))).toBeNull();
});
