import type { FilePart } from '../../../src/graph/definition/message.ts';

/** The first bytes of files, which identify their types. */
export const BYTES = {
  png: Buffer.from('\x89PNG\r\n\x1A\n....', 'latin1'),
  jpeg: Buffer.from('\xFF\xD8\xFF\xE0....', 'latin1'),
  pdf: Buffer.from('%PDF-1.7 ....', 'latin1'),
  text: Buffer.from('The order is lost.'),
} as const;

export function aPicture(over: { readonly blob: string } | { readonly url: string } = { blob: 'B1' }): FilePart {
  return { type: 'image', mediaType: 'image/png', ...over };
}

export function aDocument(
  over: ({ readonly blob: string } | { readonly url: string }) & {
    readonly mediaType?: string;
    readonly name?: string;
  } = {
    blob: 'B2',
  },
): FilePart {
  return { type: 'file', mediaType: 'application/pdf', ...over };
}
