import type { Tool } from 'holdfast/client';

const EFFECTS: Readonly<Record<Tool['effect'], string>> = {
  idempotent: 'made again as often as needed',
  keyed: 'made again with the same key, which its server knows',
  unsafe: 'never made again by itself: when it is unknown if it was made, a person says',
};

/** Describes how often a call may be repeated. */
export function describeEffect(effect: Tool['effect']): string {
  return EFFECTS[effect];
}

/** Describes if a call needs an approval, and by whom. */
export function describeApproval({ approval, effect }: Pick<Tool, 'approval' | 'effect'>): string {
  if (approval === 'always') return 'before each call';
  if (approval === 'never') return 'never';
  if (approval === null) return effect === 'unsafe' ? 'when an agent wants to call it' : 'when a graph says so';
  const { when, policy, timeout } = approval;
  const roles = policy?.roles?.join(' or ');
  return [
    when === undefined ? 'before each call' : `when ${when}`,
    roles === undefined ? null : `by ${roles}`,
    timeout === undefined ? null : `within ${timeout}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}
