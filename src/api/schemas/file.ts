import { Time } from './common.ts';
import { z } from './zod.ts';

const FILE_EXAMPLE = {
  id: '01M800C2QZ8J5V4T6W3X9Y7B1D',
  size: 48_213,
  contentType: 'application/pdf',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  createdAt: '2026-11-24T09:25:00.000Z',
  by: 'uma',
};

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
