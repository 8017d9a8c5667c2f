import type { JSX } from 'react';
import { Link } from 'wouter';

const TABS = { '/webhooks': 'We tell others', '/webhooks/hooks': 'Others tell us' } as const;

/** The two directions in which messages go. */
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
