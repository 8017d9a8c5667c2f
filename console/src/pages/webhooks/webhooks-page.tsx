import type { JSX } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function WebhooksPage(): JSX.Element {
  return (
    <>
      <PageHeader title="Webhooks" />
      <Empty title="Nothing here yet" />
    </>
  );
}
