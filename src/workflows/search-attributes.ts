import { SearchAttributeType, TypedSearchAttributes, defineSearchAttributeKey } from '@temporalio/common';
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import type { RunIdentity } from '../graph/advance/index.ts';
import { statusOf } from '../graph/run/index.ts';
import type { Run } from '../graph/run/index.ts';

/** Names and Temporal types of a run's search attributes. A type is fixed once its name is registered. */
export const SEARCH_ATTRIBUTES = {
  TenantId: 'KEYWORD',
  GraphName: 'KEYWORD',
  GraphVersion: 'INT',
  RunStatus: 'KEYWORD',
  ThreadId: 'KEYWORD',
  PendingApprovals: 'INT',
} as const;

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const tenantId = keyword('TenantId');
const graphName = keyword('GraphName');
const threadId = keyword('ThreadId');
const runStatus = keyword('RunStatus');
const graphVersion = defineSearchAttributeKey('GraphVersion', SearchAttributeType.INT);
const pendingApprovals = defineSearchAttributeKey('PendingApprovals', SearchAttributeType.INT);

/** The search attributes at the start of a run. */
export function attributesAtStart({ tenantId: tenant, threadId: thread, graph }: RunIdentity): TypedSearchAttributes {
  const { name, version } = graph;
  return new TypedSearchAttributes([
    { key: tenantId, value: tenant },
    { key: graphName, value: name },
    ...(version === null ? [] : [{ key: graphVersion, value: version }]),
    ...(thread === null ? [] : [{ key: threadId, value: thread }]),
    { key: runStatus, value: 'running' },
    { key: pendingApprovals, value: 0 },
  ]);
}

/** The search attributes that change, with a `key` that changes with them. Each update adds an event to the history. */
export function attributesOf(run: Run): {
  readonly key: string;
  readonly attributes: SearchAttributeUpdatePair[];
} {
  const status = statusOf(run);
  const pending = Object.values(run.approvals).filter((approval) => approval.status === 'pending').length;
  return {
    key: keyOf(status, pending),
    attributes: [
      { key: runStatus, value: status },
      { key: pendingApprovals, value: pending },
    ],
  };
}

/** The `key` of an execution's search attributes at its start. */
export function keyAtStart(attributes: TypedSearchAttributes): string {
  return keyOf(attributes.get(runStatus), attributes.get(pendingApprovals));
}

function keyOf(status: string | undefined, pending: number | undefined): string {
  return `${status} ${pending}`;
}
