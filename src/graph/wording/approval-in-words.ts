import type { ApprovalPolicy } from '../definition/node-types/approval.ts';
import { escapeInvisible } from '../values/escape-invisible.ts';
import type { Json } from '../values/json.ts';

/** What an approval asks. */
export interface Asked {
  readonly title: string;
  readonly tool?: string | undefined;
  readonly args: Json;
  readonly details: Json;
  /** Of all that is above; `null`: it is hidden. */
  readonly digest: string | null;
  readonly policy: ApprovalPolicy;
}

/** Continued lines begin further right than names of parts, so that no text can pose as another part. */
const NAME_WIDTH = 9;

/** All that the digest of an approval binds, uncut: a name and a text each. */
export function approvalInWords({ title, tool, args, details }: Omit<Asked, 'digest' | 'policy'>): string {
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

/** The same in one line; `null` if it does not fit. */
export function approvalInOneLine({ title, tool, args, details }: Asked): string | null {
  if (details !== null) return null;
  const call = [...(tool === undefined ? [] : [tool]), ...(args === null ? [] : [JSON.stringify(args)])].join(' ');
  const line = call === '' ? title : `${title} With ${call}`;
  return line.length > MAX_LINE ? null : line;
}

/** The number of characters of a digest that are shown: enough to tell what was seen. */
const DIGEST_LENGTH = 12;

/**
 * The command that approves what is asked, and nothing else. Without a digest, it shows what it approves.
 * @param asked `null`: it is not known
 */
export function approveCommand(id: string, asked: Pick<Asked, 'digest' | 'policy'> | null): string {
  const { digest = null, policy = {} } = asked ?? {};
  const seen = digest === null ? '' : ` --digest ${digest.slice(0, DIGEST_LENGTH)}`;
  return `holdfast approve ${id}${seen}${policy.requireReason === true ? ' --reason …' : ''}`;
}
