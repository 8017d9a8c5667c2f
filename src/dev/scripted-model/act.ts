import type { AskedCall, Conversation } from './prompt.ts';
import { refundCalls, reportRefunds } from './settle-refunds.ts';

interface Agent {
  /** Stands in the system prompt of this agent and of no other. */
  readonly phrase: string;
  /** The tools that it wants to have called next; none when it has something to say. */
  readonly calls: (conversation: Conversation) => readonly AskedCall[];
  readonly report: (conversation: Conversation) => string;
}

const AGENTS: readonly Agent[] = [
  { phrase: 'You settle requests for refunds', calls: refundCalls, report: reportRefunds },
];

/** What an agent does next: it has tools called, or says something. */
export type Act =
  | { readonly kind: 'calls'; readonly calls: readonly AskedCall[] }
  | { readonly kind: 'text'; readonly text: string };

/** Acts as the agent that a system prompt speaks to, by rules; `null`: it speaks to none. */
export function act(conversation: Conversation): Act | null {
  const agent = AGENTS.find(({ phrase }) => conversation.system.includes(phrase));
  if (!agent) return null;
  const calls = agent.calls(conversation);
  return calls.length > 0 ? { kind: 'calls', calls } : { kind: 'text', text: agent.report(conversation) };
}
