import { createHmac } from 'node:crypto';

/** Names content by codes that tell nothing about it. The code of a guessed content can't be made without the secret. */
export interface Seals {
  /** Returns 64 hexadecimal digits. @param kind keeps codes of different use apart */
  of(kind: string, content: unknown): string;
}

/** @param secret of the installation, the same for all API processes */
export function createSeals(secret: string): Seals {
  const key = createHmac('sha256', secret).update('seals').digest();
  return {
    of: (kind, content) =>
      createHmac('sha256', key)
        .update(JSON.stringify([kind, content]))
        .digest('hex'),
  };
}
