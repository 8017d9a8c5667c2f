import { useQuery } from '@tanstack/react-query';
import type { Run } from 'holdfast/client';
import { useMemo } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { Empty } from '../../../parts/empty.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { visible } from '../../../parts/visible.ts';
import type { RunEvent } from '../history/run-event.ts';
import { useHistory } from '../history/use-history.ts';
import { isEnded } from '../history/use-run.ts';
import { conversationsOf } from './conversations-of.ts';
import { withoutCalls } from './join-deltas.ts';
import type { PartialReply } from './join-deltas.ts';
import { MessageView } from './message-view.tsx';
import './messages.css';
import { usePartialReplies } from './use-partial-replies.ts';

/** The conversations of a run, and what models are saying now. */
export function MessagesTab({ run }: { readonly run: Run }): JSX.Element {
  const history = useHistory(run.id);
  return (
    <QueryView query={history} what="Loading the history">
      {(events) => <Conversations run={run} events={events} />}
    </QueryView>
  );
}

interface ConversationsProps {
  readonly run: Run;
  readonly events: readonly RunEvent[];
}

function Conversations({ run, events }: ConversationsProps): JSX.Element {
  const client = useApi();
  const state = useQuery({
    queryKey: [...KEYS.run(run.id), 'state'],
    queryFn: async ({ signal }) => await client.runs.state(run.id, undefined, { signal }),
  });
  const replies = usePartialReplies({
    runId: run.id,
    after: events.at(-1)?.seq ?? 0,
    isLive: !isEnded(run),
  });
  const ended = useMemo(
    () => new Set(events.flatMap((event) => (event.type === 'model.called' ? [event.idempotencyKey] : []))),
    [events],
  );
  const speaking = withoutCalls(replies, ended);
  return (
    <QueryView query={state} what="Loading the state">
      {({ values }) => {
        const conversations = conversationsOf(values);
        if (conversations.length === 0 && speaking.length === 0)
          return (
            <Empty title="No channel has messages">
              <p>Prompts and replies of single models stand in the panel of their node.</p>
            </Empty>
          );
        return (
          <div className="stack">
            {conversations.map(({ channel, messages }) => (
              <section key={channel} className="card chat" aria-label={`Messages of ${channel}`}>
                <h2>{channel}</h2>
                {messages.map((message) => (
                  <MessageView key={message.id} message={message} />
                ))}
              </section>
            ))}
            {speaking.map((reply) => (
              <Speaking key={reply.callKey} reply={reply} />
            ))}
          </div>
        );
      }}
    </QueryView>
  );
}

function Speaking({ reply }: { readonly reply: PartialReply }): JSX.Element {
  const { node, attempt, text, hasGaps } = reply;
  return (
    <article className="message assistant speaking" aria-label={`${node} is writing`} aria-busy="true">
      <h3 className="muted small-text">
        {node} is writing{attempt > 1 && `, attempt ${attempt}`}
        {hasGaps && ', the beginning is missing'}
      </h3>
      <p className="speech">{visible(text)}</p>
    </article>
  );
}
