import type { Json, JsonObject } from '../../src/graph/json.ts';
import type { Random } from '../support/random.ts';

/** What becomes of a run if all goes as it should. */
export interface Outcome {
  readonly status: 'completed' | 'failed' | 'canceled' | 'waiting';
  /** The jobs that the third party has done in the end, each once. */
  readonly jobs: readonly string[];
  /** Of a completed run. */
  readonly output: Json;
}

/** What one customer wants, and how people see to it. */
export interface Plan {
  /** The names of all its jobs begin so. */
  readonly job: string;
  readonly graph: GraphName;
  readonly input: JsonObject;
  /** What the approvers say. */
  readonly decision: 'approve' | 'reject';
  /** Events are sent before anybody waits for them. */
  readonly isEarly: boolean;
  readonly expected: Outcome;
}

export type GraphName = 'mixed' | 'waits' | 'agent' | 'long';
export const GRAPHS: readonly GraphName[] = ['mixed', 'waits', 'agent', 'long'];

/** The most of them take all ways at once. */
const DRAW: readonly GraphName[] = ['mixed', 'mixed', 'mixed', 'waits', 'agent', 'long'];

type Makings = Pick<Plan, 'input' | 'expected'>;

export function drawPlans(count: number, random: Random): readonly Plan[] {
  return Array.from({ length: count }, (_, number) => drawPlan(`job-${number + 1}`, random));
}

function drawPlan(job: string, random: Random): Plan {
  const graph = random.pick(DRAW);
  const decision = random.next() < 0.7 ? 'approve' : 'reject';
  const isEarly = random.next() < 0.3;
  return { job, graph, decision, isEarly, ...MAKERS[graph](job, decision, random) };
}

const MAKERS: Readonly<Record<GraphName, (job: string, decision: Plan['decision'], random: Random) => Makings>> = {
  mixed(job, decision, random) {
    const status = random.pick(['completed', 'completed', 'completed', 'failed', 'canceled', 'waiting'] as const);
    const rounds = 1 + Math.floor(random.next() * 3);
    const items = upTo(1 + Math.floor(random.next() * 4));
    const paid = upTo(rounds).map((round) => `${job}/pay/${round}`);
    const packed = items.map((item) => `${job}/pack/${item}`);
    const shipped = [`${job}/label`, `${job}/send`];
    const last = `${job}/${decision === 'approve' ? 'settle' : 'release'}`;
    const rest: Record<Outcome['status'], readonly string[]> = {
      completed: [last],
      failed: packed.map((done) => `${done}/undone`),
      canceled: packed.map((done) => `${done}/undone`),
      waiting: [],
    };
    const receipts = [...paid, 'listed', ...packed, ...shipped, last];
    return {
      input: { job, rounds, items, breaks: status === 'failed' },
      expected: {
        status,
        jobs: [...paid, ...packed, ...shipped, ...rest[status]],
        output: { receipts, decision: participle(decision) },
      },
    };
  },
  waits(job, decision) {
    return {
      input: { job },
      expected: {
        status: 'completed',
        jobs: [`${job}/instead`, `${job}/expired`],
        output: { heard: [1, 2, 3], decision: participle(decision), hurry: 'expired' },
      },
    };
  },
  agent(job, decision) {
    const jobs = [`${job}/look`, `${job}/order`, ...(decision === 'approve' ? [`${job}/pay`] : [])];
    return { input: { job }, expected: { status: 'completed', jobs, output: { answer: `Done ${job}` } } };
  },
  long(job, _, random) {
    const rounds = 8 + Math.floor(random.next() * 8);
    const jobs = upTo(rounds).map((round) => `${job}/${round}`);
    return { input: { job, rounds }, expected: { status: 'completed', jobs, output: { receipts: jobs } } };
  },
};

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

function participle(decision: Plan['decision']): string {
  return decision === 'approve' ? 'approved' : 'rejected';
}
