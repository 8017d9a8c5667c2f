import type { ApprovalPolicy } from '../graph/definition/index.ts';
import { escapeInvisible } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';

/** What an approval asks; its digest binds all of it. */
export interface AskedParts {
  readonly title: string;
  readonly tool?: string | undefined;
  readonly args: Json;
  readonly details: Json;
}

/** Continued lines are indented further than the names of parts, so that no text can pose as another part. */
const NAME_WIDTH = 9;

/** Formats all that an approval asks, uncut: a name and a text each. */
export function formatApproval({ title, tool, args, details }: AskedParts): string {
  const parts = Object.entries({ asks: title, tool: tool ?? null, args, details });
  const lines = parts.flatMap(([name, part]) =>
    part === null ? [] : [`  ${name.padEnd(NAME_WIDTH)}${toText(part)}\n`],
  );
  return lines.join('');
}

function toText(part: Json): string {
  const text = typeof part === 'string' ? part : JSON.stringify(part);
  return escapeInvisible(text).replaceAll('\n', `\n  ${' '.repeat(NAME_WIDTH)}`);
}

const MAX_LINE = 400;

/** Formats the same in one line. @returns `null` if it does not fit */
export function approvalInOneLine({ title, tool, args, details }: AskedParts): string | null {
  if (details !== null) return null;
  const call = [...(tool === undefined ? [] : [tool]), ...(args === null ? [] : [JSON.stringify(args)])].join(' ');
  const line = call === '' ? title : `${title} With ${call}`;
  return line.length > MAX_LINE ? null : line;
}

/** Names the people of a policy, such as `2 people of approver or ann (after 1d also lead), but not who has asked`. */
export function whoDecides(policy: ApprovalPolicy): string {
  const { roles = [], users = [], quorum = 1, escalate = [], excludeRequester = false } = policy;
  const named = [...roles, ...users].join(' or ') || 'anybody who may decide';
  const many = quorum > 1 ? `${quorum} people of ${named}` : named;
  const later = escalate.map(({ after, roles: others }) => `after ${after} also ${others.join(' or ')}`);
  const who = later.length > 0 ? `${many} (${later.join(', ')})` : many;
  return excludeRequester ? `${who}, but not who has asked` : who;
}
