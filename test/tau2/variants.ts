import type { JsonObject } from '../../src/graph/values/json.ts';
import type { Random } from '../support/builders/random.ts';
import { textAt } from '../support/readers/json-at.ts';
import type { Turns } from './cases.ts';
import type { Action, Task } from './data.ts';
import { UNDOING_RETAIL } from './graphs.ts';
import type { VictimName } from './kills.ts';
import { asExpected, decidingOtherwise, endingAfter } from './script.ts';
import type { Script } from './script.ts';
import type { Records } from './shop/records.ts';
import { isWrite } from './tools.ts';
import type { WriteName } from './shop/writes.ts';

/** A way to play a task. */
interface Staged {
  readonly task: Task;
  readonly turns: Turns;
  readonly records: Records;
  readonly random: Random;
}

export interface Variant {
  /** False for tasks without the writes that it needs. */
  readonly suits: (task: Task) => boolean;
  readonly write: (staged: Staged) => Script;
}

const every = (): boolean => true;
const hasWrite = ({ actions }: Task): boolean => actions.some(({ name }) => isWrite(name));
const hasAcceptedWrite = (task: Task): boolean => asExpected(task).outcome.executed.length > 0;

export const VARIANTS: Readonly<Record<string, Variant>> = {
  plain: { suits: every, write: ({ task }) => asExpected(task) },
  'worker killed': killing('worker'),
  'workflow process killed': killing('workflow process'),
  'API killed': killing('API'),
  'Temporal killed': killing('Temporal'),
  'answers dropped': { suits: every, write: ({ task }) => droppingAnswers(task) },
  'write changed': {
    suits: hasWrite,
    write({ task, records, random }) {
      const { index, action } = pickWrite(task, random);
      return decidingOtherwise(task, records, index, { kind: 'change', args: changeOf(action, records) });
    },
  },
  'write rejected': {
    suits: hasWrite,
    write: ({ task, records, random }) =>
      decidingOtherwise(task, records, pickWrite(task, random).index, { kind: 'reject' }),
  },
  'failed and retried': { suits: every, write: retrying },
  'canceled, with compensation': { suits: hasAcceptedWrite, write: canceling },
  'canceled, then forked': { suits: hasAcceptedWrite, write: forking },
};

/** Before or after an exchange is done, and whether its request is lost. */
const MOMENTS = [
  { phase: 'requested', isLost: true },
  { phase: 'requested', isLost: false },
  { phase: 'executed', isLost: false },
  { phase: 'answered', isLost: false },
] as const;

/**
 * Kills a process at one moment of one exchange, unless a kill for another case has hit this one before. A request that
 * the killed worker has sent may be lost.
 */
function killing(victim: VictimName): Variant {
  return {
    suits: every,
    write({ task, turns, random }) {
      const due = Math.floor(random.next() * exchangesOf(task, turns));
      const moment = random.pick(MOMENTS);
      return {
        ...asExpected(task),
        async meet({ number, phase }, _, { kill, kills }) {
          if (kills() > 0 || number < due || phase !== moment.phase) return 'as usual';
          await kill(victim);
          return moment.isLost && victim === 'worker' ? 'hangs up' : 'as usual';
        },
      };
    },
  };
}

/** The number of exchanges of a run without trouble: with the model, with the shop, and with approvers. */
function exchangesOf({ actions }: Task, turns: Turns): number {
  const requests = turns === 'one call a turn' ? actions.length + 1 : Math.min(actions.length, 1) + 1;
  return requests + actions.length + actions.filter(({ name }) => isWrite(name)).length;
}

/** The shop executes every call, and does not answer its first attempt. */
function droppingAnswers(task: Task): Script {
  const dropped = new Set<string>();
  return {
    ...asExpected(task),
    async meet({ kind, key, phase }) {
      if (kind !== 'tool' || phase !== 'executed' || dropped.has(key)) return 'as usual';
      dropped.add(key);
      return await Promise.resolve('hangs up');
    },
  };
}

/** The model refuses one request, so that the run fails; it is retried. */
function retrying({ task, turns, random }: Staged): Script {
  const requests = turns === 'one call a turn' ? task.actions.length + 1 : Math.min(task.actions.length, 1) + 1;
  const due = Math.floor(random.next() * requests);
  let request = 0;
  const usual = asExpected(task);
  const [run] = usual.outcome.runs;
  return {
    ...usual,
    meet: async ({ kind, phase }) => {
      if (kind !== 'model' || phase !== 'requested') return 'as usual';
      return await Promise.resolve(request++ === due ? 'refuses' : 'as usual');
    },
    afterwards: 'retry',
    outcome: {
      ...usual.outcome,
      runs: [{ decided: run?.decided ?? [], statuses: ['failed', 'completed'] }],
    },
  };
}

/** The run is canceled when a write is executed and not yet answered; all writes so far are undone. */
function canceling({ task, random }: Staged): Script {
  const usual = asExpected(task);
  const count = 1 + Math.floor(random.next() * usual.outcome.executed.length);
  let isCanceled = false;
  return {
    ...usual,
    graph: UNDOING_RETAIL,
    async meet({ phase }, one, { cancel }) {
      const executed = one.branch.log.filter(({ name, answer }) => isWrite(name) && answer.isAccepted);
      if (isCanceled || phase !== 'executed' || executed.length < count) return 'as usual';
      isCanceled = true;
      await cancel(one.runIds[0] ?? '');
      return 'as usual';
    },
    decide: (_, one) => (isCanceled && one.runIds.length === 1 ? { kind: 'wait' } : { kind: 'approve' }),
    outcome: endingAfter(task, count),
  };
}

/** A fork of the canceled run begins anew, in the same shop. */
function forking(staged: Staged): Script {
  const canceled = canceling(staged);
  const usual = asExpected(staged.task);
  return {
    ...canceled,
    afterwards: 'fork',
    outcome: {
      ...usual.outcome,
      runs: [...canceled.outcome.runs, ...usual.outcome.runs],
      executed: [...canceled.outcome.executed, ...usual.outcome.executed],
      undone: canceled.outcome.undone,
    },
  };
}

interface PickedWrite {
  readonly index: number;
  readonly action: Action & { readonly name: WriteName };
}

function pickWrite({ actions }: Task, random: Random): PickedWrite {
  const writes = actions.flatMap(({ name, args }, index) => (isWrite(name) ? [{ index, action: { name, args } }] : []));
  return random.pick(writes);
}

/** Other arguments for a write, which differ from the proposed ones. The shop may refuse them. */
function changeOf({ name, args }: PickedWrite['action'], records: Records): JsonObject {
  return { ...args, ...CHANGES[name](args, records) };
}

type Change = (args: JsonObject, records: Records) => JsonObject;

const toOtherAddress: Change = () => ({ address2: 'Suite 1' });

const CHANGES: Readonly<Record<WriteName, Change>> = {
  cancel_pending_order: ({ reason }) => ({
    reason: reason === 'ordered by mistake' ? 'no longer needed' : 'ordered by mistake',
  }),
  exchange_delivered_order_items: toFewerItems,
  return_delivered_order_items: toFewerItems,
  modify_pending_order_items: toFewerItems,
  modify_pending_order_payment: toOtherMethod,
  modify_pending_order_address: toOtherAddress,
  modify_user_address: toOtherAddress,
};

/** Leaves out all items but the first; where there is only one, another payment method is taken. */
function toFewerItems(args: JsonObject, records: Records): JsonObject {
  const { item_ids: items, new_item_ids: others } = args;
  if (!Array.isArray(items) || items.length < 2) return toOtherMethod(args, records);
  return { item_ids: items.slice(0, 1), ...(Array.isArray(others) && { new_item_ids: others.slice(0, 1) }) };
}

function toOtherMethod(args: JsonObject, records: Records): JsonObject {
  const { payment_method_id: method } = args;
  const user = records.users[records.orders[textAt(args, '/order_id')]?.user_id ?? ''];
  const other = Object.keys(user?.payment_methods ?? {}).find((id) => id !== method);
  return { payment_method_id: other ?? 'credit_card_of_nobody' };
}
