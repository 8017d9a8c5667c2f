import type { z } from 'zod';
import type { ApprovalStatusSchema, DecisionSchema } from '../api/schemas/approval.ts';
import type { Approval, PageRequest } from './answers.ts';
import type { Connection } from './connection.ts';
import { createListing } from './listing.ts';
import type { Listing } from './listing.ts';
import { path } from './path.ts';
import type { CallOptions } from './send.ts';
import { storedDecision } from './stored-decision.ts';

export type Decision = z.input<typeof DecisionSchema>;

export interface ApprovalFilter extends PageRequest {
  readonly status?: z.output<typeof ApprovalStatusSchema> | undefined;
  readonly runId?: string | undefined;
}

/** The approval that is decided. With its digest, the decision counts only for what that digest was made of. */
export type DecidedApproval = Pick<Approval, 'id'> & Partial<Pick<Approval, 'digest'>>;

/** The inbox of approvals. */
export interface Approvals {
  /** The newest first. */
  list(filter?: ApprovalFilter, options?: CallOptions): Listing<Approval>;
  get(id: string, options?: CallOptions): Promise<Approval>;
  /**
   * Decides an approval, given as it was read.
   * @throws HoldfastError `APPROVAL_CHANGED` when it shows something else by now
   */
  decide(approval: DecidedApproval, decision: Decision, options?: CallOptions): Promise<Approval>;
}

export function createApprovals(connection: Connection): Approvals {
  const { send } = connection;
  return {
    list: (filter, options) => createListing(send, { path: '/api/approvals', query: { ...filter } }, options),
    get: async (id, options) => await send.json({ method: 'GET', path: path`/api/approvals/${id}` }, options),
    async decide({ id, digest }, body, options) {
      const headers = digest === undefined ? {} : { 'if-match': `"${digest}"` };
      const request = { method: 'POST', path: path`/api/approvals/${id}/decision`, headers, body } as const;
      return await storedDecision(connection, await send.json<Approval>(request, options), options);
    },
  };
}
