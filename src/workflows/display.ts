import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { toRunView } from '../graph/journal/index.ts';
import type { RunView } from '../graph/journal/index.ts';
import { hideApproval, hideRunError } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Run } from '../graph/run/index.ts';
import { truncate } from '../graph/values/index.ts';
import { toWorkflowId } from './contract.ts';
import { inlineMarkdown } from './inline-markdown.ts';
import { attributesOf, keyAtStart } from './search-attributes.ts';

/** Shows the current state of a run in Temporal. */
export type Display = (run: Run) => void;

/**
 * @param isFirst true in the first execution, whose search attributes were set at its start
 * @param hidden what is shown to nobody here
 */
export function createDisplay(isFirst: boolean, hidden: Redaction): Display {
  let shown = isFirst ? keyAtStart(workflowInfo().typedSearchAttributes) : '';
  return (run) => {
    setCurrentDetails(toDetails(run, hidden));
    const { key, attributes } = attributesOf(run);
    if (key === shown) return;
    shown = key;
    upsertSearchAttributes(attributes);
  };
}

/** In characters; the server takes 20,000 bytes. */
const MAX_DETAILS = 5_000;

/** A summary of the run for the Temporal Web UI, in Markdown, with commands for each pending decision. */
function toDetails(run: Run, hidden: Redaction): string {
  const { status, step, next, usage, error: whole, waitingFor } = toRunView(run);
  const error = whole && hideRunError(whole, hidden);
  const lines = [
    `**${run.graph.name}** is **${status}**, step ${step}`,
    next.length > 0 ? `- at: ${next.map((node) => `\`${node}\``).join(', ')}` : '',
    error ? `- error: \`${error.code}\` ${inlineMarkdown(error.message)}` : '',
    error?.cause ? `- cause: \`${error.cause.code}\` ${inlineMarkdown(error.cause.message)}` : '',
    `- used: ${usage.modelCalls} model calls, ${usage.toolCalls} tool calls, ${usage.inputTokens + usage.outputTokens} tokens, ${usage.costUsd} USD`,
    ...approvalLines(run, hidden),
    ...interventionLines(run, waitingFor),
  ];
  return truncate(lines.filter((line) => line !== '').join('\n'), MAX_DETAILS);
}

function approvalLines(run: Run, hidden: Redaction): string[] {
  return Object.values(run.approvals)
    .filter(({ status }) => status === 'pending')
    .map((approval) => hideApproval(approval, hidden))
    .flatMap(({ id, title, expiresAt }) => [
      '',
      `**Waits for approval:** ${inlineMarkdown(title)} (until ${expiresAt})`,
      command(run, 'approve', { approvalId: id, reason: '…' }),
      command(run, 'reject', { approvalId: id, reason: '…' }),
    ]);
}

function interventionLines(run: Run, waitingFor: RunView['waitingFor']): string[] {
  return waitingFor
    .filter(({ kind }) => kind === 'intervention')
    .flatMap(({ node, id }) => [
      '',
      `**Waits for an intervention:** node \`${node}\` failed`,
      command(run, 'retry', { id }),
      command(run, 'skip', { id, output: null }),
      command(run, 'fail', { id, reason: '…' }),
    ]);
}

function command(run: Run, signal: string, input: object): string {
  return `\n    temporal workflow signal --workflow-id ${toWorkflowId(run)} --name ${signal} --input '${JSON.stringify(input)}'`;
}
