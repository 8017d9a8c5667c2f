import type { DescriptionOf } from './node-description.ts';

export const approval: DescriptionOf<'approval'> = {
  summary: 'Waits for a person to decide. Result: { decision, args, by, reason, at, values }.',
  templates: ['title', 'details', 'args'],
  schemas: ['argsSchema', 'decisionSchema'],
  onReject: 'onReject',
  mayWait: true,
  look: { outline: 'hexagon', fill: 'FBE9EC' },
};
