import { createHash } from 'node:crypto';
import { defineConfig, defineFunction, defineNodeType } from 'holdfast';
import { z } from 'zod';

/** How urgent a ticket is, from 0 to 1. */
const scoreTicket = defineFunction({
  parameters: z.object({ subject: z.string(), customerSince: z.iso.date() }),
  result: z.object({ score: z.number().min(0).max(1), reasons: z.array(z.string()) }),
  execute({ subject, customerSince }) {
    const reasons = [
      ...(/down|outage|urgent/i.test(subject) ? ['the subject sounds urgent'] : []),
      ...(customerSince < '2020-01-01' ? ['a customer for years'] : []),
    ];
    return { score: reasons.length / 2, reasons };
  },
});

/** Goes back to the draft until the draft is short enough, three times at most. */
const checkDraft = defineFunction({
  parameters: z.object({ draft: z.string(), round: z.int() }),
  execute({ draft, round }, { logger }) {
    if (draft.length <= 60) return { update: { verdict: 'short enough' } };
    logger.info({ length: draft.length, round }, 'the draft is too long');
    return round < 3 ? { update: { round: round + 1 }, goto: 'shorten' } : { update: { verdict: 'gave up' } };
  },
});

/** Chooses one of its nodes by a share of customers. */
const split = defineNodeType({
  name: 'split',
  schema: {
    type: 'object',
    properties: {
      customer: { type: 'string' },
      share: { type: 'number', minimum: 0, maximum: 1 },
      first: { type: 'string' },
      second: { type: 'string' },
    },
    required: ['customer', 'share', 'first', 'second'],
    additionalProperties: false,
  },
  execute: ({ customer, share, first, second }) => {
    const hash = createHash('sha256').update(JSON.stringify(customer)).digest();
    return { goto: hash.readUInt32BE() / 2 ** 32 < Number(share) ? first : second };
  },
});

export default defineConfig({
  functions: { score_ticket: scoreTicket, check_draft: checkDraft },
  nodeTypes: [split],
});
