import { runGraph, scriptedModel } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { nightlyReport } from './graph.ts';
import { readSales, sendMail } from './tools.ts';

const tools = { read_sales: readSales, send_mail: sendMail };
/** A model that finds the south unusual. */
const describing = (regions: number) => ({
  default: scriptedModel(
    Array.from({ length: regions }, () => ({ messages }: { readonly messages: readonly unknown[] }) => {
      const unusual = JSON.stringify(messages).includes('south');
      return { json: { sentence: unusual ? 'Sales have fallen to a quarter.' : 'As usual.', unusual } };
    }),
  ),
});
const day = '2026-11-01';

test('the regions are reported in the order of the input, and the mail is sent once', async () => {
  const run = await runGraph(
    nightlyReport,
    { day, regions: ['north', 'south', 'west'] },
    { models: describing(3), tools },
  );
  expect(run.output?.text).toBe('north: As usual.\n! south: Sales have fallen to a quarter.\nwest: As usual.');
  expect(run.calls.filter(({ name }) => name === 'send_mail')).toHaveLength(1);
});

test('a region that can not be read is named, and the others are reported', async () => {
  const run = await runGraph(nightlyReport, { day, regions: ['north', 'moon'] }, { models: describing(1), tools });
  expect(run).toMatchObject({ status: 'completed', output: { text: 'north: As usual.', missing: ['moon'] } });
});
