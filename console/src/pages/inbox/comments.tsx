import { useQueryClient } from '@tanstack/react-query';
import type { Approval } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Problem } from '../../parts/notices.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../parts/texts.ts';
import { useKeptDraft, useUnsaved } from '../../session/kept-drafts.ts';

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
      {comments?.map(({ by, at, text: said }) => (
        <div key={`${by} ${at}`}>
          <p className="small-text">
            <strong>{visible(by)}</strong>{' '}
            <span className="muted">
              <Time at={at} />
            </span>
          </p>
          <Markdown text={said} />
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
