import type { Approval } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Notice } from '../../parts/notices.tsx';
import { Ago } from '../../parts/time.tsx';
import { toReassignment } from './decision.ts';

/** Buttons that remind the people who may decide an approval, or assign it to others. */
export function ApprovalActions({ approval }: { readonly approval: Approval }): JSX.Element {
  const { id, remindedAt } = approval;
  const client = useApi();
  return (
    <section className="card stack" aria-label="Remind or reassign">
      <h2>Remind or reassign</h2>
      <p className="muted">
        {typeof remindedAt === 'string' ? (
          <>
            Reminded of <Ago at={remindedAt} />.
          </>
        ) : (
          'Webhooks are told that it still waits.'
        )}
      </p>
      <ActionButton
        label="Remind"
        look="small"
        request={{ method: 'POST', path: `/api/approvals/${encodeURIComponent(id)}/remind`, body: {} }}
        send={async (options) => await client.approvals.remind(id, options)}
        stale={[KEYS.approvals]}
      />
      <Reassign id={id} />
    </section>
  );
}

const SCHEMA = {
  type: 'object',
  properties: {
    roles: { type: 'string', title: 'Roles', description: 'With commas between them' },
    users: { type: 'string', title: 'People', description: 'The subjects of their tokens, with commas between them' },
  },
} as const;

function Reassign({ id }: Pick<Approval, 'id'>): JSX.Element {
  const client = useApi();
  const form = useForm(SCHEMA, undefined);
  const [now, setNow] = useState<string | null>(null);
  const body = toReassignment(form.draft);
  return (
    <details>
      <summary>Give it to others</summary>
      <div className="stack">
        <RequestForm
          form={form}
          legend="Who decides it from now on"
          submit="Reassign"
          request={{ method: 'POST', path: `/api/approvals/${encodeURIComponent(id)}/reassign`, body }}
          send={async (options) => await client.approvals.reassign(id, body, options)}
          stale={[KEYS.approvals]}
          onDone={({ who = '' }) => setNow(who)}
        />
        {now !== null && <Notice kind="ok">It is decided by {now} now.</Notice>}
      </div>
    </details>
  );
}
