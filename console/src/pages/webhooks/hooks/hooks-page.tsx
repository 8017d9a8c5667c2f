import type { Hook } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { usePages } from '../../../api/use-pages.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { PagesView } from '../../../parts/pages-view.tsx';
import { Ago } from '../../../parts/time.tsx';
import { Table } from '../../../parts/table.tsx';
import { WebhookTabs } from '../parts/webhook-tabs.tsx';
import { HookForm } from './hook-form.tsx';
import { RemoveHook } from './remove-hook.tsx';
import { toHook } from './to-hook.ts';

const PAGE = { limit: 100 };

/** The doors for signed messages of other systems, and a form that writes one. @param openId the one in the form */
export function HooksPage({ openId }: { readonly openId: string | null }): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.hooks, 'list'], (options) => client.hooks.list(PAGE, options));
  const open = pages.items?.find(({ id }) => id === openId) ?? null;
  return (
    <div className="stack">
      <PageHeader title="Webhooks" about="Signed messages of other systems start runs, or are events of runs." />
      <WebhookTabs here="/webhooks/hooks" />
      <PagesView pages={pages} empty={<Empty title="There is no hook">Write the first one below.</Empty>}>
        {(hooks) => <Hooks hooks={hooks} />}
      </PagesView>
      <HookForm key={open === null ? '' : `${open.id} ${open.updatedAt}`} hook={open} />
    </div>
  );
}

function Hooks({ hooks }: { readonly hooks: readonly Hook[] }): JSX.Element {
  return (
    <Table label="Hooks" columns={['Name', 'Signed by', 'Does', 'Changed', { forReaders: 'What to do' }]}>
      {hooks.map(({ id, path, scheme, start, event, updatedAt, by }) => (
        <tr key={id}>
          <th scope="row">
            <Link href={toHook(id)}>{id}</Link>
          </th>
          <td>{scheme}</td>
          <td>
            {start && `starts runs of ${start.graph}`}
            {event && `is the event ${event.name} of ${event.run}`}
          </td>
          <td>
            <Ago at={updatedAt} /> by {by}
          </td>
          <td>
            <div className="row">
              <CopyButton text={() => `${location.origin}${path}`} label="Copy the address" />
              <RemoveHook id={id} />
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}
