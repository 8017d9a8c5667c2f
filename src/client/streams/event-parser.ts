/** An event of a stream of server-sent events (WHATWG HTML, section 9.2). */
export interface ServerSentEvent {
  /** What a reader resumes after; empty: the stream has named none yet. */
  readonly lastId: string;
  /** Empty where the stream only moves `lastId`. */
  readonly type: string;
  readonly data: string;
}

/** Reads events of text that comes in parts. @returns the events that are whole with this part */
export type EventParser = (text: string) => readonly ServerSentEvent[];

export function createEventParser(): EventParser {
  const toLines = createLineSplitter();
  let lastId = '';
  let type = '';
  let data: string[] = [];
  let hasId = false;
  const end = (): readonly ServerSentEvent[] => {
    const isEvent = data.length > 0;
    const event = { lastId, type: isEvent ? type || 'message' : '', data: data.join('\n') };
    const isTold = isEvent || hasId;
    [type, data, hasId] = ['', [], false];
    return isTold ? [event] : [];
  };
  const fields: Readonly<Record<string, (value: string) => void>> = {
    event: (value) => (type = value),
    data: (value) => void data.push(value),
    id(value) {
      if (value.includes('\0')) return;
      [lastId, hasId] = [value, true];
    },
  };
  return (text) =>
    toLines(text).flatMap((line) => {
      if (line === '') return end();
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (Object.hasOwn(fields, name)) fields[name]?.(value);
      return [];
    });
}

/** Lines end with CR, LF or both, which may come apart. */
function createLineSplitter(): (text: string) => readonly string[] {
  let parts: string[] = [];
  let endsWithReturn = false;
  return (text) => {
    if (text === '') return [];
    const rest = endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    endsWithReturn = text.endsWith('\r');
    const lines = rest.split(/\r\n|\n|\r/);
    const open = lines.pop() ?? '';
    const [first, ...others] = lines;
    if (first === undefined) {
      parts.push(open);
      return [];
    }
    const whole = [parts.join('') + first, ...others];
    parts = [open];
    return whole;
  };
}
