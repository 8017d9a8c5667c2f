import type { Draft, Frame } from './draft.ts';
import type { Bindings } from './expression.ts';
import type { JsonObject } from './json.ts';
import type { NodeTask } from './scope.ts';

/** What the expressions of a task's node see. */
export function taskBindings(draft: Draft, frame: Frame, { visit, item, index }: NodeTask): Bindings {
  return { state: frame.scope.channels, run: runFields(draft, frame, visit), item, index };
}

/** What expressions of a graph see outside any task. */
export function scopeBindings(draft: Draft, frame: Frame): Bindings {
  return { state: frame.scope.channels, run: runFields(draft, frame, null), item: null, index: null };
}

function runFields({ run, startedAt }: Draft, { graph, scope }: Frame, visit: number | null): JsonObject {
  const { id, threadId, tenantId } = run;
  return { id, threadId, tenantId, step: scope.step, visit, graph: graph.definition.name, startedAt };
}
