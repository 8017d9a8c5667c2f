import { open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';

/** A log that grows. Its file may be emptied, and another one may take its place. */
export interface GrowingLog {
  /** Reads the lines that have been finished since the last time. */
  read(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Opens a log, to be read from its first line on. @throws if there is no such file */
export async function openLog(file: string): Promise<GrowingLog> {
  let reader = await openReader(file);
  return {
    async read() {
      const isReplaced = await reader.isReplacedBy(file);
      // The old file is read to its end: nothing is written into it any more.
      const lines = await reader.read();
      if (!isReplaced) return lines;
      const next = await openReader(file);
      await reader.close();
      reader = next;
      return [...lines, ...(await reader.read())];
    },
    close: async () => await reader.close(),
  };
}

interface Reader extends GrowingLog {
  isReplacedBy(file: string): Promise<boolean>;
}

const CHUNK = 65_536;

/** Reads one file, which stays the same when it gets another name. */
async function openReader(file: string): Promise<Reader> {
  const handle = await open(file);
  const { ino, dev } = await handle.stat();
  const buffer = Buffer.alloc(CHUNK);
  let decoder = new StringDecoder();
  let position = 0;
  let unfinished = '';
  return {
    async isReplacedBy(path) {
      const now = await stat(path).catch(() => null);
      return now !== null && (now.ino !== ino || now.dev !== dev);
    },
    async read() {
      if ((await handle.stat()).size < position) [decoder, position, unfinished] = [new StringDecoder(), 0, ''];
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        unfinished += decoder.write(buffer.subarray(0, bytesRead));
      }
      const lines = unfinished.split('\n');
      unfinished = lines.pop() ?? '';
      return lines;
    },
    close: async () => await handle.close(),
  };
}
