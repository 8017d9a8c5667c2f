import type { JSX } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function SchedulesPage(): JSX.Element {
  return (
    <>
      <PageHeader title="Schedules" />
      <Empty title="Nothing here yet" />
    </>
  );
}
