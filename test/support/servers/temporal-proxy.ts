import { once } from 'node:events';
import { connect, constants, createServer } from 'node:http2';
import type {
  ClientHttp2Session,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import proto from '@temporalio/proto';
import { payloadText } from '../readers/payload-text.ts';

/** A proxy of a Temporal server that can drop single requests or their responses. */
export interface TemporalProxy {
  readonly address: string;
  /** Holds the next matching request: the server does not receive it. @returns when it is held */
  hold(isWanted: RequestTest): Promise<HeldRequest>;
  /** Forwards the next matching request and drops its response. @returns when the server has responded */
  loseAnswer(isWanted: RequestTest): Promise<void>;
  stop(): Promise<void>;
}

/** A request on its way to the server. */
export interface TemporalRequest {
  /** For example `RespondWorkflowTaskCompleted`. */
  readonly method: string;
  /** True if it has all of some texts, such as the id of a workflow or an event of a compressed journal batch. */
  readonly mentions: (...texts: readonly string[]) => boolean;
}

export type RequestTest = (request: TemporalRequest) => boolean;

export interface HeldRequest extends TemporalRequest {
  /** Forwards it after all. @returns when the server has responded */
  readonly deliver: () => Promise<void>;
  /** Breaks it like a network failure: the sender will send it again. */
  readonly drop: () => void;
}

interface Call {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly server: ClientHttp2Session;
}

interface Reply {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: OutgoingHttpHeaders | null;
}

interface Loss {
  readonly what: 'request' | 'answer';
  readonly isWanted: RequestTest;
  readonly tell: (call: Call) => void;
}

/** @param address the address of the Temporal server */
export async function startTemporalProxy(address: string): Promise<TemporalProxy> {
  const losses = new Set<Loss>();
  const sessions = new Set<ServerHttp2Session>();
  const proxy = createServer();
  proxy.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    serve(session, address, losses);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const lose = async (what: Loss['what'], isWanted: RequestTest): Promise<Call> =>
    await new Promise((tell) => void losses.add({ what, isWanted, tell }));
  return {
    address: addressOf(proxy.address()),
    async hold(isWanted) {
      const call = await lose('request', isWanted);
      return {
        ...toRequest(call),
        deliver: async () => answer(call, await askLate(call, address)),
        drop: () => answer(call, BROKEN),
      };
    },
    loseAnswer: async (isWanted) => void (await lose('answer', isWanted)),
    async stop() {
      const closed = once(proxy.close(), 'close');
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

/** Forwards the requests of one connection over one connection to the server. */
function serve(session: ServerHttp2Session, address: string, losses: Set<Loss>): void {
  const server = connect(`http://${address}`);
  server.on('error', () => session.destroy());
  session.on('error', () => session.destroy());
  session.once('close', () => server.destroy());
  session.on('stream', (stream, headers) => {
    stream.on('error', () => stream.close());
    void buffer(stream)
      .then(async (body) => await pass({ stream, headers, body, server }, losses))
      .catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  });
}

async function pass(call: Call, losses: Set<Loss>): Promise<void> {
  const request = toRequest(call);
  const loss = [...losses].find(({ isWanted }) => isWanted(request));
  if (!loss) return answer(call, await askFor(call));
  losses.delete(loss);
  if (loss.what === 'answer') {
    await ask(call);
    answer(call, BROKEN);
  }
  loss.tell(call);
}

/** A gRPC message follows a prefix of five bytes, of which the first states whether it is compressed. */
function toRequest({ headers, body }: Call): TemporalRequest {
  const method = headers[':path']?.split('/').at(-1) ?? '';
  const message = body[0] === 1 ? gunzipSync(body.subarray(5)) : body.subarray(5);
  const parts = method === 'RespondWorkflowTaskCompleted' ? [message, ...activityInputs(message)] : [message];
  return { method, mentions: (...texts) => texts.every((text) => parts.some((part) => part.includes(text))) };
}

const { RespondWorkflowTaskCompletedRequest } = proto.temporal.api.workflowservice.v1;

/** The inputs of the activities that a completed workflow task requests, such as journal batches, decompressed. */
function activityInputs(message: Buffer): readonly string[] {
  const { commands } = RespondWorkflowTaskCompletedRequest.decode(message);
  const payloads = commands.flatMap((command) => command.scheduleActivityTaskCommandAttributes?.input?.payloads ?? []);
  return payloads.map(payloadText);
}

/** Forwards a request as long as the sender waits for the response. */
async function askFor(call: Call): Promise<Reply> {
  const gone = new AbortController();
  call.stream.once('close', () => gone.abort());
  return await ask(call, gone.signal);
}

/** Forwards a request even if the sender and its connection are gone. */
async function askLate(call: Call, address: string): Promise<Reply> {
  const server = connect(`http://${address}`);
  try {
    return await ask({ ...call, server });
  } finally {
    server.close();
  }
}

async function ask({ headers, body, server }: Call, signal?: AbortSignal): Promise<Reply> {
  const request = server.request({ ...headers });
  signal?.addEventListener('abort', () => request.close(constants.NGHTTP2_CANCEL), { once: true });
  let trailers: IncomingHttpHeaders | null = null;
  request.once('trailers', (told) => {
    trailers = told;
  });
  const answered = new Promise<IncomingHttpHeaders>((resolve, reject) => {
    request
      .once('response', resolve)
      .once('error', reject)
      .once('close', () => reject(new Error('No answer came')));
  });
  request.end(body);
  const replied = await answered;
  return { headers: replied, body: await buffer(request), trailers };
}

function answer({ stream }: Call, { headers, body, trailers }: Reply): void {
  if (stream.destroyed) return;
  if (!trailers) return stream.respond({ ...headers }, { endStream: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ ...trailers }));
  stream.respond({ ...headers }, { waitForTrailers: true });
  stream.end(body);
}

/** The response of a load balancer for an unavailable server: `UNAVAILABLE`. */
const BROKEN: Reply = {
  headers: { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14', 'grpc-message': 'lost' },
  body: Buffer.alloc(0),
  trailers: null,
};

function addressOf(bound: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (typeof bound === 'object' && bound) return `127.0.0.1:${bound.port}`;
  throw new TypeError('The proxy has no port');
}
