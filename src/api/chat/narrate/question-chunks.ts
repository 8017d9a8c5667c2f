import type { PublicApproval } from '../../../graph/run/index.ts';
import type { Chunk } from './chunk.ts';

/** What a question shows to a person. */
export type Asked = Pick<PublicApproval, 'id' | 'title' | 'details' | 'args' | 'tool' | 'digest'>;

/** The name of the call that stands for an approval of no tool. */
const APPROVAL = 'approval';

/** Asks a person: shows the question, and wants a decision. */
export function toQuestion(asked: Asked): readonly Chunk[] {
  const { id } = asked;
  return [toShown(asked), { type: 'tool-approval-request', approvalId: id, toolCallId: id }];
}

/** Shows a question as a call with the id of its approval, and the digest of what is shown. */
export function toShown({ id, title, details, args, tool, digest }: Asked): Chunk {
  return {
    type: 'tool-input-available',
    toolCallId: id,
    toolName: tool ?? APPROVAL,
    input: tool === undefined ? { title, details, args } : args,
    dynamic: true,
    ...(typeof title === 'string' && { title }),
    providerMetadata: { holdfast: { digest } },
  };
}
