import { expect, test } from 'vitest';
import { hidesErrorsOfCall } from '../../../../src/graph/redaction/hide.ts';
import type { Redaction } from '../../../../src/graph/redaction/redaction.ts';
import { compensationKey } from '../../../../src/graph/run/ids.ts';

const REDACTION: Redaction = {
  channels: ['secret'],
  nodes: { pay: { error: true }, refund: { undone: true }, around: { inside: 'inner@1' } },
  graphs: { 'inner@1': { channels: [], nodes: { deep: { error: true } } } },
};
const KEY = 'R1:refund:1:0:0';

test.each([
  ['of a node whose errors are redacted', 'pay', KEY, true],
  ['of such a node in a graph inside', 'deep', KEY, true],
  ['of another node', 'other', KEY, false],
  ['of a node whose compensation is redacted', 'refund', KEY, false],
  ['that is this compensation', 'refund', compensationKey(KEY), true],
])('the errors of a call %s', (_which, node, key, isHidden) => {
  expect(hidesErrorsOfCall(node, key, REDACTION)).toBe(isHidden);
});
