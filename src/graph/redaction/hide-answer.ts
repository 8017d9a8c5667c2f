import type { CallReply } from '../run/effect.ts';
import type { NodePath } from '../run/ids.ts';
import type { TaskFailure } from '../values/errors.ts';
import { own } from '../values/json.ts';
import { graphAt } from './hidden-at.ts';
import { hideMessages } from './hide-error.ts';
import { REDACTED } from './mask.ts';
import type { NodeRedaction, Redaction } from './redaction.ts';
import { standInFor } from './stand-in.ts';

/** A node, and the nodes around its graph, outermost first. */
export interface NodePlace {
  readonly node: string;
  readonly path: NodePath;
}

/** Returns what is hidden of a node; nothing of one that is not known. */
export function hiddenOfNode(redaction: Redaction, { node, path }: NodePlace): NodeRedaction {
  return own(graphAt(redaction, path).nodes, node) ?? {};
}

/** Hides the answer of a call, in a form that a replay can take. */
export function hideReply(reply: CallReply, { result, calls, undone }: NodeRedaction): CallReply {
  const isHidden = result === true || calls === true;
  switch (reply.kind) {
    case 'value':
      return isHidden || undone ? { ...reply, value: standInFor(reply.value) } : reply;
    case 'overflow':
      return reply;
    case 'model': {
      if (!isHidden) return reply;
      // Parts of a provider quote what the model has said.
      const { providerParts: _providerParts, text, toolCalls, ...rest } = reply;
      const shownCalls = calls ? toolCalls.map((call) => ({ ...call, args: standInFor(call.args) })) : toolCalls;
      return { ...rest, text: text === '' ? text : REDACTED, toolCalls: shownCalls };
    }
  }
}

/** Hides the messages of a call's failure, if the errors of its node are hidden. */
export function hideFailure(failure: TaskFailure, { error }: NodeRedaction): TaskFailure {
  return error ? { ...failure, error: hideMessages(failure.error) } : failure;
}
