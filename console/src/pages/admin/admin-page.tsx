import type { JSX } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function AdminPage(): JSX.Element {
  return (
    <>
      <PageHeader title="Admin" />
      <Empty title="Nothing here yet" />
    </>
  );
}
