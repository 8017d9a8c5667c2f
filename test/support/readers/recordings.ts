import { readFile, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { z } from 'zod';
import { isJsonList, isJsonObject } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { Blob, Blobs } from '../../../src/store/blobs/blobs.ts';
import type { History } from './executions.ts';
import { at, listAt } from './json-at.ts';

const RecordingSchema = z.object({
  /** Histories, in the order of the executions. */
  executions: z.array(z.json()),
  /** The blobs by id; their data is compressed and in base64. */
  blobs: z.record(z.string(), z.object({ metadata: z.record(z.string(), z.string()), data: z.string() })),
});

/** Temporal's record of a run, with the payloads that were stored by reference. */
export type Recording = z.output<typeof RecordingSchema> & { readonly name: string };

const FOLDER = fileURLToPath(new URL('../../replay/histories/', import.meta.url));
/** Identities and unused numbers, which differ each time. */
const FLEETING: ReadonlySet<string> = new Set(['identity', 'requestId', 'stackTrace', 'taskId']);

export async function writeRecording(
  name: string,
  { histories, blobs }: { readonly histories: readonly History[]; readonly blobs: Blobs },
): Promise<void> {
  const executions = histories.map((history) => withoutFleeting(toJson(JSON.parse(historyToJSON(history)))));
  const kept = JSON.stringify(await readBlobs(executions, blobs));
  const events = executions.map(
    (execution) => `{"events":[\n${listAt(execution, '/events').map(toLine).join(',\n')}\n]}`,
  );
  await writeFile(`${FOLDER}${name}.json`, `{"executions":[${events.join(',')}],"blobs":${kept}}\n`);
}

const toLine = (event: Json): string => JSON.stringify(event);

export async function readRecordings(): Promise<readonly Recording[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.json')).toSorted();
  return await Promise.all(files.map(readRecording));
}

export async function readRecording(file: string): Promise<Recording> {
  const recording = RecordingSchema.parse(JSON.parse(await readFile(`${FOLDER}${file}`, 'utf8')));
  return { ...recording, name: file.replace(/\.json$/, '') };
}

/** The blobs of a recording, as replays read them. A replay writes nothing that it has not read before. */
export function blobsOf({ blobs }: Pick<Recording, 'blobs'>): Blobs {
  const read = ({ metadata, data }: Recording['blobs'][string]): Blob => ({
    metadata,
    data: gunzipSync(Buffer.from(data, 'base64')),
  });
  return {
    put: async () => undefined,
    find: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const blob = blobs[id];
          return blob ? [[id, read(blob)]] : [];
        }),
      ),
    get: async (ids) =>
      ids.map((id) => {
        const blob = blobs[id];
        if (!blob) throw new RangeError(`The recording has no blob ${id}`);
        return read(blob);
      }),
  };
}

async function readBlobs(executions: readonly Json[], blobs: Blobs): Promise<Recording['blobs']> {
  const texts = executions.flatMap(payloadTexts);
  const ids = [...new Set(texts.flatMap((text) => text.match(/run:demo:\w+\/[\w-]{43}/g) ?? []))];
  const found = await blobs.get(ids);
  return Object.fromEntries(
    found.map(({ metadata, data }, index) => [ids[index] ?? '', { metadata, data: gzipSync(data).toString('base64') }]),
  );
}

/** All payloads in a history, decoded. */
export function payloadTexts(value: Json): string[] {
  if (isJsonList(value)) return value.flatMap(payloadTexts);
  if (!isJsonObject(value)) return [];
  const data = at(value, '/data');
  const own = typeof data === 'string' ? [textIn(data, at(value, '/metadata/encoding'))] : [];
  return [...own, ...Object.values(value).flatMap(payloadTexts)];
}

/** The text of a payload. @param encoding the encoding in its metadata, in base64 like the data */
export function textIn(data: string, encoding: Json | undefined): string {
  const bytes = Buffer.from(data, 'base64');
  return (encoding === DEFLATE ? inflateRawSync(bytes) : bytes).toString();
}

const DEFLATE = Buffer.from('holdfast/deflate').toString('base64');

function withoutFleeting(value: Json): Json {
  return toJson(JSON.parse(JSON.stringify(value, (key, part: unknown) => (FLEETING.has(key) ? undefined : part))));
}
