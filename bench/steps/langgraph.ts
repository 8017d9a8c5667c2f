import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { Pool } from 'pg';

const ROUNDS = 5;

const State = Annotation.Root({
  count: Annotation<number>({ reducer: (_before, after) => after, default: () => 0 }),
});

/** Runs the chain of pure steps on LangGraph. @returns the median, in microseconds per step */
export async function measureLangGraph(steps: number, saver: BaseCheckpointSaver | undefined): Promise<number> {
  const app = chainOf(steps).compile({ checkpointer: saver ?? false });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    const config = { recursionLimit: steps + 10, configurable: { thread_id: `${steps}-${round}` } };
    const { count } = await app.invoke({}, config);
    times.push(performance.now() - begin);
    if (count !== steps) throw new Error(`The chain of ${steps} counted ${count}`);
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  return (median / steps) * 1_000;
}

/** LangGraph's checkpointers, and none. */
export interface Savers {
  readonly byName: ReadonlyMap<string, BaseCheckpointSaver | undefined>;
  close(): Promise<void>;
}

export async function openSavers(databaseUrl: string): Promise<Savers> {
  const pool = new Pool({ connectionString: databaseUrl });
  // The server stops before idle connections of the saver are closed.
  pool.on('error', () => undefined);
  const postgres = new PostgresSaver(pool);
  await postgres.setup();
  const byName = new Map<string, BaseCheckpointSaver | undefined>([
    ['langgraph', undefined],
    ['langgraph, MemorySaver', new MemorySaver()],
    ['langgraph, PostgresSaver', postgres],
  ]);
  return { byName, close: () => pool.end() };
}

function chainOf(steps: number) {
  const [first = 'n0', ...names] = Array.from({ length: steps }, (_, at) => `n${at}`);
  const count = (state: typeof State.State) => ({ count: state.count + 1 });
  let graph = new StateGraph(State).addNode<string>(first, count);
  for (const name of names) graph = graph.addNode(name, count);
  [first, ...names].forEach((name, at) => graph.addEdge(at === 0 ? START : `n${at - 1}`, name));
  return graph.addEdge(`n${steps - 1}`, END);
}
