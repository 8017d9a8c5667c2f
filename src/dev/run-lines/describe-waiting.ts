import type { ApprovalPolicy } from '../../graph/definition/index.ts';
import { escapeInvisible } from './escape-invisible.ts';

/** A thing that a run waits for. */
interface Waiting {
  readonly kind: 'approval' | 'event' | 'timer' | 'intervention';
  readonly node: string;
  readonly id?: string | undefined;
  readonly deadline?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** What a pending approval shows. */
interface Shown {
  readonly title: string;
  /** `null`: it is hidden. */
  readonly digest: string | null;
  readonly policy: ApprovalPolicy;
}

/** How a run that waits goes on, for people. */
export interface WaitingLine {
  /** Whom or what it waits for. */
  readonly text: string;
  /** The command that lets it go on; `null`: it goes on by itself. */
  readonly command: string | null;
}

/** @param approval what is asked; `null`: nothing, or it is not known */
export function describeWaiting(runId: string, waiting: Waiting, approval: Shown | null): WaitingLine {
  const { text, command } = LINES[waiting.kind](waiting, runId, approval);
  return { text: escapeInvisible(text.replaceAll('\n', ' ')), command };
}

type Line = (waiting: Waiting, runId: string, approval: Shown | null) => WaitingLine;

const LINES: Readonly<Record<Waiting['kind'], Line>> = {
  approval: ({ node, id = '' }, _runId, approval) => ({
    text: `${node} waits for ${whoDecides(approval?.policy ?? {})}${approval ? `: ${approval.title}` : ''}`,
    command: approveCommand(id, approval?.digest ?? null),
  }),
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

/** Quotes a text for a shell: people copy the command, and the text may come from outside. */
function quoted(text: string): string {
  return `'${escapeInvisible(text.replaceAll('\n', ' ')).replaceAll("'", `'\\''`)}'`;
}

/** So many characters of a digest are enough to tell what was seen. */
const DIGEST_LENGTH = 12;

/** The command that approves what has a digest, and nothing else. */
function approveCommand(id: string, digest: string | null): string {
  return `holdfast approve ${id}${digest === null ? '' : ` --digest ${shortDigest(digest)}`}`;
}

export function shortDigest(digest: string): string {
  return digest.slice(0, DIGEST_LENGTH);
}

/** Who may decide, such as `approver (2 of them)`. */
export function whoDecides({ roles = [], users = [], quorum = 1 }: ApprovalPolicy): string {
  const who = [...roles, ...users].join(' or ') || 'anybody who may decide';
  return quorum > 1 ? `${who} (${quorum} of them)` : who;
}
