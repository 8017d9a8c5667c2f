import type { Switch } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { useSearchParams } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { ActionButton } from '../../parts/action-button.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Changed } from './tenant-page.tsx';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { KINDS, readSwitch, toSwitchForm } from './drafts.ts';

const PAGE = { limit: 100 };

/** The switches with their states, and a form that sets one. */
export function SwitchesPage(): JSX.Element {
  const client = useApi();
  const [turned, setTurned] = useState<Switch | null>(null);
  const pages = usePages([...KEYS.admin, 'switches'], (options) => client.admin.switches(PAGE, options));
  return (
    <>
      <div className="row">
        <p className="muted">What has no switch is on. Calls of what is off wait, and go on once it is on.</p>
        <CopyAsCurl request={{ method: 'GET', path: '/admin/switches' }} />
      </div>
      <PagesView pages={pages} empty={<Empty title="Nothing is switched off" />}>
        {(switches) => <Switches switches={switches} onTurn={setTurned} />}
      </PagesView>
      <SwitchForm
        key={turned === null ? '' : `${turned.kind} ${turned.name} ${turned.changedAt}`}
        turned={turned}
        onDone={() => setTurned(null)}
      />
    </>
  );
}

interface SwitchesProps {
  readonly switches: readonly Switch[];
  readonly onTurn: (turned: Switch) => void;
}

const COLUMNS = ['What', 'State', 'Why', 'For', 'Changed', { forReaders: 'What to do' }] as const;

function Switches({ switches, onTurn }: SwitchesProps): JSX.Element {
  return (
    <Table label="Switches" columns={COLUMNS}>
      {switches.map((one) => (
        <tr key={`${one.kind} ${one.name}`}>
          <th scope="row">
            {one.kind} <code>{one.name}</code>
          </th>
          <td>
            <Status of={one.state === 'off' ? 'disabled' : 'active'} label={one.state} />
          </td>
          <td>{one.reason}</td>
          <td>{one.tenants === null ? 'all' : one.tenants.join(', ')}</td>
          <td>
            <Changed at={one.changedAt} by={one.changedBy} />
          </td>
          <td>
            <div className="row">
              <button type="button" className="button small" onClick={() => onTurn(one)}>
                {one.state === 'off' ? 'Switch on…' : 'Switch off…'}
                <span className="for-readers">
                  {' '}
                  {one.kind} {one.name}
                </span>
              </button>
              <ForgetSwitch which={one} />
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function ForgetSwitch({ which }: { readonly which: Switch }): JSX.Element {
  const client = useApi();
  const { kind, name } = which;
  return (
    <ActionButton
      label="Forget"
      of={`the switch of ${kind} ${name}`}
      look="small"
      warning={`The ${kind} ${name} is on then.`}
      request={{ method: 'DELETE', path: switchPath(which) }}
      send={async (options) => await client.admin.removeSwitch({ kind, name }, options)}
      stale={[KEYS.admin, KEYS.tools, KEYS.anyRun]}
    />
  );
}

const SCHEMA = {
  type: 'object',
  required: ['kind', 'name', 'state', 'reason'],
  properties: {
    kind: { title: 'What', oneOf: KINDS },
    name: { type: 'string', title: 'Its name', description: 'As graphs use it; of a graph, its own' },
    state: {
      title: 'Is',
      oneOf: [
        { const: 'off', title: 'off: its calls wait, no run of the graph begins' },
        { const: 'on', title: 'on' },
      ],
    },
    reason: { type: 'string', title: 'Why', description: 'Is told to whoever meets it' },
    tenants: { type: 'string', title: 'Only for the tenants', description: 'Names with commas; empty: for all' },
  },
};

interface SwitchFormProps {
  /** The switch to change; `null` for a new one. */
  readonly turned: Switch | null;
  readonly onDone: () => void;
}

/** The form that switches something off, or on again. */
function SwitchForm({ turned, onDone }: SwitchFormProps): JSX.Element {
  const client = useApi();
  const [search] = useSearchParams();
  const [initial] = useState(() => toSwitchForm(turned, search));
  const form = useForm(SCHEMA, initial);
  const requested = readSwitch(form.value);
  const { kind, name, ...body } = requested;
  return (
    <section className="card narrow" aria-label="Turn a switch">
      <RequestForm
        form={form}
        legend={turned === null ? 'Switch something off or on' : `Switch ${turned.kind} ${turned.name}`}
        submit={requested.state === 'off' ? 'Switch off' : 'Switch on'}
        request={{ method: 'PUT', path: switchPath({ kind, name }), body }}
        send={async (options) => await client.admin.setSwitch(requested, options)}
        stale={[KEYS.admin, KEYS.tools, KEYS.anyRun]}
        onDone={onDone}
      />
    </section>
  );
}

/** The path of a switch in the API. */
function switchPath({ kind, name }: Pick<Switch, 'kind' | 'name'>): string {
  return `/admin/switches/${kind}/${encodeURIComponent(name)}`;
}
