import { runGraph, scriptedModel } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { documentIntake } from './graph.ts';
import { fileInvoice } from './tools.ts';

const tools = { file_invoice: fileInvoice };
const pages = {
  role: 'user',
  content: [
    { type: 'text', text: 'An invoice, scanned at the desk.' },
    { type: 'image', blob: '01JZ8Q0W4T9X2Y3Z4A5B6C7D8E', mediaType: 'image/png' },
  ],
} as const;
const read = (over: object = {}) => ({
  json: { supplier: 'Paper & Co', number: '2026-118', euros: 84.5, sure: true, ...over },
});

test('an invoice that is read with certainty is filed, and the model has seen the picture', async () => {
  const model = scriptedModel([read()]);
  const run = await runGraph(documentIntake, { pages }, { models: { default: model }, tools });
  expect(run.path).toEqual(['read', 'file']);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('01JZ8Q0W4T9X2Y3Z4A5B6C7D8E');
});

test('a person corrects what the model is not sure of', async () => {
  const models = { default: scriptedModel([read({ euros: 845, sure: false })]) };
  const args = { supplier: 'Paper & Co', number: '2026-118', euros: 84.5, sure: true };
  const decisions = [{ node: 'correct', decision: 'approve', by: 'ann', args }] as const;
  const run = await runGraph(documentIntake, { pages }, { models, tools, decisions });
  expect(run.calls.find(({ name }) => name === 'file_invoice')?.args).toMatchObject({ euros: 84.5 });
});

test('a rejected invoice is not filed', async () => {
  const models = { default: scriptedModel([read({ euros: 4000 })]) };
  const decisions = [{ node: 'correct', decision: 'reject', by: 'ann', reason: 'a reminder, no invoice' }] as const;
  const run = await runGraph(documentIntake, { pages }, { models, tools, decisions });
  expect(run).toMatchObject({ status: 'completed', output: { entry: null } });
});
