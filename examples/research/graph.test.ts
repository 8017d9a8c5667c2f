import { runGraph, scriptedModel } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { research } from './graph.ts';

const question = 'When may a request be sent again?';
const tools = {
  'notes.list_directory': { effect: 'idempotent', execute: () => '[FILE] idempotency.md' },
  'notes.read_text_file': { effect: 'idempotent', execute: () => 'A request with a key may be sent again.' },
} as const;

test('the agent lists the folder, reads a file, and names it as its source', async () => {
  const report = { answer: 'If it has a key.', sources: ['idempotency.md'] };
  const model = scriptedModel([
    { toolCalls: [{ tool: 'notes.list_directory', args: { path: '.' } }] },
    { toolCalls: [{ tool: 'notes.read_text_file', args: { path: 'idempotency.md' } }] },
    { json: report },
  ]);
  const run = await runGraph(research, { question }, { models: { default: model }, tools });
  expect(run.output).toEqual({ report });
});

test('an answer without a source is sent back', async () => {
  const model = scriptedModel([
    { json: { answer: 'Always.', sources: [] } },
    { json: { answer: 'If it has a key.', sources: ['idempotency.md'] } },
  ]);
  const run = await runGraph(research, { question }, { models: { default: model }, tools });
  expect(model.requests).toHaveLength(2);
  expect(run.output).toMatchObject({ report: { answer: 'If it has a key.' } });
});
