import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openDeltas } from '../../../src/activities/open-deltas.ts';
import type { ModelDelta } from '../../../src/graph/journal/model-delta.ts';

const ATTEMPT = { node: 'think', visit: 1, attempt: 2, callKey: 'K1' };

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

function open() {
  const told: (readonly ModelDelta[])[] = [];
  const deltas = openDeltas((some) => told.push(some), ATTEMPT);
  return { deltas, told, texts: () => told.map((some) => some.map(({ text }) => text)) };
}

test('model text within a short time is published together, with indexes from 0', () => {
  const { deltas, told } = open();
  for (const text of ['He', 'll', 'o']) deltas.add(text);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(50);
  deltas.add(' you');
  vi.advanceTimersByTime(50);
  expect(told).toEqual([[{ ...ATTEMPT, index: 0, text: 'Hello' }], [{ ...ATTEMPT, index: 1, text: ' you' }]]);
});

test('the end of an attempt publishes the remaining text at once, and nothing after it', () => {
  const { deltas, texts } = open();
  deltas.add('Hi');
  deltas.close();
  deltas.add('late');
  deltas.close();
  vi.advanceTimersByTime(1_000);
  expect(texts()).toEqual([['Hi']]);
});

test('an attempt without model text publishes nothing', () => {
  const { deltas, told } = open();
  deltas.add('');
  deltas.close();
  expect([told, deltas.hasText()]).toEqual([[], false]);
});

test('a long model text is published at once, in pieces that end between characters', () => {
  const { deltas, texts } = open();
  const text = `${'x'.repeat(999)}\u{1F600}${'y'.repeat(1_500)}`;
  deltas.add(text);
  const [pieces = []] = texts();
  expect(pieces.join('')).toBe(text);
  expect(pieces.map(({ length }) => length)).toEqual([999, 1_000, 502]);
});

test('model text beyond a million characters is not published', () => {
  const { deltas, texts } = open();
  for (let count = 0; count < 1_100; count++) deltas.add('x'.repeat(1_000));
  deltas.close();
  expect(texts().flat().join('')).toHaveLength(1_000_000);
});
