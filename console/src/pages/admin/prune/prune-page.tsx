import type { Pruned } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { ActionButton } from '../../../parts/action-button.tsx';
import { COUNTED, isAnyCounted } from './counted.ts';

const PATH = '/admin/prune';

/** Forgets what has outlived the retention of the configuration: it is counted first. */
export function PrunePage(): JSX.Element {
  const client = useApi();
  const [pruned, setPruned] = useState<Pruned | null>(null);
  return (
    <section className="card stack" aria-label="Retention">
      <h2>What has outlived its retention</h2>
      <p className="muted">Holdfast forgets it by itself, once an hour. Here it is done at once, for all tenants.</p>
      <div className="row">
        <ActionButton
          label="Count"
          request={{ method: 'POST', path: PATH, body: { dryRun: true } }}
          send={async (options) => await client.admin.prune({ dryRun: true }, options)}
          stale={[]}
          onDone={setPruned}
        />
        <ActionButton
          label="Forget it"
          look="danger"
          disabled={pruned?.dryRun !== true || !isAnyCounted(pruned)}
          warning="What was counted goes for good."
          request={{ method: 'POST', path: PATH, body: { dryRun: false } }}
          send={async (options) => await client.admin.prune({ dryRun: false }, options)}
          stale={[KEYS.admin, KEYS.runs]}
          onDone={setPruned}
        />
      </div>
      <div role="status">{pruned && <Counted pruned={pruned} />}</div>
    </section>
  );
}

function Counted({ pruned }: { readonly pruned: Pruned }): JSX.Element {
  return (
    <>
      <p>{pruned.dryRun ? 'So much would go:' : 'So much went:'}</p>
      <dl className="facts">
        {COUNTED.map((name) => (
          <div key={name} className="facts-row">
            <dt>{name}</dt>
            <dd>{pruned[name]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
