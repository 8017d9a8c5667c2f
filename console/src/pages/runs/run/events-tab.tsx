import type { Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { JSX } from 'react';
import { CopyAsCurl } from '../../../parts/copy-button.tsx';
import { JsonView } from '../../../parts/json-view.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { isTaskEvent, taskName } from '../data/history.ts';
import type { RunEvent } from '../data/history.ts';
import { useHistory } from '../data/use-run.ts';
import { LongList } from '../parts/long-list.tsx';
import './run.css';

/** All events of a run, as the API returns them. */
export function EventsTab({ run }: { readonly run: Run }): JSX.Element {
  const history = useHistory(run.id);
  return (
    <QueryView query={history} what="Loading the history">
      {(events) => <Events runId={run.id} events={events} />}
    </QueryView>
  );
}

interface EventsProps {
  readonly runId: string;
  readonly events: readonly RunEvent[];
}

const ROW_PX = 38;
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

function Events({ runId, events }: EventsProps): JSX.Element {
  const [text, setText] = useState('');
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const found = useMemo(() => search(events, text), [events, text]);
  const toggle = (seq: number): void => {
    const next = new Set(open);
    if (!next.delete(seq)) next.add(seq);
    setOpen(next);
  };
  return (
    <section className="card stack" aria-label="Events">
      <div className="row">
        <label className="event-search">
          Find
          <input
            type="search"
            value={text}
            placeholder="type, node or text"
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <span className="muted small-text" role="status">
          {found.length} of {events.length}
        </span>
        <CopyAsCurl request={{ method: 'GET', path: `/api/runs/${runId}/history?limit=1000` }} />
      </div>
      <LongList label="All events" items={found} keyOf={({ seq }) => seq} rowPx={ROW_PX}>
        {(event) => <EventRow event={event} isOpen={open.has(event.seq)} onToggle={() => toggle(event.seq)} />}
      </LongList>
    </section>
  );
}

/** Filters events by a text in their JSON. */
function search(events: readonly RunEvent[], text: string): readonly RunEvent[] {
  const searched = text.trim().toLowerCase();
  return searched === '' ? events : events.filter((event) => JSON.stringify(event).toLowerCase().includes(searched));
}

interface EventRowProps {
  readonly event: RunEvent;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function EventRow({ event, isOpen, onToggle }: EventRowProps): JSX.Element {
  const { seq, type, at } = event;
  return (
    <>
      <button type="button" className="long-row event-row" aria-expanded={isOpen} onClick={onToggle}>
        <span className="muted mono">{seq}</span>
        <strong>{type}</strong>
        <span className="cut">{isTaskEvent(event) ? taskName(event) : ''}</span>
        <time className="muted small-text" dateTime={at}>
          {TIME.format(new Date(at))}
        </time>
      </button>
      {isOpen && (
        <div className="event-whole">
          <JsonView value={event} open={3} />
        </div>
      )}
    </>
  );
}
