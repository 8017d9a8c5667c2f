import { expect, test } from 'vitest';
import { textAt } from '../../../support/readers/json-at.ts';
import { toSlackMessage } from '../../../../src/api/webhooks/formats.ts';

const messageOf = (type: string, data: object, linkBase: string | null = null) =>
  toSlackMessage(JSON.stringify({ type, data }), linkBase);
const textOf = (type: string, data: object): string => textAt(JSON.parse(messageOf(type, data)), '/text');

test.each([
  ['run.completed', { id: 'R', graph: { name: 'refund' } }, 'Run completed: refund (R)'],
  ['approval.requested', { id: 'R.a1', title: 'Go?' }, 'Approval requested: Go?'],
  ['intervention.requested', { runId: 'R', node: 'pay' }, 'Intervention requested: node pay of run R'],
  ['webhook.ping', { webhookId: 'W' }, 'Webhook ping'],
])('the Slack message of the event %s with %j is %s', (type, data, text) => {
  expect(textOf(type, data)).toBe(text);
});

test('the title of a Slack message can neither mention everybody nor link anywhere, and is truncated', () => {
  const text = textOf('approval.requested', { id: 'R.a1', title: '<!channel> & <https://evil.example|you>' });
  expect(text).toBe('Approval requested: &lt;!channel&gt; &amp; &lt;https://evil.example|you&gt;');
  expect(textOf('approval.requested', { id: 'R.a1', title: '<'.repeat(9_000) }).length).toBeLessThan(3_000);
});

test.each([
  ['approval.requested', { id: 'R.a1', title: 'Go?' }, 'https://me.example/approvals/R.a1'],
  ['intervention.requested', { runId: 'R|/x', node: 'pay' }, 'https://me.example/runs/R%7C%2Fx'],
])('the Slack message of the event %s with %j links to %s', (type, data, link) => {
  expect(messageOf(type, data, 'https://me.example/')).toContain(`<${link}|Open>`);
});
