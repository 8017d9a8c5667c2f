import type { ApprovalPolicy } from '../graph/definition/index.ts';
import { escapeInvisible } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';

/** The content of an approval. Its digest covers all of it. */
export interface ApprovalContent {
  readonly title: string;
  readonly tool?: string | undefined;
  readonly args: Json;
  readonly details: Json;
}

/** The width of the column of names. Continued lines are indented further, so that no text can imitate another part. */
const NAME_WIDTH = 9;

/** Formats the whole content of an approval: a name and a text for each part. */
export function formatApproval({ title, tool, args, details }: ApprovalContent): string {
  const parts = Object.entries({ asks: title, tool: tool ?? null, args, details });
  const lines = parts.flatMap(([name, part]) =>
    part === null ? [] : [`  ${name.padEnd(NAME_WIDTH)}${toIndentedText(part)}\n`],
  );
  return lines.join('');
}

function toIndentedText(part: Json): string {
  const text = typeof part === 'string' ? part : JSON.stringify(part);
  return escapeInvisible(text).replaceAll('\n', `\n  ${' '.repeat(NAME_WIDTH)}`);
}

const MAX_LINE = 400;

/** Formats the content in one line. @returns `null` if it does not fit */
export function approvalInOneLine({ title, tool, args, details }: ApprovalContent): string | null {
  if (details !== null) return null;
  const call = [...(tool === undefined ? [] : [tool]), ...(args === null ? [] : [JSON.stringify(args)])].join(' ');
  const line = call === '' ? title : `${title} With ${call}`;
  return line.length > MAX_LINE ? null : line;
}

/**
 * Formats the people of a policy, such as `2 people of approver or ann (after 1d also lead), but not who has asked`.
 */
export function whoDecides(policy: ApprovalPolicy): string {
  const { roles = [], users = [], quorum = 1, escalate = [], excludeRequester = false } = policy;
  const named = [...roles, ...users].join(' or ') || 'anybody who may decide';
  const many = quorum > 1 ? `${quorum} people of ${named}` : named;
  const later = escalate.map(({ after, roles: others }) => `after ${after} also ${others.join(' or ')}`);
  const who = later.length > 0 ? `${many} (${later.join(', ')})` : many;
  return excludeRequester ? `${who}, but not who has asked` : who;
}
