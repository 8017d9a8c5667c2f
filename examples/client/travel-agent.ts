import { StateGraph } from 'holdfast';
import { createClient } from 'holdfast/client';

const graph = new StateGraph({ name: 'travel-agent', channels: { chat: { reducer: 'messages' } } })
  .addNode('agent', { type: 'agent', messages: 'chat', tools: ['weather', 'book_trip'] })
  .addSequence(['__start__', 'agent', '__end__']);

/** Says something in a conversation. A person approves each trip, for 100 euros. */
export async function say(content: string, { baseUrl = '', user = '', approver = '' }: Record<string, string>) {
  const { approvals } = createClient({ baseUrl, token: approver });
  const agent = createClient({ baseUrl, token: user }).graph(graph);
  await agent.publish();
  const chat = [{ role: 'user', content }] as const;
  const { id } = await agent.start({ chat }, { threadId: 'my-trip', waitMs: 60_000 });
  for await (const approval of approvals.list({ runId: id, status: 'pending' }))
    await approvals.decide(approval, { decision: 'approve', args: { city: 'Rome', euros: 100 } });
  return (await agent.wait(id)).output?.chat?.at(-1)?.content;
}
