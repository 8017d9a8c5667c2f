import { useQuery } from '@tanstack/react-query';
import type { Approval, Call } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../parts/texts.ts';
import { MessageView } from '../runs/messages/message-view.tsx';
import { findCall, isRequestedCall, takeLatest, readConversation } from './conversation.ts';
import type { ModelConversation } from './conversation.ts';

const MOST_CALLS = 20;

/** The conversation with a model that led to an approval. */
export function ConversationView({ approval }: { readonly approval: Approval }): JSX.Element | null {
  const calls = useCallsBefore(approval);
  const call = findCall(calls, approval);
  if (!call) return null;
  return <Conversation key={call.key} of={readConversation(call)} approval={approval} />;
}

/** The latest model calls before the request: those of the requesting node if there are any, otherwise of the run. */
function useCallsBefore({ runId, node, requestedAt: until }: Approval): readonly Call[] {
  const client = useApi();
  const { data } = useQuery({
    queryKey: [...KEYS.run(runId), 'led-to-it', node, until],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const filter = { kind: 'model', order: 'newest', until, limit: MOST_CALLS } as const;
      const own = await client.runs.calls(runId, { ...filter, node }, { signal }).page();
      return own.items.length > 0 ? own : await client.runs.calls(runId, filter, { signal }).page();
    },
  });
  return data?.items ?? [];
}

function Conversation({ of, approval }: { readonly of: ModelConversation; readonly approval: Approval }): JSX.Element {
  const { call, system, messages, missing } = of;
  const [isWhole, setWhole] = useState(false);
  const visibleMessages = isWhole ? messages : takeLatest(messages);
  const earlier = messages.length - visibleMessages.length;
  return (
    <section className="card stack led-to-it" aria-label="What led to it">
      <h2>What led to it</h2>
      <p className="muted small-text">
        The {approval.tool === undefined ? 'latest call' : 'call'} of <span className="mono">{visible(call.name)}</span>{' '}
        at <span className="mono">{visible(call.node)}</span>, <Time at={call.at} />
      </p>
      {call.request === '[redacted]' && <p>What the model was told is hidden from you.</p>}
      {system !== null && (
        <details>
          <summary>What the model is told to do</summary>
          <Markdown text={system} />
        </details>
      )}
      {missing > 0 && (
        <p className="muted small-text">
          {missing === 1 ? '1 message is' : `${missing} messages are`} not shown: too old, or not text.
        </p>
      )}
      {earlier > 0 && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          Show {earlier} earlier
        </button>
      )}
      <div className="chat">
        {visibleMessages.map((message) => (
          <MessageView
            key={message.id}
            message={message}
            isCut
            isOpen={(one) => message === messages.at(-1) && isRequestedCall(one, approval)}
          />
        ))}
      </div>
    </section>
  );
}
