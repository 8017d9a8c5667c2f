import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../src/activities/index.ts';
import { POLICY } from '../support/policy.ts';

/* The chains as hand-written workflows of Temporal, with the same activities. */

const { callTool } = proxyActivities<Activities>({ startToCloseTimeout: '1 minute', heartbeatTimeout: '30 seconds' });

/** @returns the number of executed steps */
export async function pure(length: number): Promise<number> {
  let count = 0;
  for (let at = 0; at < length; at++) count += 1;
  return count;
}

/** @returns the number of calls */
export async function tool(length: number): Promise<number> {
  const { workflowId } = workflowInfo();
  let count = 0;
  for (let at = 0; at < length; at++) {
    await callTool({
      key: `${workflowId}:${at}`,
      takeover: 0,
      node: `n${at}`,
      runId: workflowId,
      tenantId: 'bench',
      graph: 'bench',
      createdBy: { sub: 'bench', roles: ['user'] },
      request: { kind: 'tool', tool: 'ping', effect: 'keyed', args: { at }, policy: POLICY },
    });
    count += 1;
  }
  return count;
}
