import { expect, test } from 'vitest';
import { hideDelta } from '../../../../src/graph/redaction/hide-delta.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import { aDelta } from '../../../support/builders/store-builders.ts';

const inner = { channels: [], nodes: { think: { result: true } } } as const;

test.each([
  ['nothing is hidden', NOTHING_REDACTED, aDelta(), 'Hi'],
  ['the result is hidden', { ...NOTHING_REDACTED, nodes: { think: { result: true } } }, aDelta(), '[redacted]'],
  ['the calls are hidden', { ...NOTHING_REDACTED, nodes: { think: { calls: true } } }, aDelta(), '[redacted]'],
  ['only errors are hidden', { ...NOTHING_REDACTED, nodes: { think: { error: true } } }, aDelta(), 'Hi'],
  ['another node hides', { ...NOTHING_REDACTED, nodes: { act: { result: true } } }, aDelta(), 'Hi'],
  [
    'a graph inside hides',
    { ...NOTHING_REDACTED, nodes: { outer: { inside: inner } } },
    aDelta({ path: ['outer'] }),
    '[redacted]',
  ],
  ['only a graph inside hides', { ...NOTHING_REDACTED, nodes: { outer: { inside: inner } } }, aDelta(), 'Hi'],
] as const)('the text of a delta where %s', (...[, redaction, delta, text]) => {
  expect(hideDelta(delta, redaction)).toEqual({ ...delta, text });
});
