import type { JSX } from 'react';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Notice } from '../../../parts/notice.tsx';

/** A secret, the one time that it is shown; `null`: the format has none. */
export function ShownSecret({ secret }: { readonly secret: string | null }): JSX.Element {
  if (secret === null) return <Notice kind="ok">Its messages have no signature: the address is the secret.</Notice>;
  return (
    <Notice kind="warn">
      <strong>The secret is shown this once. Give it to the receiver.</strong>
      <code className="secret">{secret}</code>
      <CopyButton text={() => secret} label="Copy the secret" />
    </Notice>
  );
}
