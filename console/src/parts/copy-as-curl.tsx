import type { JSX } from 'react';
import { CopyButton } from './copy-button.tsx';
import { toCurl } from './to-curl.ts';
import type { ShownRequest } from './to-curl.ts';

/** Copies the request of the button beside it, for a shell. */
export function CopyAsCurl({ request }: { readonly request: ShownRequest }): JSX.Element {
  return <CopyButton text={() => toCurl(location.origin, request)} label="Copy as curl" />;
}
