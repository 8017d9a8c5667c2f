import { useQuery } from '@tanstack/react-query';
import type { Call, Run } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.tsx';
import { CopyAsCurl, CopyButton } from '../../../parts/copy-button.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import { Status } from '../../../parts/status.tsx';
import { formatDuration } from '../../../parts/texts.ts';
import { Time } from '../../../parts/time.tsx';

interface CallCardProps {
  readonly run: Run;
  readonly call: Call;
}

/** A call to a model, tool or function, with its request, its reply and its failed attempts. */
export function CallCard({ run, call }: CallCardProps): JSX.Element {
  const { whole, readWhole } = useWholeCall(run.id, call);
  const { kind, name, key, status, request, reply, error, failedAttempts, undoes, local } = whole;
  return (
    <article className="call-card" aria-label={`Call of ${name}`}>
      <h3 className="row">
        {undoes ? `undoes ${name}` : name} <Status of={STATUS_LOOKS[status] ?? status} label={status} />
      </h3>
      <CallFacts call={whole} />
      {error && (
        <div>
          <h4>Error</h4>
          <JsonView value={error} open={2} />
        </div>
      )}
      {failedAttempts.length > 0 && (
        <div>
          <h4>Failed attempts</h4>
          <ol className="plain">
            {failedAttempts.map((attempt) => (
              <li key={attempt.at}>
                <Time at={attempt.at} /> <strong>{attempt.error.code}</strong> {attempt.error.message}
              </li>
            ))}
          </ol>
        </div>
      )}
      <details>
        <summary>{kind === 'model' ? 'Prompt' : 'Arguments'}</summary>
        <Payload value={request} />
      </details>
      <details onToggle={readWhole}>
        <summary>{kind === 'model' ? 'Reply' : 'Result'}</summary>
        <Payload value={reply} />
      </details>
      <div className="actions">
        <CopyButton label="Copy the key" text={() => key} />
        <CopyAsCurl request={{ method: 'GET', path: `/api/runs/${run.id}/calls/${encodeURIComponent(key)}` }} />
        {local && <span className="muted small-text">made without an activity</span>}
      </div>
    </article>
  );
}

/** The looks of call states that `Status` does not know. */
const STATUS_LOOKS: Partial<Record<Call['status'], string>> = { retrying: 'waiting' };

/** Loads a call with its reply: lists leave out large replies. */
function useWholeCall(runId: string, call: Call): { readonly whole: Call; readonly readWhole: () => void } {
  const client = useApi();
  const [isRequested, setRequested] = useState(false);
  const { data } = useQuery({
    queryKey: [...KEYS.run(runId), 'call', call.key],
    queryFn: async ({ signal }) => await client.runs.call(runId, call.key, { signal }),
    enabled: isRequested && call.reply === null && call.status === 'completed',
  });
  return { whole: data ?? call, readWhole: () => setRequested(true) };
}

function CallFacts({ call }: { readonly call: Call }): JSX.Element {
  const { key, attempts, nextAttemptAt, durationMs, usage, costUsd, context, at } = call;
  return (
    <dl className="facts small-text">
      <dt>At</dt>
      <dd>
        <Time at={at} />
        {durationMs !== null && `, took ${formatDuration(durationMs)}`}
      </dd>
      <dt>Attempts</dt>
      <dd>
        {attempts}
        {nextAttemptAt !== null && (
          <>
            , the next at <Time at={nextAttemptAt} />
          </>
        )}
      </dd>
      <dt>Key</dt>
      <dd className="mono">{key}</dd>
      {usage && (
        <>
          <dt>Tokens</dt>
          <dd>
            {usage.inputTokens} in, {usage.outputTokens} out
            {costUsd !== null && `, $${costUsd.toFixed(5)}`}
          </dd>
        </>
      )}
      {context && (
        <>
          <dt>Context</dt>
          <dd>
            {context.tokens} of {context.maxTokens} tokens, {context.dropped} messages left out
          </dd>
        </>
      )}
    </dl>
  );
}

function Payload({ value }: { readonly value: unknown }): JSX.Element {
  if (value === null) return <p className="muted small-text">There is none, or it is not known.</p>;
  return <JsonView value={value} open={4} />;
}
