import type { JSX } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function InboxPage(): JSX.Element {
  return (
    <>
      <PageHeader title="Inbox" />
      <Empty title="Nothing here yet" />
    </>
  );
}
