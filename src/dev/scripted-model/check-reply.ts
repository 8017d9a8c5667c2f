import type { Facts } from './prompt.ts';
import { PROMISE, toAmountText } from './write-reply.ts';

export interface ReplyCheck {
  readonly verdict: 'pass' | 'fail';
  readonly reason: string;
}

interface Rule {
  readonly breaks: (draft: string, facts: Facts) => boolean;
  readonly reason: string;
}

const RULES: readonly Rule[] = [
  { breaks: (draft) => PROMISE.test(draft), reason: 'Leave out the guarantee: the facts hold none.' },
  {
    breaks: (draft, { reference }) => !draft.split('\n').includes(reference),
    reason: 'Add the reference line exactly as the facts give it.',
  },
  {
    breaks: (draft, { amountRefunded }) => amountRefunded > 0 && !draft.includes(toAmountText(amountRefunded)),
    reason: 'State the amount that was refunded.',
  },
];

/** Checks a reply; the reason is the first rule that it breaks. */
export function checkReply(draft: string, facts: Facts): ReplyCheck {
  const broken = RULES.find(({ breaks }) => breaks(draft, facts));
  return broken ? { verdict: 'fail', reason: broken.reason } : { verdict: 'pass', reason: '' };
}
