import type { HoldfastError } from '../../client/index.ts';

/** Describes a request that was not served, in one line. */
export function refusalInWords({ status, code, detail, mayTakeEffect }: HoldfastError): string {
  const what = status === null ? detail : `The API answered ${status} ${code}: ${detail}`;
  return mayTakeEffect ? `${what} (it may take effect all the same: look before you send it again)` : what;
}
