import { z } from '@hono/zod-openapi';
import { FILE_EXAMPLE } from './examples/file.ts';
import { Time } from './common.ts';

/** The bytes of a file. */
export const FileBytes = z.string().openapi({ format: 'binary', description: 'The bytes as they are' });

export const FileSchema = z
  .object({
    id: z.string(),
    size: z.int().openapi({ description: 'In bytes' }),
    contentType: z.string(),
    sha256: z.string().openapi({ description: 'The SHA-256 of the bytes, in hexadecimal digits' }),
    createdAt: Time,
    by: z.string().openapi({ description: 'Who stored it' }),
  })
  .openapi('File', { example: FILE_EXAMPLE });
