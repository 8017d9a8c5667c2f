import { expect, test } from 'vitest';
import { toRealDecision } from '../../../../src/api/approvals/decide-approval.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/index.ts';
import type { Redaction } from '../../../../src/graph/redaction/index.ts';
import type { Approval } from '../../../../src/graph/run/index.ts';
import { anApproval } from '../../../support/builders/store-builders.ts';

const HIDDEN: Redaction = {
  ...NOTHING_REDACTED,
  channels: ['card'],
  nodes: { secret: { fields: { args: '[redacted]' } } },
};

const approvalOf = (at: number, node: string): Approval => ({
  ...anApproval('run', 'pending'),
  id: `run.a${at}`,
  digest: `real-${at}`,
  node,
  task: [node],
  args: { card: '4111' },
});

/** A run with these approvals as the API reads it, and the number of computed fingerprints. */
function aDesk(approvals: readonly Approval[]) {
  const made: unknown[] = [];
  const fingerprints = {
    of: (_kind: string, content: unknown) => {
      made.push(content);
      return `sealed ${JSON.stringify(content)}`;
    },
  };
  const translate = (digests: readonly string[]) =>
    toRealDecision({ fingerprints }, { runId: 'run', approvals, asked: approvals.length }, HIDDEN, { digests });
  return { made, translate };
}

const secrets = Array.from({ length: 50 }, (_, at) => approvalOf(at, 'secret'));

test('the view of each approval is built once, however many digests a decision names', () => {
  const desk = aDesk(secrets);
  const digests = Array.from({ length: 1_000 }, (_, at) => `x${at}`);
  desk.translate(digests);
  expect(desk.made.length).toBeLessThanOrEqual(secrets.length);
});

test('the fingerprint of an approval is translated to the real digest, and a guessed digest of hidden content is refused', () => {
  const desk = aDesk([approvalOf(1, 'secret'), approvalOf(2, 'open')]);
  const sealed = 'sealed ["run.a1","real-1"]';
  expect(desk.translate([sealed])).toMatchObject({ digests: ['real-1'] });
  expect(desk.translate(['real-1'])).toMatchObject({ digests: [] });
  expect(desk.translate(['real-2', sealed, 'other'])).toMatchObject({ digests: ['real-2', 'real-1'] });
});
