import type { ModelDelta } from '../../graph/journal/index.ts';

/** A delta, and the run that it belongs to. */
interface DeltaOfRun {
  readonly runId: string;
  readonly delta: ModelDelta;
}

/** PostgreSQL takes payloads below 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;

/**
 * Packs deltas of a run into payloads, a line of JSON each. A delta that is too long for any payload is left out.
 * @returns the payloads, in the order of the deltas
 */
export function packDeltas(runId: string, deltas: readonly ModelDelta[]): readonly string[] {
  const payloads: string[] = [];
  let last = '';
  for (const delta of deltas) {
    const line = JSON.stringify({ runId, delta } satisfies DeltaOfRun);
    if (Buffer.byteLength(line) > MAX_PAYLOAD_BYTES) continue;
    const longer = last === '' ? line : `${last}\n${line}`;
    const fits = Buffer.byteLength(longer) <= MAX_PAYLOAD_BYTES;
    if (!fits) payloads.push(last);
    last = fits ? longer : line;
  }
  return last === '' ? payloads : [...payloads, last];
}

/** Reads a payload. What something else says on the channel holds no deltas. */
export function readDeltas(payload: string): readonly DeltaOfRun[] {
  return payload.split('\n').flatMap((line) => {
    try {
      const read: unknown = JSON.parse(line);
      return isDelta(read) ? [read] : [];
    } catch {
      return [];
    }
  });
}

function isDelta(value: unknown): value is DeltaOfRun {
  return typeof value === 'object' && value !== null && 'runId' in value && 'delta' in value;
}
