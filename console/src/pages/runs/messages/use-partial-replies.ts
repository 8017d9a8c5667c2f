import type { Client } from 'holdfast/client';
import { useEffect, useState } from 'react';
import { isRefused } from '../../../api/is-refused.ts';
import { useApi } from '../../../api/use-api.ts';
import { joinDelta } from './join-deltas.ts';
import type { ModelDelta, PartialReplies } from './join-deltas.ts';

interface Followed {
  readonly runId: string;
  /** The `seq` of the last event that is known; the stream begins behind it. */
  readonly after: number;
  readonly isLive: boolean;
}

/** What models say in a run while they say it. The stream is open only while the run goes on and somebody looks. */
export function usePartialReplies({ runId, after, isLive }: Followed): PartialReplies {
  const client = useApi();
  const [replies, setReplies] = useState<PartialReplies>(new Map());
  const [begin] = useState(after);
  useEffect(() => {
    if (!isLive) return;
    return follow(client, {
      runId,
      after: begin,
      onDelta: (delta) => setReplies((before) => joinDelta(before, delta)),
    });
  }, [client, runId, begin, isLive]);
  return replies;
}

interface Following extends Omit<Followed, 'isLive'> {
  readonly onDelta: (delta: ModelDelta) => void;
}

const RETRY_MS = 2_000;

/**
 * Follows a run by tickets: `EventSource` sends no token, and a ticket is good once. One that is refused is not asked for again.
 * @returns a function that ends it
 */
function follow({ runs }: Client, { runId, after, onDelta }: Following): () => void {
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
  const delta: unknown = typeof data === 'string' ? JSON.parse(data) : null;
  return isDelta(delta) ? delta : null;
}

function isDelta(value: unknown): value is ModelDelta {
  return typeof value === 'object' && value !== null && 'callKey' in value && 'text' in value && 'index' in value;
}
