import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { toRunView } from '../graph/journal/index.ts';
import type { RunEvent, Intervention, RunView } from '../graph/journal/index.ts';
import { hideEvent, hideIntervention, hideRunError, hideTitle } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Run, Approval } from '../graph/run/index.ts';
import { attributesOf, keyAtStart, toWorkflowId } from './contract.ts';
import { shortJson, abbreviate } from '../graph/values/index.ts';
import type { RunError } from '../graph/values/index.ts';
import { formatReason, nextActions, temporalCommand, waitingReason } from '../wording/index.ts';
import type { NextAction, UndatedReason } from '../wording/index.ts';

/** Shows the current state of a run in Temporal, and of its latest events the last signal that was ignored. */
export type Display = (run: Run, latestEvents: readonly RunEvent[]) => void;

/**
 * @param isFirst true in the first execution, whose search attributes were set at its start
 * @param hidden the values that are hidden here
 */
export function createDisplay(isFirst: boolean, hidden: Redaction): Display {
  let shown = isFirst ? keyAtStart(workflowInfo().typedSearchAttributes) : '';
  return (run, latestEvents) => {
    setCurrentDetails(toDetails(run, latestEvents, hidden));
    const { key, attributes } = attributesOf(run);
    if (key === shown) return;
    shown = key;
    upsertSearchAttributes(attributes);
  };
}

/** In characters; the server takes 20,000 bytes. */
const MAX_DETAILS = 5_000;
const MAX_ARGS = 500;

/**
 * Makes a summary of a run for the Temporal Web UI, in Markdown, with the commands for each pending decision.
 * @param latestEvents where the last signal is that the run has ignored, and why
 * @param hidden the values that are hidden here
 */
export function toDetails(run: Run, latestEvents: readonly RunEvent[], hidden: Redaction): string {
  const view = toRunView(run);
  const { status, step } = view;
  return joinWhole([
    () => `**${run.graph.name}** is **${status}**, step ${step}`,
    () => [...factsOf(view, run, hidden), ...ignoredLines(latestEvents, hidden)].join('\n'),
    ...approvalBlocks(run, hidden),
    ...interventionBlocks(run, view, hidden),
  ]);
}

/** Writes a block, once it is known that there is room. */
type Block = () => string;

function factsOf({ next, usage, ...view }: RunView, run: Run, hidden: Redaction): readonly string[] {
  const { modelCalls, toolCalls, inputTokens, outputTokens, costUsd } = usage;
  const tokens = inputTokens + outputTokens;
  return [
    ...(next.length > 0 ? [`- at: ${next.map((node) => `\`${node}\``).join(', ')}`] : []),
    ...(view.error ? [`- ${sentence(endReason(run, hideRunError(view.error, hidden)))}`] : []),
    `- used: ${modelCalls} model calls, ${toolCalls} tool calls, ${tokens} tokens, ${costUsd} USD`,
  ];
}

function endReason({ phase }: Run, error: RunError): UndatedReason {
  if (phase.kind !== 'canceled') return { kind: 'failed', error, about: { obstacle: null } };
  const { by, reason } = phase;
  return { kind: 'canceled', error, about: { stop: { by, reason } } };
}

function sentence(reason: UndatedReason): string {
  return inlineMarkdown(formatReason(reason));
}

/** A signal with a wrong name or payload seems to succeed for the one who sends it. */
function ignoredLines(latestEvents: readonly RunEvent[], hidden: Redaction): readonly string[] {
  const last = latestEvents.findLast(({ type }) => type === 'signal.ignored');
  const shown = last && hideEvent(last, hidden);
  if (shown?.type !== 'signal.ignored') return [];
  const { signal, at, by, detail = shown.reason } = shown;
  return [`- ignored signal: ${inlineMarkdown(`${signal} of ${by} at ${at}: ${detail}`)}`];
}

function approvalBlocks(run: Run, hidden: Redaction): readonly Block[] {
  return Object.values(run.approvals)
    .filter(({ status }) => status === 'pending')
    .map((approval) => () => approvalBlock(run, approval, hidden));
}

function approvalBlock(run: Run, approval: Approval, hidden: Redaction): string {
  const { id, node, expiresAt: deadline, tool, policy, decisions } = approval;
  const question = hideTitle(approval, hidden);
  const about = { question, tool, policy, digest: null, decisions: decisions.length };
  return reasonBlock(run, { kind: 'approval', node, id, deadline, about });
}

function interventionBlocks(run: Run, { waitingFor }: RunView, hidden: Redaction): readonly Block[] {
  return waitingFor
    .filter((waiting) => waiting.kind === 'intervention')
    .map((waiting) => () => interventionBlock(run, hideIntervention(waiting, hidden)));
}

function interventionBlock(run: Run, intervention: Intervention): string {
  const { tool, args, idempotencyKey, choices } = intervention;
  return reasonBlock(run, waitingReason(intervention, null), [
    ...(tool === undefined ? [] : [`- tool: \`${tool}\``]),
    ...(args === null ? [] : [`- arguments: ${inlineMarkdown(shortJson(args, MAX_ARGS))}`]),
    ...(idempotencyKey === null ? [] : [`- key: \`${idempotencyKey}\``]),
    ...choices.map(({ action, effect }) => `- \`${action}\`: ${effect}`),
  ]);
}

/** @param facts lines between the reason and its commands */
function reasonBlock(run: Run, reason: UndatedReason, facts: readonly string[] = []): string {
  const commands = nextActions(reason, run.id).map((next) => command(run, next));
  return [`**${sentence(reason)}**`, '', ...facts, ...(facts.length > 0 ? [''] : []), ...commands].join('\n');
}

/** Writes a command in short lines, which no window cuts off. It names the decision, so that a late one decides no other. */
function command(run: Run, next: NextAction): string {
  return `    ${temporalCommand(next, toWorkflowId(run)).join(' \\\n      ')}`;
}

/** Joins blocks of Markdown; from the first that does not fit they are left out whole, as half a command is none. */
function joinWhole(blocks: readonly Block[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const write of blocks) {
    const block = write();
    length += block.length + SEPARATOR.length;
    if (length > MAX_DETAILS - MORE.length) return [...shown, MORE].join(SEPARATOR);
    shown.push(block);
  }
  return shown.join(SEPARATOR);
}

const SEPARATOR = '\n\n';
const MORE = 'There is more; ask the API for the run.';

/** In characters: a run shows itself after each activation, and foreign texts may have megabytes. */
const MAX_TEXT = 1_000;

/**
 * Writes a foreign text so that it stays in its line of Markdown and is shown as it is: it can pose neither as a command
 * to copy nor as a link. A long one is cut.
 */
export function inlineMarkdown(text: string): string {
  return abbreviate(text, MAX_TEXT)
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\\`*_[\]<>#|~&]/g, String.raw`\$&`)
    .replaceAll('://', String.raw`\://`);
}
