import { Annotation, Command, END, interrupt, Send, START, StateGraph } from '@langchain/langgraph';
import { callEcho } from './call-echo.ts';
import { openSaver } from './langgraph-savers.ts';
import { serve } from './serve.ts';

/* LangGraph with the saver in the environment; a checkpoint is stored before the next superstep begins. */

const State = Annotation.Root({
  count: Annotation<number>({ reducer: (_before, after) => after, default: () => 0 }),
  wanted: Annotation<number>({ reducer: (_before, after) => after, default: () => 0 }),
  done: Annotation<number>({ reducer: (before, more) => before + more, default: () => 0 }),
});
type Values = typeof State.State;

const isOver = ({ count, wanted }: Values): 'step' | typeof END => (count < wanted ? 'step' : END);
const next = ({ count }: Values): Partial<Values> => ({ count: count + 1 });

const checkpointer = await openSaver(process.env['SAVER'] ?? '');
const toolLoop = new StateGraph(State)
  .addNode('step', async (state) => {
    await callEcho(state.count);
    return next(state);
  })
  .addEdge(START, 'step')
  .addConditionalEdges('step', isOver)
  .compile({ checkpointer });
const pureLoop = new StateGraph(State)
  .addNode('step', next)
  .addEdge(START, 'step')
  .addConditionalEdges('step', isOver)
  .compile({ checkpointer });
const fan = new StateGraph(State)
  .addNode('call', async ({ count }: Values) => {
    await callEcho(count);
    return { done: 1 };
  })
  .addConditionalEdges(START, ({ wanted }) => Array.from({ length: wanted }, (_, count) => new Send('call', { count })))
  .addEdge('call', END)
  .compile({ checkpointer });
const asking = new StateGraph(State)
  .addNode('ask', () => ({ count: interrupt<string, number>('May I?') }))
  .addNode('call', async ({ count }) => {
    await callEcho(count);
    return {};
  })
  .addEdge(START, 'ask')
  .addEdge('ask', 'call')
  .addEdge('call', END)
  .compile({ checkpointer });

let runs = 0;
const ofThread = (thread: string, steps = 0) => ({
  configurable: { thread_id: thread },
  recursionLimit: steps + 10,
  durability: 'sync' as const,
});
const open = new Map<string, Promise<unknown>>();

await serve({
  toolSteps: async (steps) => await toolLoop.invoke({ wanted: Number(steps) }, ofThread(`${runs++}`, Number(steps))),
  fanOut: async (calls) => await fan.invoke({ wanted: Number(calls) }, ofThread(`${runs++}`)),
  pureSteps: async (steps) => await pureLoop.invoke({ wanted: Number(steps) }, ofThread(`${runs++}`, Number(steps))),
  ask: async (thread) => await asking.invoke({}, ofThread(thread)),
  decide: async (thread) => void open.set(thread, asking.invoke(new Command({ resume: 1 }), ofThread(thread))),
  ended: async (thread) => {
    await open.get(thread);
    open.delete(thread);
  },
});
