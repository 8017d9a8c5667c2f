import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../src/activities/index.ts';
import { POLICY } from '../support/policy.ts';

/*
 * The chains as somebody would write them for Temporal by hand, with the same activities.
 */

const { callTool } = proxyActivities<Activities>({ startToCloseTimeout: '1 minute', heartbeatTimeout: '30 seconds' });

/** @returns how many steps were done */
export async function pure(length: number): Promise<number> {
  let count = 0;
  for (let at = 0; at < length; at++) count += 1;
  return count;
}

/** @returns how many calls were made */
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
