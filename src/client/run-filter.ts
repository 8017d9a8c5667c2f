import type { PageRequest, RunStatus } from './answers.ts';
import type { ApiRequest } from './send.ts';

/** Which runs a list has; a run fulfills all of it. */
export interface RunFilter extends PageRequest {
  /** One of these. */
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /** The name of a graph. */
  readonly graph?: string | undefined;
  readonly threadId?: string | undefined;
  /** Forks of this run. */
  readonly parentRunId?: string | undefined;
  /** RFC 3339 */
  readonly createdAfter?: string | undefined;
  /** RFC 3339 */
  readonly createdBefore?: string | undefined;
  /** Fields at the top of the metadata; a name may not have a colon. */
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export function toRunQuery({ status, metadata = {}, ...filter }: RunFilter): NonNullable<ApiRequest['query']> {
  return {
    ...filter,
    status: status === undefined ? undefined : [status].flat().join(','),
    metadata: Object.entries(metadata).map(([name, value]) => `${name}:${value}`),
  };
}
