import type { JSX } from 'react';
import { Link } from 'wouter';
import type { Webhook } from 'holdfast/client';
import { Status } from '../../parts/status.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Notice } from '../../parts/notices.tsx';

const TABS = { '/webhooks': 'We tell others', '/webhooks/hooks': 'Others tell us' } as const;

/** Tabs for outgoing and incoming messages. */
export function WebhookTabs({ here }: { readonly here: keyof typeof TABS }): JSX.Element {
  return (
    <nav className="tabs" aria-label="Directions">
      {Object.entries(TABS).map(([path, label]) => (
        <Link key={path} href={path} aria-current={path === here ? 'page' : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

const REASONS = { gone: 'disabled: it is gone', failing: 'disabled: it kept failing' } as const;

/** The status of a webhook: active, failing or disabled. */
export function WebhookState({ of: { disabled, failingSince } }: { readonly of: Webhook }): JSX.Element {
  if (disabled) return <Status of="disabled" label={REASONS[disabled.reason]} />;
  return failingSince === null ? <Status of="active" /> : <Status of="failed" label="failing" />;
}

/** Shows a new secret, which the API returns only once; `null` if the format has none. */
export function SecretNotice({ secret }: { readonly secret: string | null }): JSX.Element {
  if (secret === null) return <Notice kind="ok">Its messages have no signature: the address is the secret.</Notice>;
  return (
    <Notice kind="warn">
      <strong>The secret is shown this once. Give it to the receiver.</strong>
      <code className="secret">{secret}</code>
      <CopyButton text={() => secret} label="Copy the secret" />
    </Notice>
  );
}
