import { fieldsShownAs } from '../definition/node-types/describe-node.ts';
import type { Approval } from '../run/approvals/approval.ts';
import { toPublicApproval } from '../run/approvals/public-approval.ts';
import type { PublicApproval } from '../run/approvals/public-approval.ts';
import type { Json } from '../values/json.ts';
import { deepEqual, isJsonObject, own, toText } from '../values/json.ts';
import { graphAt, nodesNamed } from './hidden-at.ts';
import { hideInWords, hideMasked, REDACTED, restoreMasked } from './mask.ts';
import type { Mask } from './mask.ts';
import type { NodeRedaction, Redaction } from './redaction.ts';

/** Hides what an approval was filled with. The digest of an approval that shows less is hidden, too. */
export function hideApproval(approval: Approval, redaction: Redaction): PublicApproval {
  return hideAsked(toPublicApproval(approval), nodesThatAsk(approval, redaction));
}

/** The title of an approval as `hideApproval` shows it; the rest, which may be large, is not looked at. */
export function hideTitle(
  { title, ...asked }: Pick<Approval, 'title' | 'task' | 'node'>,
  redaction: Redaction,
): string {
  return toText(hideField('title', title, nodesThatAsk(asked, redaction)));
}

/** The arguments as the node asked for them, if a decision has brought others; hidden as those are. */
export function hideAskedArgs(
  { askedArgs, ...asked }: Pick<Approval, 'askedArgs' | 'task' | 'node'>,
  redaction: Redaction,
): Json | undefined {
  return askedArgs === undefined ? undefined : hideArgs(askedArgs, nodesThatAsk(asked, redaction));
}

function hideField(field: string, value: Json, nodes: readonly NodeRedaction[]): Json {
  return nodes.reduce((shown, { fields = {} }) => hideInWords(shown, own(fields, field)), value);
}

/** As `hideApproval`, for the nodes that may have asked. */
export function hideAsked(approval: PublicApproval, nodes: readonly NodeRedaction[]): PublicApproval {
  if (nodes.length === 0) return approval;
  const { title, details, args } = approval;
  const shown = {
    title: toText(hideField('title', title, nodes)),
    details: hideMemory(hideField('details', details, nodes), nodes),
    args: hideArgs(args, nodes),
  };
  const isWhole = deepEqual(shown, { title, details, args });
  return {
    ...approval,
    ...shown,
    ...(!isWhole && { digest: REDACTED }),
    decisions: approval.decisions.map((decision) => ({
      ...decision,
      args: hideArgs(decision.args, nodes),
      values: decision.values !== null && nodes.some(({ values }) => values) ? REDACTED : decision.values,
    })),
  };
}

/** Hides the namespace that a call of memory is made in. */
function hideMemory(details: Json, nodes: readonly NodeRedaction[]): Json {
  const isHidden = nodes.some(({ fields = {} }) => fieldsShownAs('memory').some((field) => own(fields, field)));
  return isHidden && isJsonObject(details) && 'memory' in details ? { ...details, memory: REDACTED } : details;
}

/** Hides the arguments of calls, and those that people approve. */
export function hideArgs(args: Json, nodes: readonly NodeRedaction[]): Json {
  return argumentMasks(nodes).reduce(hideMasked, args);
}

/** Puts the real arguments in the place of those that a person has sent back as they were shown. */
export function restoreArgs(given: Json, approval: Approval, redaction: Redaction): Json {
  const masks = argumentMasks(nodesThatAsk(approval, redaction));
  return masks.reduce((args, mask) => restoreMasked(args, approval.args, mask), given);
}

/** A node asks about its own arguments, those of the calls of its model, or those of its compensation. */
function argumentMasks(nodes: readonly NodeRedaction[]): readonly Mask[] {
  return nodes.flatMap(({ fields = {}, calls }) => [
    ...(calls ? [REDACTED] : []),
    ...fieldsShownAs('args').flatMap((field) => own(fields, field) ?? []),
  ]);
}

/** A compensation asks without a task; the approval has the name of the node only. */
function nodesThatAsk({ task, node }: Pick<Approval, 'task' | 'node'>, redaction: Redaction): readonly NodeRedaction[] {
  if (task.length === 0) return nodesNamed(redaction, node);
  const path = task.slice(0, -1).map((key) => key.replace(/#\d+$/, ''));
  return [own(graphAt(redaction, path).nodes, node) ?? []].flat();
}
