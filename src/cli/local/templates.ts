/** A project to begin with. */
export interface Template {
  /** Its folder below `templates`. */
  readonly name: string;
  readonly summary: string;
  /** Commands to try it with, once it runs. */
  readonly tries: readonly string[];
}

export const TEMPLATES: readonly Template[] = [
  {
    name: 'refund',
    summary: 'a refund that a person approves when it is large',
    tries: [
      `npx holdfast run graphs/refund.ts --input '{ "order": "A-1002", "euros": 300 }'`,
      'npx holdfast approvals',
    ],
  },
  {
    name: 'blank',
    summary: 'one tool, one node',
    tries: [`npx holdfast run graphs/greeting.ts --input '{ "name": "Ann" }'`],
  },
  {
    name: 'chat',
    summary: 'an agent with two tools, a memory, and trips that a person approves',
    tries: ['npx tsx say.ts "How is the weather in Rome?"'],
  },
];
