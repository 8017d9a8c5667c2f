import { useQueryClient } from '@tanstack/react-query';
import type { Approval } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.tsx';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Notice, Problem } from '../../parts/notices.tsx';
import { visible } from '../../parts/texts.ts';
import { Ago, Time } from '../../parts/time.tsx';
import { useKeptDraft, useUnsaved } from '../../session/kept-drafts.ts';
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

/** The comments on an approval, and a form that adds one. */
export function Comments({ approval: { id, comments } }: { readonly approval: Approval }): JSX.Element {
  const client = useApi();
  const queries = useQueryClient();
  const kept = useKeptDraft<string>(`comment ${id}`, 'comment');
  const [text, setText] = useState(kept.found ?? '');
  const write = (next: string): void => {
    setText(next);
    kept.keep(next === '' ? null : next);
  };
  useUnsaved(text !== '');
  const comment = useAction<void, Approval>({
    send: async (_, options) => await client.approvals.comment(id, text, options),
    stale: [],
    onDone(approval) {
      queries.setQueryData(KEYS.approval(id), approval);
      write('');
    },
  });
  return (
    <section className="card stack" aria-label="Comments">
      <h2>Comments</h2>
      {comments?.map(({ by, at, text: commentText }) => (
        <div key={`${by} ${at}`}>
          <p className="small-text">
            <strong>{visible(by)}</strong>{' '}
            <span className="muted">
              <Time at={at} />
            </span>
          </p>
          <Markdown text={commentText} />
        </div>
      ))}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          comment.send();
        }}
      >
        <textarea
          aria-label="A comment"
          placeholder="Ask or add something; nothing is decided by it"
          value={text}
          onChange={(event) => write(event.target.value)}
        />
        <div className="row">
          <button type="submit" className="button small" disabled={text.trim() === '' || comment.isSending}>
            Comment
          </button>
          <CopyAsCurl
            request={{ method: 'POST', path: `/api/approvals/${encodeURIComponent(id)}/comment`, body: { text } }}
          />
        </div>
        {comment.error !== null && <Problem error={comment.error} />}
      </form>
    </section>
  );
}
