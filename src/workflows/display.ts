import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { toRunView } from '../graph/journal/index.ts';
import type { RunEvent, Intervention, RunView } from '../graph/journal/index.ts';
import { hideEvent, hideIntervention, hideRunError, hideTitle } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Run, Approval } from '../graph/run/index.ts';
import { searchAttributesOf, keyAtStart, toWorkflowId } from './contract.ts';
import { shortJson, abbreviate } from '../graph/values/index.ts';
import type { RunError } from '../graph/values/index.ts';
import { formatReason, nextActions, temporalCommand, waitingReason } from '../wording/index.ts';
import type { NextAction, UndatedReason } from '../wording/index.ts';

/** Updates the current state of a run in Temporal, with the last ignored signal among its latest events. */
export type Display = (run: Run, latestEvents: readonly RunEvent[]) => void;

/** @param isFirst true in the first execution, whose search attributes were set at its start */
export function createDisplay(isFirst: boolean, redaction: Redaction): Display {
  let displayed = isFirst ? keyAtStart(workflowInfo().typedSearchAttributes) : '';
  return (run, latestEvents) => {
    setCurrentDetails(toRunDetails(run, latestEvents, redaction));
    const { key, attributes } = searchAttributesOf(run);
    if (key === displayed) return;
    displayed = key;
    upsertSearchAttributes(attributes);
  };
}

/** In characters. The server accepts 20,000 bytes. */
const MAX_DETAILS = 5_000;
const MAX_ARGS = 500;

/**
 * Makes a summary of a run for the Temporal Web UI, in Markdown, with the commands for each pending decision and the last
 * ignored signal.
 */
export function toRunDetails(run: Run, latestEvents: readonly RunEvent[], redaction: Redaction): string {
  const view = toRunView(run);
  const { status, step } = view;
  return joinWhole([
    () => `**${run.graph.name}** is **${status}**, step ${step}`,
    () => [...displayedFacts(view, run, redaction), ...ignoredLines(latestEvents, redaction)].join('\n'),
    ...approvalBlocks(run, redaction),
    ...interventionBlocks(run, view, redaction),
  ]);
}

/** Writes a block. It is called only while there is room for more blocks. */
type WriteBlock = () => string;

function displayedFacts({ next, usage, ...view }: RunView, run: Run, redaction: Redaction): readonly string[] {
  const { modelCalls, toolCalls, inputTokens, outputTokens, costUsd } = usage;
  const tokens = inputTokens + outputTokens;
  return [
    ...(next.length > 0 ? [`- at: ${next.map((node) => `\`${node}\``).join(', ')}`] : []),
    ...(view.error ? [`- ${waitSentence(endReason(run, hideRunError(view.error, redaction)))}`] : []),
    `- used: ${modelCalls} model calls, ${toolCalls} tool calls, ${tokens} tokens, ${costUsd} USD`,
  ];
}

function endReason({ phase }: Run, error: RunError): UndatedReason {
  if (phase.kind !== 'canceled') return { kind: 'failed', error, about: { obstacle: null } };
  const { by, reason } = phase;
  return { kind: 'canceled', error, about: { stop: { by, reason } } };
}

function waitSentence(reason: UndatedReason): string {
  return inlineMarkdown(formatReason(reason));
}

/** Temporal accepts a signal with a wrong name or payload, so its sender can see only here that it was ignored. */
function ignoredLines(latestEvents: readonly RunEvent[], redaction: Redaction): readonly string[] {
  const last = latestEvents.findLast(({ type }) => type === 'signal.ignored');
  const visible = last && hideEvent(last, redaction);
  if (visible?.type !== 'signal.ignored') return [];
  const { signal, at, by, detail = visible.reason } = visible;
  return [`- ignored signal: ${inlineMarkdown(`${signal} of ${by} at ${at}: ${detail}`)}`];
}

function approvalBlocks(run: Run, redaction: Redaction): readonly WriteBlock[] {
  return Object.values(run.approvals)
    .filter(({ status }) => status === 'pending')
    .map((approval) => () => approvalBlock(run, approval, redaction));
}

function approvalBlock(run: Run, approval: Approval, redaction: Redaction): string {
  const { id, node, expiresAt: deadline, tool, policy, decisions } = approval;
  const question = hideTitle(approval, redaction);
  const about = { question, tool, policy, digest: null, decisions: decisions.length };
  return reasonBlock(run, { kind: 'approval', node, id, deadline, about });
}

function interventionBlocks(run: Run, { waitingFor }: RunView, redaction: Redaction): readonly WriteBlock[] {
  return waitingFor
    .filter((waiting) => waiting.kind === 'intervention')
    .map((waiting) => () => interventionBlock(run, hideIntervention(waiting, redaction)));
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
  const commands = nextActions(reason, run.id).map((next) => displayCommand(run, next));
  return [`**${waitSentence(reason)}**`, '', ...facts, ...(facts.length > 0 ? [''] : []), ...commands].join('\n');
}

/** Writes a command in short lines, so that no window cuts it off. It names the decision, so a late one decides no other. */
function displayCommand(run: Run, next: NextAction): string {
  return `    ${temporalCommand(next, toWorkflowId(run)).join(' \\\n      ')}`;
}

/** Joins whole blocks of Markdown, because a part of a command is useless. The first too long block and the rest are omitted. */
function joinWhole(blocks: readonly WriteBlock[]): string {
  const written: string[] = [];
  let length = 0;
  for (const write of blocks) {
    const block = write();
    length += block.length + SEPARATOR.length;
    if (length > MAX_DETAILS - MORE.length) return [...written, MORE].join(SEPARATOR);
    written.push(block);
  }
  return written.join(SEPARATOR);
}

const SEPARATOR = '\n\n';
const MORE = 'There is more; ask the API for the run.';

/** In characters. The display is updated after each activation, and texts from outside may have megabytes. */
const MAX_DISPLAYED_TEXT = 1_000;

/**
 * Escapes a text from outside for one line of Markdown, so that it can pose neither as a command to copy nor as a link. A
 * long text is cut.
 */
export function inlineMarkdown(text: string): string {
  return abbreviate(text, MAX_DISPLAYED_TEXT)
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\\`*_[\]<>#|~&]/g, String.raw`\$&`)
    .replaceAll('://', String.raw`\://`);
}
