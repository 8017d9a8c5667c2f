import { useState } from 'react';
import type { JSX } from 'react';
import { Icon } from './icon.tsx';
import { toCurl } from './to-curl.ts';
import type { ApiRequest } from './to-curl.ts';

interface CopyButtonProps {
  readonly text: () => string;
  readonly label: string;
}

const CONFIRMATION_MS = 2_000;

/** A button that copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label }: CopyButtonProps): JSX.Element {
  const [confirmation, setConfirmation] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    const outcome = await navigator.clipboard.writeText(text()).then(
      () => 'Copied',
      () => 'The browser forbids it',
    );
    setConfirmation(outcome);
    setTimeout(() => setConfirmation(null), CONFIRMATION_MS);
  };
  return (
    <button type="button" className="button quiet small" onClick={() => void copy()}>
      <Icon name={confirmation === 'Copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{confirmation ?? label}</span>
    </button>
  );
}

/** A button that copies a request as a shell command. */
export function CopyAsCurl({ request }: { readonly request: ApiRequest }): JSX.Element {
  return <CopyButton text={() => toCurl(location.origin, request)} label="Copy as curl" />;
}
