import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';

/** A frame of a stream of server-sent events, by the names of its fields; a comment has the name "". */
export type Frame = Readonly<Record<string, string>>;

/** Reads a stream as it arrives. */
export interface EventStream {
  /** @returns the next frame; `null` at the end @throws when the stream breaks */
  next(): Promise<Frame | null>;
  /** Reads up to the next event. @returns its data; `null` at the end */
  nextEvent(): Promise<Json>;
  /** Reads to the end. @returns the data of all events */
  rest(): Promise<Json[]>;
  /** The text that was received and not returned yet. */
  pending(): string;
  close(): Promise<void>;
}

export function readEventStream({ body }: Response): EventStream {
  if (!body) throw new TypeError('The answer has no body');
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<Frame | null> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const frame = toFrame(text.slice(0, end));
        text = text.slice(end + 2);
        return frame;
      }
      const { done, value } = await reader.read();
      if (done) return null;
      text += value;
    }
  };
  const nextEvent = async (): Promise<Json> => {
    for (let frame = await next(); ; frame = await next()) {
      if (frame === null) return null;
      if (frame['data'] !== undefined) return toJson(JSON.parse(frame['data']));
    }
  };
  return {
    next,
    nextEvent,
    async rest() {
      const events: Json[] = [];
      for (let event = await nextEvent(); event !== null; event = await nextEvent()) events.push(event);
      return events;
    },
    pending: () => text,
    close: async () => await reader.cancel(),
  };
}

/** Parses the complete frames in a text. */
export function completeFrames(text: string): readonly Frame[] {
  return text.split('\n\n').slice(0, -1).map(toFrame);
}

function toFrame(text: string): Frame {
  const fields = text.split('\n').map((line): [string, string] => {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
    return [name, value];
  });
  return Object.fromEntries(fields);
}
