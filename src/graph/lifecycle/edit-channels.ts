import type { ChannelChange } from '../channels/apply-writes.ts';
import { findRefusedMessage } from '../channels/outside-messages.ts';
import { START } from '../definition/definition.ts';
import type { Draft } from '../draft/draft.ts';
import { emitOfRun, rootFrame } from '../draft/frames.ts';
import { writeChannels } from '../draft/scope-draft.ts';
import type { VisitedNodes } from '../journal/resume-point.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/occurrence.ts';
import { refuseEditor } from '../run/editors.ts';
import { saveCheckpoint } from '../superstep/save-checkpoint.ts';
import { didYouMean, withSuggestions } from '../values/did-you-mean.ts';
import { toPointer } from '../values/json-pointer.ts';
import type { JsonObject } from '../values/json.ts';
import { toActor, refuseWriting } from './gated-nodes.ts';

/** Values given by a person. */
export interface StateEdit {
  readonly values: JsonObject;
  readonly by: Principal;
  /** The node that counts as the writer of the values. */
  readonly asNode?: string | undefined;
}

export type EditResult =
  | { readonly ok: true; readonly changes: Readonly<Record<string, ChannelChange>> }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Writes values through the channels' reducers, either all or none, and adds the person to the run's editors. Channels
 * that hold decisions may only be written by people who may make these decisions.
 */
export function editChannels(draft: Draft, { values, by, asNode }: StateEdit): EditResult {
  const frame = rootFrame(draft);
  const { graph } = frame;
  const unknown = Object.keys(values).filter((name) => !graph.channels.has(name));
  if (unknown.length > 0) {
    const issues = withSuggestions(() =>
      unknown.map((name) => ({
        path: toPointer(['values', name]),
        message: `There is no channel "${name}".${didYouMean(name, graph.channels.keys())}`,
      })),
    );
    return editRefusal(issues.map(({ message }) => message).join(' '), issues);
  }
  const held = refuseWriting(graph, Object.keys(values), toActor(draft, by)) ?? refuseEditor(draft.run, by);
  if (held) return { ok: false, refusal: held };
  const refused = findRefusedMessage(graph, frame.scope.channels, values);
  if (refused) return editRefusal(refused.message, [{ path: `/values${refused.path}`, message: refused.message }]);
  const applied = writeChannels(frame, [{ by: by.sub, node: asNode ?? START, update: values }]);
  if (!applied.ok) {
    const { message } = applied.error;
    return editRefusal(message, [{ path: toPointer(['values', applied.channel]), message }], { mayQuote: true });
  }
  if (Object.keys(values).length > 0 || asNode !== undefined) draft.addEditor(by);
  emitOfRun(draft, { type: 'state.updated', values, ...(asNode !== undefined && { asNode }), by: by.sub });
  return { ok: true, changes: applied.changes };
}

function editRefusal(
  message: string,
  issues: NonNullable<Refusal['issues']>,
  source: Pick<Refusal, 'mayQuote'> = {},
): EditResult {
  return { ok: false, refusal: { code: 'INVALID_VALUES', message, issues, ...source } };
}

/** Saves the changes of an edit in a checkpoint, once the next nodes are known. */
export function saveEdit(
  draft: Draft,
  changes: Readonly<Record<string, ChannelChange>>,
  visited: VisitedNodes = [],
): void {
  const frame = rootFrame(draft);
  saveCheckpoint(frame, { source: 'update', step: frame.scope.step - 1, visited }, changes);
}
