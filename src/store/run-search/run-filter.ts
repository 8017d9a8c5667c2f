import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { RunStatus } from '../../graph/run/index.ts';
import { WAITS_FOR_INTERVENTION } from '../interventions.ts';
import { isAfterTime, isEqual } from '../page.ts';
import { labelOf } from './run-labels.ts';

/** Which runs a list has; a run fulfills all of it. */
export interface RunFilter {
  /** One of these. */
  readonly status?: readonly RunStatus[] | undefined;
  readonly graph?: string | undefined;
  readonly threadId?: string | undefined;
  readonly parentRunId?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  /** Failed runs, and those that wait for an intervention. */
  readonly isRetryable?: true | undefined;
  /** Fields at the top of the metadata, with their values as texts. */
  readonly metadata?: readonly (readonly [key: string, value: string])[] | undefined;
}

/** The conditions of a filter on rows of `runs`. */
export function conditionsOf(filter: RunFilter): readonly RawBuilder<boolean>[] {
  const { status, graph, threadId, parentRunId, createdAfter, createdBefore, isRetryable, metadata = [] } = filter;
  return [
    status === undefined ? ALWAYS : sql<boolean>`status = any(${status}::text[])`,
    isEqual('graph_name', graph),
    isEqual('thread_id', threadId),
    isEqual('parent_run_id', parentRunId),
    isAfterTime('created_at', createdAfter),
    createdBefore === undefined ? ALWAYS : sql<boolean>`created_at < ${createdBefore}::timestamptz`,
    isRetryable ? sql<boolean>`(status = 'failed' or ${WAITS_FOR_INTERVENTION})` : ALWAYS,
    metadata.length === 0
      ? ALWAYS
      : sql<boolean>`labels @> ${metadata.map(([key, value]) => labelOf(key, value))}::text[]`,
  ];
}

const ALWAYS = sql<boolean>`true`;
