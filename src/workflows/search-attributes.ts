import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import type { Run } from '../graph/run.ts';

const runStatus = defineSearchAttributeKey('RunStatus', SearchAttributeType.KEYWORD);
const pendingApprovals = defineSearchAttributeKey('PendingApprovals', SearchAttributeType.INT);

/** The search attributes of a run that change; `key` tells whether they have. Each update is an event in the history. */
export function attributesOf({ status, approvals }: Run): {
  readonly key: string;
  readonly attributes: SearchAttributeUpdatePair[];
} {
  const pending = Object.values(approvals).filter((approval) => approval.status === 'pending').length;
  return {
    key: `${status} ${pending}`,
    attributes: [
      { key: runStatus, value: status },
      { key: pendingApprovals, value: pending },
    ],
  };
}
