import { useQuery } from '@tanstack/react-query';
import type { Run, Client } from 'holdfast/client';
import { useMemo, useEffect, useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.tsx';
import { Empty } from '../../../parts/notices.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { visible } from '../../../parts/texts.ts';
import type { RunEvent } from '../data/history.ts';
import { useHistory, isEnded } from '../data/use-run.ts';
import { findConversations, withoutCalls, joinDelta } from './conversations.ts';
import type { CallProgress, PartialReply, ModelDelta, PartialReplies } from './conversations.ts';
import { MessageView } from './message-view.tsx';
import './messages.css';
import { isRefused } from '../../../api/errors.ts';

/** The conversations of a run, with the replies that models are writing and the progress of calls. */
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
  const { replies, progress } = useLiveCalls({
    runId: run.id,
    after: events.at(-1)?.seq ?? 0,
    isLive: !isEnded(run),
  });
  const ended = useMemo(
    () =>
      new Set(
        events.flatMap((event) =>
          event.type === 'model.called' || event.type === 'tool.called' ? [event.idempotencyKey] : [],
        ),
      ),
    [events],
  );
  const speaking = withoutCalls(replies, ended);
  const working = isEnded(run) ? [] : withoutCalls(progress, ended);
  return (
    <QueryView query={state} what="Loading the state">
      {({ values }) => {
        const conversations = findConversations(values);
        if (conversations.length === 0 && speaking.length === 0 && working.length === 0)
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
              <PartialMessage key={reply.callKey} reply={reply} />
            ))}
            {working.map((call) => (
              <WorkingCall key={call.callKey} call={call} />
            ))}
          </div>
        );
      }}
    </QueryView>
  );
}

function PartialMessage({ reply }: { readonly reply: PartialReply }): JSX.Element {
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

function WorkingCall({ call: { node, tool, value } }: { readonly call: CallProgress }): JSX.Element {
  return (
    <article className="message" aria-label={`${tool} is working`} aria-busy="true">
      <h3 className="muted small-text">
        {tool} is working, for {node}
      </h3>
      <pre>{visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre>
    </article>
  );
}

interface PartialRepliesOptions {
  readonly runId: string;
  /** The `seq` of the last loaded event. The stream begins after it. */
  readonly after: number;
  readonly isLive: boolean;
}

interface LiveCalls {
  readonly replies: PartialReplies;
  /** The latest progress by the keys of calls. */
  readonly progress: ReadonlyMap<string, CallProgress>;
}

/**
 * The partial replies of models in a run, and the progress of its calls. The stream is open only while the run continues and
 * the tab is visible.
 */
function useLiveCalls({ runId, after, isLive }: PartialRepliesOptions): LiveCalls {
  const client = useApi();
  const [replies, setReplies] = useState<PartialReplies>(new Map());
  const [progress, setProgress] = useState<LiveCalls['progress']>(new Map());
  const [begin] = useState(after);
  useEffect(() => {
    if (!isLive) return;
    return follow(client, {
      runId,
      after: begin,
      onDelta: (delta) => setReplies((before) => joinDelta(before, delta)),
      onProgress: (call) => setProgress((before) => new Map(before).set(call.callKey, call)),
    });
  }, [client, runId, begin, isLive]);
  return { replies, progress };
}

interface FollowOptions extends Omit<PartialRepliesOptions, 'isLive'> {
  readonly onDelta: (delta: ModelDelta) => void;
  readonly onProgress: (call: CallProgress) => void;
}

const RETRY_MS = 2_000;

/**
 * Follows the stream of a run. `EventSource` cannot send a token, so each connection takes a one-time ticket. A refused ticket ends it.
 * @returns a function that closes the stream
 */
function follow({ runs }: Client, { runId, after, onDelta, onProgress }: FollowOptions): () => void {
  const closing = new AbortController();
  const { signal } = closing;
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = async (): Promise<void> => {
    const { ticket } = await runs.streamTicket(runId, { after }, { signal });
    if (signal.aborted) return;
    const query = new URLSearchParams({ ticket, stream: 'tokens' });
    source = new EventSource(`/api/runs/${encodeURIComponent(runId)}/events?${query.toString()}`);
    source.addEventListener('model.delta', ({ data }) => {
      const delta = readDelta(data);
      if (delta) onDelta(delta);
    });
    source.addEventListener('tool.progress', ({ data }) => {
      const call: unknown = parseData(data);
      if (isCallProgress(call)) onProgress(call);
    });
    source.addEventListener('error', () => {
      source?.close();
      again();
    });
  };
  const again = (): void => {
    if (!signal.aborted) timer = setTimeout(start, RETRY_MS);
  };
  const start = (): void => {
    open().catch((error: unknown) => {
      if (!isRefused(error)) again();
    });
  };
  start();
  return () => {
    closing.abort();
    clearTimeout(timer);
    source?.close();
  };
}

function readDelta(data: unknown): ModelDelta | null {
  const delta = parseData(data);
  return isDelta(delta) ? delta : null;
}

function parseData(data: unknown): unknown {
  return typeof data === 'string' ? JSON.parse(data) : null;
}

function isCallProgress(value: unknown): value is CallProgress {
  return typeof value === 'object' && value !== null && 'callKey' in value && 'tool' in value && 'value' in value;
}

function isDelta(value: unknown): value is ModelDelta {
  return typeof value === 'object' && value !== null && 'callKey' in value && 'text' in value && 'index' in value;
}
