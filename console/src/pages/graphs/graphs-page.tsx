import type { JSX } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function GraphsPage(): JSX.Element {
  return (
    <>
      <PageHeader title="Graphs" />
      <Empty title="Nothing here yet" />
    </>
  );
}
