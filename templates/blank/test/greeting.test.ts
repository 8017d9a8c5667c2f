import { runGraph } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { greeting } from '../graphs/greeting.ts';
import { greet } from '../tools/greet.ts';

test('somebody is greeted', async () => {
  const run = await runGraph(greeting, { name: 'Ann' }, { tools: { greet } });
  expect(run.output).toEqual({ greeting: 'Hello Ann' });
});
