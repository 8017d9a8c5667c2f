import type { JsonObject } from '../../src/graph/values/json.ts';
import type { Behavior, Case, Encounter } from './cases.ts';
import type { Action, Task } from './data.ts';
import { RETAIL } from './graphs.ts';
import type { AgentName } from './graphs.ts';
import type { VictimName } from './kills.ts';
import { openBranch } from './shop/branch.ts';
import type { Records } from './shop/records.ts';
import { UNCHANGED } from './shop/stock.ts';
import type { Changes } from './shop/stock.ts';
import { isWrite } from './tools.ts';

/** What an approver does about a write. */
export type Decision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'change'; readonly args: JsonObject }
  | { readonly kind: 'reject' }
  | { readonly kind: 'wait' };

/** What the model is told about a call. */
export type Told = 'accepted' | 'refused' | 'rejected';

/** The expected end of one run of a case. */
export interface RunOutcome {
  /** The ends of the run: a failed one may be retried. */
  readonly statuses: readonly string[];
  /** The writes that people have decided about, with the final arguments. */
  readonly decided: readonly Action[];
}

/** The expected result of a case. */
export interface Outcome {
  readonly runs: readonly RunOutcome[];
  /** The writes that take effect, in order, those that are undone later included. */
  readonly executed: readonly Action[];
  /** The number of first writes that are undone, the latest first. */
  readonly undone: number;
  readonly changed: Changes;
  /** One for each call of the task. */
  readonly told: readonly Told[];
}

/** What happens to a case while it is played. */
export interface Controls {
  readonly kill: (victim: VictimName) => Promise<void>;
  /** The number of kills since the case began, those for other cases included. */
  readonly kills: () => number;
  readonly cancel: (runId: string) => Promise<void>;
}

/** How a task is played, and what is expected of it. */
export interface Script {
  readonly graph: AgentName;
  readonly meet: (encounter: Encounter, one: Case, controls: Controls) => Promise<Behavior>;
  /** @param index of the write among the calls of the task */
  readonly decide: (index: number, one: Case) => Decision;
  /** What a person does after the run has ended. */
  readonly afterwards: 'nothing' | 'retry' | 'fork';
  readonly outcome: Outcome;
}

/** Everything goes as the benchmark expects it. */
export function asExpected(task: Task): Script {
  const { actions, accepted, changed } = task;
  const writes = actions.filter(({ name }) => isWrite(name));
  return {
    graph: RETAIL,
    meet: async () => await Promise.resolve('as usual'),
    decide: () => ({ kind: 'approve' }),
    afterwards: 'nothing',
    outcome: {
      runs: [{ statuses: ['completed'], decided: writes }],
      executed: actions.filter(({ name }, at) => isWrite(name) && accepted[at]),
      undone: 0,
      changed,
      told: accepted.map((isAccepted) => (isAccepted ? 'accepted' : 'refused')),
    },
  };
}

/** One write is decided in another way; what is expected follows from the calls that still take effect. */
export function decidingOtherwise(task: Task, records: Records, chosen: number, decision: Decision): Script {
  const usual = asExpected(task);
  const actions = task.actions.map((action, at) =>
    at === chosen && decision.kind === 'change' ? { ...action, args: decision.args } : action,
  );
  const branch = openBranch(records, { honoursKeys: false });
  const told = actions.map((action, at): Told => {
    if (at === chosen && decision.kind === 'reject') return 'rejected';
    return branch.execute({ ...action, key: '' }).isAccepted ? 'accepted' : 'refused';
  });
  return {
    ...usual,
    decide: (index) => (index === chosen ? decision : { kind: 'approve' }),
    outcome: {
      runs: [{ statuses: ['completed'], decided: actions.filter(({ name }) => isWrite(name)) }],
      executed: actions.filter(({ name }, at) => isWrite(name) && told[at] === 'accepted'),
      undone: 0,
      changed: branch.differences(),
      told,
    },
  };
}

/** After `count` accepted writes all of them are undone, and the run has not come further. */
export function endingAfter(task: Task, count: number): Outcome {
  const { executed } = asExpected(task).outcome;
  const last = task.actions.indexOf(executed[count - 1] ?? { name: '', args: {} });
  const decided = task.actions.slice(0, last + 1).filter(({ name }) => isWrite(name));
  return {
    runs: [{ statuses: ['canceled'], decided }],
    executed: executed.slice(0, count),
    undone: count,
    changed: UNCHANGED,
    told: [],
  };
}
