import { useQuery } from '@tanstack/react-query';
import type { Schedule } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link, useLocation } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { Status } from '../../parts/status.tsx';
import { Time, Ago } from '../../parts/time.tsx';
import { formatTimes } from './schedule-draft.ts';
import { BackfillForm, LastFires } from './fires.tsx';
import { ChangeForm } from './schedule-form.tsx';
import { Notice } from '../../parts/notices.tsx';

/** The page of a schedule: its times, its last fires, and its actions. */
export function SchedulePage({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  const query = useQuery({
    queryKey: [...KEYS.schedules, 'one', id],
    queryFn: async ({ signal }) => await client.schedules.get(id, { signal }),
    refetchInterval: 15_000,
  });
  return (
    <div className="stack">
      <Link href="/schedules" className="small-text">
        All schedules
      </Link>
      <QueryView query={query} what="Opening the schedule">
        {(schedule) => <Opened schedule={schedule} />}
      </QueryView>
    </div>
  );
}

function Opened({ schedule }: { readonly schedule: Schedule }): JSX.Element {
  const { graph, paused, input } = schedule;
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <PageHeader title={graph} about={formatTimes(schedule)}>
        <Status of={paused ? 'paused' : 'active'} />
      </PageHeader>
      <Actions schedule={schedule} isChanging={isChanging} onChange={() => setChanging(!isChanging)} />
      {isChanging && <ChangeForm schedule={schedule} onDone={() => setChanging(false)} />}
      <NextTimes schedule={schedule} />
      <LastFires schedule={schedule} />
      <section className="card stack" aria-label="Its runs">
        <h2>Its runs</h2>
        <Facts schedule={schedule} />
        <h3>Input</h3>
        <JsonView value={input} />
      </section>
      <BackfillForm schedule={schedule} />
    </>
  );
}

function Facts({ schedule }: { readonly schedule: Schedule }): JSX.Element {
  const { overlap, threadId, metadata, limits, owner, createdAt, createdBy, updatedAt, updatedBy } = schedule;
  return (
    <dl className="facts">
      <dt>While one is not over</dt>
      <dd>{overlap}</dd>
      <dt>Thread</dt>
      <dd>{threadId ?? 'none'}</dd>
      <dt>Act as</dt>
      <dd>{owner}</dd>
      <dt>Changed</dt>
      <dd>
        <Time at={updatedAt} /> by {updatedBy}
      </dd>
      <dt>Made</dt>
      <dd>
        <Time at={createdAt} /> by {createdBy}
      </dd>
      <dt>Metadata</dt>
      <dd>
        <JsonView value={metadata} />
      </dd>
      <dt>Limits</dt>
      <dd>
        <JsonView value={limits} />
      </dd>
    </dl>
  );
}

interface ActionsProps {
  readonly schedule: Schedule;
  readonly isChanging: boolean;
  readonly onChange: () => void;
}

function Actions({ schedule: { id, paused }, isChanging, onChange }: ActionsProps): JSX.Element {
  const client = useApi();
  const [, navigate] = useLocation();
  const path = `/api/schedules/${encodeURIComponent(id)}`;
  const stale = [KEYS.schedules, KEYS.runs];
  return (
    <div className="row">
      <ActionButton
        label={paused ? 'Go on' : 'Pause'}
        icon={paused ? 'play' : 'pause'}
        request={{ method: 'PATCH', path, body: { paused: !paused } }}
        send={async (options) => await client.schedules.change(id, { paused: !paused }, options)}
        stale={stale}
      />
      <ActionButton
        label="Start one now"
        request={{ method: 'POST', path: `${path}/trigger`, body: {} }}
        send={async (options) => await client.schedules.trigger(id, options)}
        stale={stale}
      />
      <button type="button" className="button" aria-expanded={isChanging} onClick={onChange}>
        Change
      </button>
      <ActionButton
        label="Delete"
        look="danger"
        warning="The schedule goes for good. Its runs go on."
        request={{ method: 'DELETE', path }}
        send={async (options) => await client.schedules.remove(id, options)}
        stale={[[...KEYS.schedules, 'list']]}
        onDone={() => navigate('/schedules')}
      />
    </div>
  );
}

/** The next fire times of a schedule. */
function NextTimes({ schedule: { paused, nextTimes } }: { readonly schedule: Schedule }): JSX.Element {
  return (
    <section className="card stack" aria-label="Next times">
      <h2>Next times</h2>
      {paused && <p className="muted">None while it is paused.</p>}
      {nextTimes === null && <Notice kind="warn">Temporal does not say at the moment.</Notice>}
      {nextTimes !== null && !paused && (
        <ol className="times">
          {nextTimes.map((at) => (
            <li key={at}>
              <Time at={at} />{' '}
              <span className="muted">
                <Ago at={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
