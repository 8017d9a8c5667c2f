import type { JSX } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function ToolsPage(): JSX.Element {
  return (
    <>
      <PageHeader title="Tools" />
      <Empty title="Nothing here yet" />
    </>
  );
}
