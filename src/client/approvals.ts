import type { z } from 'zod';
import type { DecisionResultsSchema, DecisionsSchema } from '../api/schemas/bulk.ts';
import type { ApprovalStatusSchema, DecisionSchema, ReassignmentSchema } from '../api/schemas/approval.ts';
import type { Approval, PageRequest, Intervention } from './answers.ts';
import { createListing, toPath } from './listing.ts';
import type { Listing } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';
import { HoldfastError } from './holdfast-error.ts';

export type Decision = z.input<typeof DecisionSchema>;

/** A decision with the id of its approval. */
export type NamedDecision = z.input<typeof DecisionsSchema>['decisions'][number];
/** The approval after the decision, or the problem. */
export type DecisionResult = z.output<typeof DecisionResultsSchema>['results'][number];

type ApprovalStatus = z.output<typeof ApprovalStatusSchema>;

export interface ApprovalFilter extends PageRequest {
  /** Only approvals with one of these statuses. */
  readonly status?: ApprovalStatus | readonly ApprovalStatus[] | undefined;
  /** Only approvals of this run. */
  readonly runId?: string | undefined;
  /** Only approvals of runs of this graph, by name. */
  readonly graph?: string | undefined;
  /** Only approvals of calls of this tool. */
  readonly tool?: string | undefined;
  /** Only approvals that expire before this time (RFC 3339). */
  readonly dueBefore?: string | undefined;
  /** `closedAt` lists approvals that were decided, have expired or were canceled, latest first. */
  readonly order?: 'requestedAt' | 'closedAt' | undefined;
  /** Only approvals that the caller may decide. */
  readonly mine?: boolean | undefined;
}

/** The approval to decide. With a digest, the decision counts only for the content with this digest. */
export type DecidedApproval = Pick<Approval, 'id'> & Partial<Pick<Approval, 'digest'>>;

export type Reassignment = z.input<typeof ReassignmentSchema>;

/** The inbox of approvals. */
export interface Approvals {
  /** Lists approvals, newest first, or by the time of their decision. */
  list(filter?: ApprovalFilter, options?: CallOptions): Listing<Approval>;
  get(id: string, options?: CallOptions): Promise<Approval>;
  /** Decides an approval as it was read. @throws HoldfastError `APPROVAL_CHANGED` when its content has changed since */
  decide(approval: DecidedApproval, decision: Decision, options?: CallOptions): Promise<Approval>;
  /** Adds a comment, which every reader of the run can read. */
  comment(id: string, text: string, options?: CallOptions): Promise<Approval>;
  /** Sends a reminder. @throws HoldfastError `TOO_SOON` within ten minutes of the last reminder */
  remind(id: string, options?: CallOptions): Promise<Approval>;
  /** Assigns a pending approval to other people. */
  reassign(id: string, to: Reassignment, options?: CallOptions): Promise<Approval>;
  /** Decides up to 100 approvals independently. @returns the results in their order */
  decideMany(decisions: readonly NamedDecision[], options?: CallOptions): Promise<readonly DecisionResult[]>;
}

export function createApprovals(connection: Connection): Approvals {
  const { send } = connection;
  return {
    list: ({ status, ...filter } = {}, options) => {
      const query = { ...filter, status: status === undefined ? undefined : [status].flat().join(',') };
      return createListing(send, { path: '/api/approvals', query }, options);
    },
    get: async (id, options) => await send.json({ method: 'GET', path: toPath`/api/approvals/${id}` }, options),
    comment: async (id, text, options) =>
      await send.json({ method: 'POST', path: toPath`/api/approvals/${id}/comment`, body: { text } }, options),
    remind: async (id, options) =>
      await send.json({ method: 'POST', path: toPath`/api/approvals/${id}/remind`, body: {} }, options),
    reassign: async (id, body, options) =>
      await send.json({ method: 'POST', path: toPath`/api/approvals/${id}/reassign`, body }, options),
    async decideMany(decisions, options) {
      const request = { method: 'POST', path: '/api/approvals/decisions', body: { decisions } } as const;
      return (await send.json<z.output<typeof DecisionResultsSchema>>(request, options)).results;
    },
    async decide({ id, digest }, body, options) {
      const headers = digest === undefined ? {} : { 'if-match': `"${digest}"` };
      const request = { method: 'POST', path: toPath`/api/approvals/${id}/decision`, headers, body } as const;
      return await awaitStored(connection, await send.json<Approval>(request, options), options);
    },
  };
}

/** The inbox of failed nodes and calls that wait for a person. `retry`, `skip` and `fail` of a run resolve them. */
export interface Interventions {
  /** Lists interventions of all runs, newest first. */
  list(page?: PageRequest, options?: CallOptions): Listing<Intervention>;
}

export function createInterventions({ send }: Connection): Interventions {
  return { list: (page, options) => createListing(send, { path: '/api/interventions', query: { ...page } }, options) };
}

const WITHIN_MS = 5_000;
const EVERY_MS = 100;

/**
 * Waits until a decision is stored, so that later reads include it. Reads lag a little behind a run.
 * @returns the decided approval, even if it can't be read
 */
export async function awaitStored(
  connection: Connection,
  approval: Approval,
  options?: CallOptions,
): Promise<Approval> {
  try {
    await waitUntilStored(connection, approval, options);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
  }
  return approval;
}

async function waitUntilStored(
  { send, timing }: Connection,
  { id, decisions }: Approval,
  { signal }: CallOptions = {},
): Promise<void> {
  for (const deadline = timing.now() + WITHIN_MS; timing.now() < deadline; await timing.sleep(EVERY_MS, signal)) {
    const stored = await send.json<Approval>({ method: 'GET', path: toPath`/api/approvals/${id}` }, { signal });
    if (stored.decisions.length >= decisions.length) return;
  }
}
