import type { RequestedCall, Conversation } from './prompt.ts';
import { refundCalls, reportRefunds } from './refund-agent.ts';

interface Agent {
  /** Text that only this agent's system prompt contains. */
  readonly phrase: string;
  /** The next tool calls; empty if the agent answers with text. */
  readonly calls: (conversation: Conversation) => readonly RequestedCall[];
  readonly report: (conversation: Conversation) => string;
}

const AGENTS: readonly Agent[] = [
  { phrase: 'You settle requests for refunds', calls: refundCalls, report: reportRefunds },
];

/** An agent's next step: tool calls or a text. */
export type Act =
  | { readonly kind: 'calls'; readonly calls: readonly RequestedCall[] }
  | { readonly kind: 'text'; readonly text: string };

/** Acts by the rules of the agent whose phrase the system prompt contains; `null` if there is none. */
export function act(conversation: Conversation): Act | null {
  const agent = AGENTS.find(({ phrase }) => conversation.system.includes(phrase));
  if (!agent) return null;
  const calls = agent.calls(conversation);
  return calls.length > 0 ? { kind: 'calls', calls } : { kind: 'text', text: agent.report(conversation) };
}
