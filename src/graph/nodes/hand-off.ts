import type { NodeDefinition, NodeOfType } from '../definition/definition.ts';
import { HANDOFF_PARAMETERS, handoffToolName } from '../definition/node-types/hand-off.ts';
import type { ToolOffer } from '../run/effect.ts';
import { answered } from '../run/tool-batch.ts';
import type { BatchCall, Handoff, ToolBatch } from '../run/tool-batch.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { Json } from '../values/json.ts';
import { failureNote } from './tool-calls/messages.ts';

/** The nodes that an agent may hand over to, by the names of their tools. */
export type HandoffTargets = ReadonlyMap<string, string>;

export function handoffTargetsOf({ handoff = [] }: Pick<NodeOfType<'agent'>, 'handoff'>): HandoffTargets {
  return new Map(handoff.map((node) => [handoffToolName(node), node]));
}

/** Returns what a model is told of the tools that hand over. The `description` of a node says what it is for. */
export function handoffOffers(
  targets: HandoffTargets,
  nodes: Readonly<Record<string, NodeDefinition>>,
): Readonly<Record<string, ToolOffer>> {
  const offers = [...targets].map(([tool, node]) => {
    const about = own(nodes, node)?.description;
    const description = `Hand the conversation over to ${node}${about === undefined ? '' : `: ${about}`}`;
    return [tool, { description, parameters: HANDOFF_PARAMETERS }] as const;
  });
  return Object.fromEntries(offers);
}

/**
 * Answers the calls of a batch that hand over. The first valid one counts; it takes effect when the other calls of the
 * batch have results (`settleHandoff`).
 * @param model the name of the model that has requested the calls
 */
export function readHandoffs(targets: HandoffTargets, batch: ToolBatch, model: string | null): ToolBatch {
  let chosen: string | null = null;
  return batch.map((call) => {
    const to = targets.get(call.name);
    if (to === undefined) return call;
    if (chosen !== null) return answerHandoff(call, `Not handed over to ${to}: this turn hands over to ${chosen}`);
    const note = readNote(call.args);
    if ('problem' in note) return answerHandoff(call, failureNote(`${call.name}: ${note.problem}`));
    chosen = to;
    const text = note.text === null ? '' : `. Note: ${note.text}`;
    return { ...answerHandoff(call, `Handed over to ${to}${text}`), handoff: { to, note: note.text, model } };
  });
}

/** An answered batch, and the hand-off that takes effect now; `null` for none. */
interface SettledBatch {
  readonly batch: ToolBatch;
  readonly handoff: Handoff | null;
}

/**
 * Decides about the hand-off of an answered batch. If another call has no result, because it has failed or a person has
 * rejected it, the hand-off is refused: the model may have relied on that call.
 */
export function settleHandoff(targets: HandoffTargets, batch: ToolBatch): SettledBatch {
  const handoff = batch.find((call) => call.handoff)?.handoff ?? null;
  const lacking = batch.find(({ name, hasResult }) => !targets.has(name) && !hasResult);
  if (!handoff || !lacking) return { batch, handoff };
  const refusal = `Not handed over to ${handoff.to}: the call of ${lacking.name} in the same turn has no result`;
  return { batch: batch.map((call) => (call.handoff ? answerHandoff(call, refusal) : call)), handoff: null };
}

function answerHandoff(call: BatchCall, content: string): BatchCall {
  return { ...call, state: answered(content) };
}

type ReadNote = { readonly text: string | null } | { readonly problem: string };

/** Reads the note. A model may leave out the note, or all arguments. */
function readNote(args: Json): ReadNote {
  const { note = null, ...others } = isJsonObject(args) ? args : {};
  const [other] = Object.keys(others);
  if (other !== undefined) return { problem: `there is no argument "${other}", only "note"` };
  if (note !== null && typeof note !== 'string') return { problem: 'note must be a text' };
  return { text: note === null || note.trim() === '' ? null : note };
}
