import { listenOnPort } from '../../src/process/listen.ts';

/** Accepts spans and metrics by OTLP, and counts the bytes. */
export interface Sink {
  readonly url: string;
  /** The total bytes of all bodies so far. */
  readonly bytes: number;
  stop(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  let bytes = 0;
  const take = async (request: Request): Promise<Response> => {
    bytes += (await request.arrayBuffer()).byteLength;
    return new Response(null, { headers: { 'content-type': 'application/x-protobuf' } });
  };
  const server = await listenOnPort({ fetch: take }, { port: 0 });
  return {
    url: server.url,
    get bytes() {
      return bytes;
    },
    stop: () => server.stop(),
  };
}
