import type { Tool } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useAdminRight } from '../../api/use-admin-right.ts';
import { useApi } from '../../api/use-api.ts';
import { usePages } from '../../api/use-pages.ts';
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PagesView } from '../../parts/pages-view.tsx';
import { OthersOff } from './others-off.tsx';
import { ToolCard } from './tool-card.tsx';

const PAGE = { limit: 100 };

/** The tools of the installation, and on which terms graphs may use them. */
export function ToolsPage(): JSX.Element {
  const client = useApi();
  const [sought, setSought] = useState('');
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
        value={sought}
        onChange={({ target }) => setSought(target.value)}
      />
      <OthersOff />
      <PagesView
        pages={pages}
        empty={<Empty title="No tool is there">Tools stand in the configuration, under “tools”.</Empty>}
      >
        {(tools) => <Found tools={tools.filter((tool) => isSought(tool, sought))} />}
      </PagesView>
    </div>
  );
}

function isSought({ name, description }: Tool, sought: string): boolean {
  return `${name} ${description}`.toLowerCase().includes(sought.trim().toLowerCase());
}

function Found({ tools }: { readonly tools: readonly Tool[] }): JSX.Element {
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
