import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import type { Random } from '../support/builders/random.ts';

/** The expected result of a run. */
export interface Outcome {
  readonly status: 'completed' | 'failed' | 'canceled' | 'waiting';
  /** The jobs that the third party has executed at the end, each once. */
  readonly jobs: readonly string[];
  /** The output of a completed run. */
  readonly output: Json;
}

/** The intention of one customer, and how people handle its run. */
export interface Plan {
  /** The prefix of all its job names. */
  readonly job: string;
  readonly graph: GraphName;
  readonly begins: RunStart;
  readonly input: JsonObject;
  /** The decision of the approvers. */
  readonly decision: 'approve' | 'reject';
  /** True to send events before a node waits for them. */
  readonly isEarly: boolean;
  readonly expected: Outcome;
}

/** Related plans, whose runs are started in this order. */
export type PlanGroup = readonly Plan[];

/** How a run is started. */
export type RunStart =
  | { readonly kind: 'new' }
  /** On a thread, where it may have to wait for earlier runs. */
  | { readonly kind: 'turn'; readonly threadId: string }
  /** As a fork of the previous run of the group, after a superstep of that run, with other values. */
  | { readonly kind: 'fork'; readonly step: number; readonly values: JsonObject };

export type GraphName = 'mixed' | 'waits' | 'agent' | 'long' | 'local' | 'turns';
export const GRAPHS: readonly GraphName[] = ['mixed', 'waits', 'agent', 'long', 'local', 'turns'];
export const SINGLE_GRAPHS: readonly SingleName[] = ['mixed', 'waits', 'agent', 'long', 'local'];

/** The minimum share of plans with one graph, from 0 to 1. */
export interface Share {
  readonly graph: SingleName;
  readonly part: number;
}

/** @returns groups with the given total number of plans: first each kind, as far as possible, then random ones */
export function drawPlanGroups(plans: number, random: Random, share: Share | null = null): readonly PlanGroup[] {
  const groups: PlanGroup[] = [];
  const due = random.shuffle(GROUP_KINDS);
  let shared = 0;
  for (let left = plans; left > 0; left -= groups.at(-1)?.length ?? 0) {
    const isShared = share !== null && shared < share.part * (plans - left + 1);
    if (isShared) shared += 1;
    const draw = isShared ? alone(share.graph) : (due.pop() ?? random.pick(GROUP_KINDS));
    groups.push(draw(`job-${groups.length + 1}`, random).slice(0, left));
  }
  return groups;
}

type DrawGroup = (job: string, random: Random) => PlanGroup;

/** A run without a thread or a parent. */
function alone(graph: SingleName): DrawGroup {
  return (job, random) => [drawPlan(job, graph, random)];
}

/** Runs of one thread; the next one starts even if one fails. */
function drawThread(threadId: string, random: Random): PlanGroup {
  const numbers = upTo(2 + Math.floor(random.next() * 3));
  const jobOf = (number: number): string => `${threadId}-turn-${number}`;
  const jobsOf = (number: number): readonly string[] => ['order', 'pay'].map((name) => `${jobOf(number)}/${name}`);
  return numbers.map((number) => {
    const breaks = random.next() < 0.3;
    const receipts = upTo(number).flatMap(jobsOf);
    return {
      ...PLAIN,
      job: jobOf(number),
      graph: 'turns',
      begins: { kind: 'turn', threadId },
      input: { job: jobOf(number), breaks },
      expected: { status: breaks ? 'failed' : 'completed', jobs: jobsOf(number), output: { receipts } },
    };
  });
}

/** A run and its fork, which begins while the run continues. */
function drawFork(job: string, random: Random): PlanGroup {
  const parent = drawPlan(job, 'long', random);
  const shared = 1 + Math.floor(random.next() * 5);
  const fork = `${job}-fork`;
  const jobs = parent.expected.jobs.slice(shared).map((done) => done.replace(job, fork));
  const receipts = [...parent.expected.jobs.slice(0, shared), ...jobs];
  // Each round takes two supersteps, which are counted from 0.
  const begins = { kind: 'fork', step: 2 * shared - 1, values: { job: fork } } as const;
  return [parent, { ...parent, job: fork, begins, expected: { status: 'completed', jobs, output: { receipts } } }];
}

/** Most of these combine all kinds of calls. */
const GROUP_KINDS: readonly DrawGroup[] = [
  alone('mixed'),
  alone('mixed'),
  alone('mixed'),
  alone('waits'),
  alone('agent'),
  alone('long'),
  alone('local'),
  drawThread,
  drawFork,
];

const PLAIN = { begins: { kind: 'new' }, decision: 'approve', isEarly: false } as const;

function drawPlan(job: string, graph: SingleName, random: Random): Plan {
  const decision = random.next() < 0.7 ? 'approve' : 'reject';
  const isEarly = random.next() < 0.3;
  return { ...PLAIN, job, graph, decision, isEarly, ...PLAN_MAKERS[graph](job, decision, random) };
}

export type SingleName = Exclude<GraphName, 'turns'>;
type InputAndOutcome = Pick<Plan, 'input' | 'expected'>;

const PLAN_MAKERS: Readonly<
  Record<SingleName, (job: string, decision: Plan['decision'], random: Random) => InputAndOutcome>
> = {
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
  local(job, _, random) {
    const rounds = 2 + Math.floor(random.next() * 4);
    const receipts = upTo(rounds).flatMap((round) => [`${job}/seen/${round}`, `${job}/ordered/${round}`]);
    const peeked = upTo(rounds).flatMap((round) => upTo(3).map((item) => `${job}/all/${round}/${item}`));
    return {
      input: { job, rounds },
      expected: { status: 'completed', jobs: [...receipts, ...peeked], output: { receipts } },
    };
  },
};

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

function participle(decision: Plan['decision']): string {
  return decision === 'approve' ? 'approved' : 'rejected';
}
