import { runGraph } from 'holdfast/testing';
import { expect, test } from 'vitest';
import config from './holdfast.config.ts';
import { ticket } from './ticket.ts';

test('the ticket is scored, and its draft is halved until it is short enough', async () => {
  const input = { subject: 'The shop is down', since: '2018-05-01', draft: 'a'.repeat(200) };
  const run = await runGraph(ticket, input, { config });
  expect(run.output).toMatchObject({ score: { score: 1 }, draft: 'a'.repeat(50), verdict: 'short enough' });
});

test('a date that is none fails the node before the function is called', async () => {
  const run = await runGraph(ticket, { subject: 'Hello', since: 'long ago', draft: 'a' }, { config });
  expect(run.error?.message).toContain('/customerSince');
});
