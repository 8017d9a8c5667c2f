import type { LedgerRow } from 'holdfast/client';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { usePages } from '../../../api/use-pages.ts';
import { CopyAsCurl } from '../../../parts/copy-as-curl.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { PagesView } from '../../../parts/pages-view.tsx';
import { Status } from '../../../parts/status.tsx';
import { Ago, Time } from '../../../parts/time.tsx';
import { Table } from '../../../parts/table.tsx';
import { LOOKS, open, tellUnknownOutcomes, withUnknownOutcome } from './unknown-outcomes.ts';

const PAGE = { limit: 100 };

/** The calls of a run, as the ledger has them. */
export function Ledger({ runId }: { readonly runId: string }): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.admin, 'ledger', runId], (options) => client.admin.ledger(runId, PAGE, options));
  return (
    <section className="card stack" aria-label="Ledger">
      <div className="row">
        <h2>Ledger</h2>
        <CopyAsCurl request={{ method: 'GET', path: `/admin/runs/${encodeURIComponent(runId)}/ledger` }} />
      </div>
      <PagesView pages={pages} empty={<Empty title="It has made no call that the ledger keeps" />}>
        {(rows) => (
          <>
            <UnknownOutcomes rows={rows} hasMore={pages.hasMore} />
            <Table label="Calls in the ledger" columns={['Status', 'Node', 'Called', 'Failures', 'Claimed', 'Key']}>
              {rows.map((row) => (
                <Row key={row.key} row={row} />
              ))}
            </Table>
          </>
        )}
      </PagesView>
    </section>
  );
}

interface UnknownOutcomesProps {
  readonly rows: readonly LedgerRow[];
  readonly hasMore: boolean;
}

function UnknownOutcomes({ rows, hasMore }: UnknownOutcomesProps): JSX.Element {
  const told = tellUnknownOutcomes(rows, hasMore);
  if (withUnknownOutcome(rows).length === 0)
    return (
      <p className="muted">
        {told}; {open(rows).length} are not over.
      </p>
    );
  return (
    <Notice kind="bad">
      <strong>{told}</strong>
      <p>
        No record says if they were made. Look at the other side by their keys, then retry or skip on the page of the
        run.
      </p>
    </Notice>
  );
}

function Row({ row }: { readonly row: LedgerRow }): JSX.Element {
  const { key, node, index, called, status, takeover, failures, failure, nextAttemptAt, claimedAt } = row;
  return (
    <tr>
      <td>
        <Status of={LOOKS[status]} label={status} />
        {nextAttemptAt !== null && (
          <p className="small-text">
            next attempt <Ago at={nextAttemptAt} />
          </p>
        )}
      </td>
      <td>
        {node}
        {index !== null && ` [${index}]`}
      </td>
      <td>{called}</td>
      <td>
        {failures}
        {takeover > 0 && <p className="small-text">taken over {takeover} times</p>}
        {failure && <p className="small-text">{`${failure.error.code}: ${failure.error.message}`}</p>}
      </td>
      <td>
        <Time at={claimedAt} />
      </td>
      <td>
        <code>{key}</code>
      </td>
    </tr>
  );
}
