import type { z } from 'zod';
import type { CallOptions, Connection } from './send.ts';
import type { FileSchema } from '../api/schemas/file.ts';
import { toPath } from './listing.ts';

export type StoredFile = z.output<typeof FileSchema>;

/** A file to store: a `Blob` with its type, or bytes. */
export type NewFile = Blob | Uint8Array<ArrayBuffer>;

/** Files of the tenant. */
export interface Files {
  /** Stores a file of at most 64 MiB. */
  store(file: NewFile, options?: CallOptions): Promise<StoredFile>;
  /** Returns the content of a file as a `Blob` with its media type. */
  read(id: string, options?: CallOptions): Promise<Blob>;
}

export function createFiles({ send }: Connection): Files {
  return {
    store: async (file, options) => await send.json({ method: 'POST', path: '/api/blobs', file }, options),
    read: async (id, options) => await send.file({ method: 'GET', path: toPath`/api/blobs/${id}` }, options),
  };
}
