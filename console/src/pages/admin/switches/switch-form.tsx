import type { Switch } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { useSearchParams } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { RequestForm } from '../../../form/request-form.tsx';
import { useForm } from '../../../form/use-form.ts';
import { KINDS, readSwitch, toSwitchForm } from './switch-draft.ts';
import { switchPath } from './switch-path.ts';

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
  /** The one that is turned; `null` for a new one. */
  readonly turned: Switch | null;
  readonly onDone: () => void;
}

/** Switches a thing off, or on again. */
export function SwitchForm({ turned, onDone }: SwitchFormProps): JSX.Element {
  const client = useApi();
  const [search] = useSearchParams();
  const [initial] = useState(() => toSwitchForm(turned, search));
  const form = useForm(SCHEMA, initial);
  const wanted = readSwitch(form.value);
  const { kind, name, ...body } = wanted;
  return (
    <section className="card narrow" aria-label="Turn a switch">
      <RequestForm
        form={form}
        legend={turned === null ? 'Switch something off or on' : `Switch ${turned.kind} ${turned.name}`}
        submit={wanted.state === 'off' ? 'Switch off' : 'Switch on'}
        request={{ method: 'PUT', path: switchPath({ kind, name }), body }}
        send={async (options) => await client.admin.setSwitch(wanted, options)}
        stale={[KEYS.admin, KEYS.tools, KEYS.anyRun]}
        onDone={onDone}
      />
    </section>
  );
}
