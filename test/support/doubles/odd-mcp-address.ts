import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../../src/graph/values/json.ts';
import { answer, startLoopbackServer } from './loopback-server.ts';
import type { Answer, ReceivedRequest } from './loopback-server.ts';
import { createOddMcpServer, readMcpMessage } from './odd-mcp-server.ts';

/** The odd server over HTTP. Tests may replace its answers. */
export interface OddMcpAddress {
  readonly url: string;
  readonly address: string;
  readonly requests: readonly ReceivedRequest[];
  /** Replaces the answer to the next request for this tool, or to the next message of this method. */
  instead(toolOrMethod: string, what: Answer): void;
  /** The response to a request for a stream of events. */
  listened: Answer;
  /** The format of answers: one document, or a stream of events, with or without ids for resuming it. */
  answersAs: 'json' | 'events' | 'numbered events';
  stop(): Promise<void>;
}

export async function startOddMcpAddress(): Promise<OddMcpAddress> {
  const http = await startLoopbackServer();
  const instead = new Map<string, Answer>();
  const odd: OddMcpAddress = {
    url: `${http.url}/mcp`,
    address: http.address,
    get requests() {
      return http.requests;
    },
    instead: (toolOrMethod, what) => void instead.set(toolOrMethod, what),
    listened: answer(405),
    answersAs: 'json',
    stop: async () => await http.stop(),
  };
  const answerNext: Answer = (response) => {
    http.answers(answerNext);
    const request = http.requests.at(-1);
    if (request) serve(request, response);
  };
  http.answers(answerNext);
  return odd;

  function serve({ method, body }: ReceivedRequest, response: ServerResponse): void {
    if (method === 'GET') return odd.listened(response);
    if (method === 'DELETE') return answer(200)(response);
    const { id, params, method: asked } = readMcpMessage(body);
    const what = params?.name ?? asked;
    const other = instead.get(what);
    instead.delete(what);
    if (other) return other(response);
    if (id === undefined || asked === '') return answer(202)(response);
    createOddMcpServer((reply) => 'id' in reply && say(reply, response)).hear(body);
  }

  function say(reply: JsonObject, response: ServerResponse): void {
    const isJson = odd.answersAs === 'json';
    const headers = { 'mcp-session-id': 's1', 'content-type': isJson ? 'application/json' : 'text/event-stream' };
    const number = odd.answersAs === 'numbered events' ? 'id: 1\n' : '';
    const text = JSON.stringify(reply);
    answer(200, headers, isJson ? text : `${number}data: ${text}\n\n`)(response);
  }
}
