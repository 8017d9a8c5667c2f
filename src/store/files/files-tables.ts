import type { Time } from '../database/columns.ts';

/** What is known of files, besides their bytes. */
export interface FilesTable {
  id: string;
  tenant_id: string;
  /** Names its pieces. */
  upload_id: string;
  /** In bytes. */
  size: number;
  content_type: string;
  /** In hexadecimal digits. */
  sha256: string;
  created_at: Time;
  created_by: string;
  /** The time when it was stored or last read, a day late at most. */
  used_at: Time;
}

/** Bytes of files, and of uploads that are no file yet. */
export interface FilePiecesTable {
  upload_id: string;
  /** From 0, without gaps. */
  number: number;
  data: Uint8Array;
  created_at: Time;
}
