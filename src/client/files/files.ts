import type { z } from 'zod';
import type { FileSchema } from '../../api/schemas/file.ts';
import type { Connection } from '../connection.ts';
import { path } from '../path.ts';
import type { CallOptions } from '../send.ts';

export type StoredFile = z.output<typeof FileSchema>;

/** A file to store: a `Blob` with its type, or bytes. */
export type NewFile = Blob | Uint8Array<ArrayBuffer>;

/** Files of the tenant. */
export interface Files {
  /** Stores a file of at most 64 MiB. */
  store(file: NewFile, options?: CallOptions): Promise<StoredFile>;
  /** Gives the bytes of a file, with its media type. */
  read(id: string, options?: CallOptions): Promise<Blob>;
}

export function createFiles({ send }: Connection): Files {
  return {
    store: async (file, options) => await send.json({ method: 'POST', path: '/api/blobs', file }, options),
    read: async (id, options) => await send.file({ method: 'GET', path: path`/api/blobs/${id}` }, options),
  };
}
