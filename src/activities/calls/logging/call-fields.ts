import { calleeName, parseCallKey } from '../../../graph/run/index.ts';
import type { CallTask } from '../call-task.ts';

/** A call as far as lines of the log name it. */
export type NamedCall = Pick<CallTask, 'runId' | 'tenantId' | 'graph' | 'node' | 'index' | 'key' | 'request'>;

/** The fields of a log line that say which run, node and call it belongs to. */
export function callFields({ runId, tenantId, graph, node, index, key, request }: NamedCall) {
  const position = parseCallKey(key);
  return {
    run: runId,
    tenant: tenantId,
    graph,
    node,
    ...(position && { visit: position.visit }),
    ...(index !== undefined && { index }),
    called: calleeName(request),
    key,
  };
}
