import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Ears, Listen } from './listen.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_AFTER_MS = 250;
/** A connection that breaks without a word is noticed by a question that has no answer. */
const ASK_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 5_000;
const CLOSE_WITHIN_MS = 1_000;

/** Hears a PostgreSQL server over a connection of its own, which is replaced when it breaks. */
export function listenToPostgres(url: string): Listen {
  return (channel, ears) => {
    const stopping = new AbortController();
    const listening = keepListening({ url, channel, ears }, stopping.signal);
    return {
      async close() {
        stopping.abort();
        await listening;
      },
    };
  };
}

interface Channel {
  readonly url: string;
  readonly channel: string;
  readonly ears: Ears;
}

async function keepListening(channel: Channel, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    // A server that is away is asked again; whoever waits looks now and then.
    await listenOnce(channel, stopping).catch(() => undefined);
    await sleep(RECONNECT_AFTER_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Listens until the connection breaks, or it is time to stop. */
async function listenOnce({ url, channel, ears }: Channel, stopping: AbortSignal): Promise<void> {
  const client = new Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  const over = untilOver(client, stopping);
  client.on('notification', ({ payload = '' }) => ears.heard(payload));
  try {
    await Promise.race([client.connect(), over]);
    await Promise.race([client.query(`listen ${channel}`), over]);
    if (!stopping.aborted) ears.opened();
    await Promise.race([over, untilSilent(client)]);
  } finally {
    await Promise.race([client.end().catch(() => undefined), sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }
}

/** Resolves when the connection has ended, or it is time to stop. */
async function untilOver(client: Client, stopping: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const over = (): void => {
      stopping.removeEventListener('abort', over);
      resolve();
    };
    client.once('end', over);
    client.on('error', over);
    stopping.addEventListener('abort', over);
  });
}

/** Resolves when the server does not answer any more. */
async function untilSilent(client: Client): Promise<void> {
  for (;;) {
    await sleep(ASK_EVERY_MS, undefined, { ref: false });
    const answers = await client.query('select 1').then(
      () => true,
      () => false,
    );
    if (!answers) return;
  }
}
