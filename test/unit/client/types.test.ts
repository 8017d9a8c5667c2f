import { expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { StateGraph } from '../../../src/builder/state-graph.ts';

const graph = new StateGraph({
  name: 'typed',
  channels: { order: { schema: { type: 'string' } }, euros: { schema: { type: 'number' } } },
});

test('the channels of a graph define the types of input and output of its runs', async () => {
  const bodies: unknown[] = [];
  const fetch = async (_: string, init: RequestInit): Promise<Response> => {
    bodies.push(await new Response(init.body ?? null).json());
    return Response.json({ version: 3, id: 'r', output: { euros: 5 } });
  };
  const typed = createClient({ baseUrl: 'http://api.test', token: '', fetch }).graph(graph);
  await typed.publish();
  const { output } = await typed.start({ order: 'A-1' }, { threadId: 't' });
  const euros: number | null | undefined = output?.euros;
  expect(euros).toBe(5);
  // @ts-expect-error: a number is no order
  await typed.start({ order: 1 });
  // @ts-expect-error: there is no such channel
  await typed.start({ oder: 'A-1' });
  expect(bodies.slice(0, 2)).toEqual([graph.toJSON(), { graph: 'typed@3', input: { order: 'A-1' }, threadId: 't' }]);
});
