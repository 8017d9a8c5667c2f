import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { refundTriage } from '../../../examples/refund-triage/graph.ts';

const text = readFileSync(new URL('../../../graphs/refund-triage.json', import.meta.url), 'utf8');

test('the builder’s refund example creates the definition in the JSON file', () => {
  expect(refundTriage.compile()).toStrictEqual(JSON.parse(text));
});

test('the keys of every object in a built definition have the order of the JSON file', () => {
  expect(JSON.stringify(refundTriage)).toBe(JSON.stringify(JSON.parse(text)));
});
