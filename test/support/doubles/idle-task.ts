import type { TaskContext } from '../../../src/graph/nodes/behavior.ts';

const nothing = (): never => {
  throw new Error('Nothing is asked for');
};

/** The context of a task that only makes calls. */
export const IDLE_TASK: TaskContext = {
  bindings: {},
  call: () => 'key',
  read: () => 'key',
  beginGraph: nothing,
  requestApproval: nothing,
  expireApproval: nothing,
  withdrawApproval: () => undefined,
  cancelTimer: nothing,
  startTimer: nothing,
  takeEvent: nothing,
  now: 0,
  timestamp: '1970-01-01T00:00:00.000Z',
  editors: [{ sub: 'uma', roles: [] }],
  hasCapacity: () => true,
  hasModelCapacity: () => true,
  missingBudget: () => null,
  isModelAllowed: () => true,
  asksPeople: true,
  findToolBudgetFailure: () => null,
};
