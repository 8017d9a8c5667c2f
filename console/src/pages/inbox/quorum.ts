import type { Approval } from 'holdfast/client';

/** How far an approval is. */
export interface Progress {
  readonly needed: number;
  /** Who has approved what stands to be decided now. */
  readonly by: readonly string[];
}

/** Counts approvals: those before the last change of the arguments are void. */
export function progressOf({ policy, decisions }: Pick<Approval, 'policy' | 'decisions'>): Progress {
  const latest = JSON.stringify(decisions.at(-1)?.args ?? null);
  const lastOther = decisions.findLastIndex(({ args }) => JSON.stringify(args ?? null) !== latest);
  const counting = decisions.slice(lastOther + 1).filter(({ decision }) => decision === 'approve');
  return { needed: policy.quorum ?? 1, by: [...new Set(counting.map(({ by }) => by))] };
}

/** Says who may decide, in words. */
export function tellDeciders({ policy, requestedBy }: Pick<Approval, 'policy' | 'requestedBy'>): string {
  const { roles = [], users = [], excludeRequester = false } = policy;
  const named = [...roles.map((role) => `the role ${role}`), ...users];
  const who = named.length === 0 ? 'Whoever may decide approvals' : named.join(', ');
  return excludeRequester ? `${who}; not ${requestedBy}, who has asked` : who;
}
