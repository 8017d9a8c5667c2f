import { escapeInvisible } from '../values/escape-invisible.ts';
import { approvalInOneLine, approveCommand } from './approval-in-words.ts';
import type { Asked } from './approval-in-words.ts';
import { quoteForShell } from './quote-for-shell.ts';
import { whoDecides } from './who-decides.ts';

/** A thing that a run waits for. */
interface Waiting {
  readonly kind: 'approval' | 'event' | 'timer' | 'intervention';
  readonly node: string;
  readonly id?: string | undefined;
  readonly deadline?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** How a run that waits goes on, for people. */
export interface WaitingLine {
  /** Whom or what it waits for. */
  readonly text: string;
  /** The command that lets it go on; `null`: it goes on by itself. */
  readonly command: string | null;
}

/** @param approval what is asked; `null`: nothing, or it is not known */
export function waitingInWords(runId: string, waiting: Waiting, approval: Asked | null): WaitingLine {
  const { text, command } = LINES[waiting.kind](waiting, runId, approval);
  return { text: escapeInvisible(text.replaceAll('\n', ' ')), command };
}

type Line = (waiting: Waiting, runId: string, approval: Asked | null) => WaitingLine;

const LINES: Readonly<Record<Waiting['kind'], Line>> = {
  approval({ node, id = '' }, runId, approval) {
    const text = `${node} waits for ${whoDecides(approval?.policy ?? {})}`;
    if (approval === null) return { text, command: approveCommand(id, null) };
    const asked = approvalInOneLine(approval);
    // A command with a digest is only for people who see all that they approve.
    if (asked === null) return { text: `${text}: ${approval.title}`, command: `holdfast approvals --run ${runId}` };
    return { text: `${text}: ${asked}`, command: approveCommand(id, approval) };
  },
  intervention: ({ node, id = '', error }, runId) => ({
    text: `${node} waits for a person to retry, skip or fail it${error ? `: ${error.code} ${error.message}` : ''}`,
    command: `holdfast retry ${runId} --id ${quoted(id)}`,
  }),
  event: ({ node, id = '' }, runId) => ({
    text: `${node} waits for the event ${id}`,
    command: `holdfast signal ${runId} --event ${quoted(id)}`,
  }),
  timer: ({ node, deadline = '' }) => ({ text: `${node} waits until ${deadline}`, command: null }),
};

function quoted(text: string): string {
  return quoteForShell(escapeInvisible(text.replaceAll('\n', ' ')));
}
