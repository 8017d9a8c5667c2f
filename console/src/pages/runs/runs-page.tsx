import type { JSX } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function RunsPage(): JSX.Element {
  return (
    <>
      <PageHeader title="Runs" />
      <Empty title="Nothing here yet" />
    </>
  );
}
