import type { Tool } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useAdminRight, useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Empty, Notice } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ToolCard } from './tool-card.tsx';
import { Ago } from '../../parts/time.tsx';

const PAGE = { limit: 100 };

/** The tools of the installation, with the terms on which graphs may use them. */
export function ToolsPage(): JSX.Element {
  const client = useApi();
  const [searchText, setSearchText] = useState('');
  const pages = usePages([...KEYS.tools, 'list'], (options) => client.tools.list(PAGE, options));
  return (
    <div className="stack">
      <PageHeader title="Tools" about="What graphs may have done. Their terms stand in the configuration.">
        <CopyAsCurl request={{ method: 'GET', path: '/api/tools' }} />
      </PageHeader>
      <input
        type="search"
        aria-label="Find a tool"
        placeholder="Name or description"
        value={searchText}
        onChange={({ target }) => setSearchText(target.value)}
      />
      <OtherSwitches />
      <PagesView
        pages={pages}
        empty={<Empty title="No tool is there">Tools stand in the configuration, under “tools”.</Empty>}
      >
        {(tools) => <FilteredTools tools={tools.filter((tool) => matches(tool, searchText))} />}
      </PagesView>
    </div>
  );
}

function matches({ name, description }: Tool, searchText: string): boolean {
  return `${name} ${description}`.toLowerCase().includes(searchText.trim().toLowerCase());
}

function FilteredTools({ tools }: { readonly tools: readonly Tool[] }): JSX.Element {
  const { data: isAdmin = false } = useAdminRight();
  return (
    <>
      <p className="for-readers" role="status">
        {tools.length} tools
      </p>
      {tools.length === 0 && <Empty title="No tool is like that" />}
      {tools.map((tool) => (
        <ToolCard key={tool.name} tool={tool} isAdmin={isAdmin} />
      ))}
    </>
  );
}

const MOST = { limit: 200 };

/** Shows administrators what is switched off besides tools: models, functions, node types and graphs. */
function OtherSwitches(): JSX.Element | null {
  const client = useApi();
  const { data: isAdmin } = useAdminRight();
  const { data } = useQuery({
    queryKey: [...KEYS.admin, 'others-off'],
    enabled: isAdmin === true,
    queryFn: async ({ signal }) => await client.admin.switches(MOST, { signal }).page(),
  });
  const off = data?.items.filter(({ kind, state }) => kind !== 'tool' && state === 'off') ?? [];
  if (off.length === 0) return null;
  return (
    <Notice kind="warn">
      <p>
        These are <Link href="/admin/switches">switched off</Link>, too:
      </p>
      <ul className="plain">
        {off.map(({ kind, name, reason, tenants, changedAt }) => (
          <li key={`${kind} ${name}`}>
            {kind} <code>{name}</code>, <Ago at={changedAt} />
            {tenants !== null && `, for ${tenants.join(', ')}`}: {reason}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
