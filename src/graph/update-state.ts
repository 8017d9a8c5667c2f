import { applyWrites } from './channels/apply-writes.ts';
import { saveCheckpoint } from './checkpoints.ts';
import { START } from './definition.ts';
import { emit, reduceContext } from './draft.ts';
import type { Draft } from './draft.ts';
import { rootFrame } from './frames.ts';
import { toPointer } from './json.ts';
import type { JsonObject } from './json.ts';
import { didYouMean } from './nearest.ts';
import type { Refusal } from './run.ts';

/** Values that a person gives, and who that is. */
export interface StateEdit {
  readonly values: JsonObject;
  readonly by: string;
  /** As if this node had written them. */
  readonly asNode?: string | undefined;
}

/** Puts values into the channels through their reducers. @returns why it can't be done; then nothing has changed */
export function editChannels(draft: Draft, { values, by, asNode }: StateEdit): Refusal | null {
  const frame = rootFrame(draft);
  const { graph, scope } = frame;
  const unknown = Object.keys(values).filter((name) => !graph.channels.has(name));
  if (unknown.length > 0) {
    const issues = unknown.map((name) => ({
      path: toPointer(['values', name]),
      message: `There is no channel "${name}".${didYouMean(name, graph.channels.keys())}`,
    }));
    return { code: 'INVALID_VALUES', message: issues.map(({ message }) => message).join(' '), issues };
  }
  const writes = [{ by, node: asNode ?? START, update: values }];
  const applied = applyWrites(graph.channels, scope.channels, { writes, context: reduceContext(draft, frame) });
  if (!applied.ok) {
    const { message } = applied.error;
    return { code: 'INVALID_VALUES', message, issues: [{ path: '/values', message }] };
  }
  scope.channels = applied.channels;
  emit(draft, frame, { type: 'state.updated', values, ...(asNode !== undefined && { asNode }), by });
  draft.edits.push(applied.changes);
  return null;
}

/** Saves what an edit has changed, once it is known what comes next. */
export function saveEdit(draft: Draft): void {
  const frame = rootFrame(draft);
  const changes = Object.assign({}, ...draft.edits.splice(0));
  saveCheckpoint(draft, frame, { source: 'update', changes, step: frame.scope.step - 1 });
}
