import { readFile, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { z } from 'zod';
import { isJsonList, isJsonObject } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { Blob, Blobs } from '../../../src/store/blobs/blobs.ts';
import type { History } from './executions.ts';
import { at, listAt } from './json-at.ts';
import { payloadText } from './payload-text.ts';

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
  return {
    put: async () => undefined,
    find: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const blob = blobs[id];
          return blob ? [[id, readBlob(blob)]] : [];
        }),
      ),
    get: async (ids) =>
      ids.map((id) => {
        const blob = blobs[id];
        if (!blob) throw new RangeError(`The recording has no blob ${id}`);
        return readBlob(blob);
      }),
  };
}

function readBlob({ metadata, data }: Recording['blobs'][string]): Blob {
  return { metadata, data: gunzipSync(Buffer.from(data, 'base64')) };
}

/** The texts of all payloads of a recording, including those that were stored by reference. */
export function textsIn({ executions, blobs }: Recording): string[] {
  const stored = Object.values(blobs).map(readBlob);
  return [
    ...executions.flatMap(payloadTexts),
    ...stored.map(({ metadata, data }) => payloadText({ metadata: encodingOf(metadata['encoding']), data })),
  ];
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
  const metadata = encodingOf(at(value, '/metadata/encoding'));
  const own = typeof data === 'string' ? [payloadText({ metadata, data: Buffer.from(data, 'base64') })] : [];
  return [...own, ...Object.values(value).flatMap(payloadTexts)];
}

/** The metadata of a payload with an encoding, which is given in base64. */
function encodingOf(encoding: Json | undefined) {
  return typeof encoding === 'string' ? { encoding: Buffer.from(encoding, 'base64') } : {};
}

function withoutFleeting(value: Json): Json {
  return toJson(JSON.parse(JSON.stringify(value, (key, part: unknown) => (FLEETING.has(key) ? undefined : part))));
}
