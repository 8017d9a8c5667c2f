import type { Hook } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link, useLocation } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages, PagesView } from '../../parts/query-view.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Ago } from '../../parts/time.tsx';
import { Table } from '../../parts/table.tsx';
import { WebhookTabs } from './webhook-parts.tsx';
import { toHook, hookPath } from '../paths.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { RequestForm } from '../../form/request-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { SCHEMES, readHook, toHookForm } from './hook-draft.ts';

const PAGE = { limit: 100 };

/** The hooks, which receive signed messages of other systems, and a form that sets one. @param openId the hook in the form */
export function HooksPage({ openId }: { readonly openId: string | null }): JSX.Element {
  const client = useApi();
  const pages = usePages([...KEYS.hooks, 'list'], (options) => client.hooks.list(PAGE, options));
  const open = pages.items?.find(({ id }) => id === openId) ?? null;
  return (
    <div className="stack">
      <PageHeader title="Webhooks" about="Signed messages of other systems start runs, or are events of runs." />
      <WebhookTabs here="/webhooks/hooks" />
      <PagesView pages={pages} empty={<Empty title="There is no hook">Write the first one below.</Empty>}>
        {(hooks) => <Hooks hooks={hooks} />}
      </PagesView>
      <HookForm key={open === null ? '' : `${open.id} ${open.updatedAt}`} hook={open} />
    </div>
  );
}

function Hooks({ hooks }: { readonly hooks: readonly Hook[] }): JSX.Element {
  return (
    <Table label="Hooks" columns={['Name', 'Signed by', 'Does', 'Changed', { forReaders: 'What to do' }]}>
      {hooks.map(({ id, path, scheme, start, event, updatedAt, by }) => (
        <tr key={id}>
          <th scope="row">
            <Link href={toHook(id)}>{id}</Link>
          </th>
          <td>{scheme}</td>
          <td>
            {start && `starts runs of ${start.graph}`}
            {event && `is the event ${event.name} of ${event.run}`}
          </td>
          <td>
            <Ago at={updatedAt} /> by {by}
          </td>
          <td>
            <div className="row">
              <CopyButton text={() => `${location.origin}${path}`} label="Copy the address" />
              <RemoveHook id={id} />
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function RemoveHook({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  return (
    <ActionButton
      label="Remove"
      of={id}
      look="small"
      warning={`Messages to ${id} are refused then.`}
      request={{ method: 'DELETE', path: hookPath(id) }}
      send={async (options) => await client.hooks.remove(id, options)}
      stale={[KEYS.hooks]}
    />
  );
}

const SCHEMA = {
  type: 'object',
  required: ['id', 'scheme', 'does'],
  properties: {
    id: { type: 'string', title: 'Name', description: 'The end of its address; an old one is written over' },
    scheme: { title: 'Signed by', enum: SCHEMES },
    secretName: {
      type: 'string',
      title: 'The name of its secret',
      description: 'One of the secrets of the installation',
    },
    secret: {
      type: 'string',
      title: 'Or the secret itself',
      description: 'It is stored and never shown; a change needs it again',
    },
    does: {
      title: 'A message',
      oneOf: [
        { const: 'start', title: 'starts a run' },
        { const: 'event', title: 'is an event of a run' },
      ],
    },
    graph: { type: 'string', title: 'Starts a run of', description: 'A graph, perhaps with a version or alias' },
    input: { title: 'With this input', description: 'JSON; texts may have {{ body.… }} and {{ headers.… }}' },
    run: { type: 'string', title: 'Is an event of the run', description: 'Its id, such as {{ body.runId }}' },
    event: { type: 'string', title: 'With this name' },
  },
};

/** Fields that only one of the two kinds of hooks has. */
const OF_KIND: Readonly<Record<string, readonly string[]>> = { start: ['graph', 'input'], event: ['run', 'event'] };

/** The form that sets a hook. @param hook the hook to change; `null` for a new one */
function HookForm({ hook }: { readonly hook: Hook | null }): JSX.Element {
  const client = useApi();
  const [, navigate] = useLocation();
  const [initial] = useState(() => toHookForm(hook));
  const form = useForm(SCHEMA, initial);
  const { id, hook: body } = readHook(form.value);
  const kind = body.event === undefined ? 'start' : 'event';
  const hidden = OF_KIND[kind === 'start' ? 'event' : 'start'] ?? [];
  const visibleForm = { ...form, fields: form.fields?.filter(({ name }) => !hidden.includes(name)) ?? null };
  return (
    <section className="card narrow" aria-label="Write a hook">
      <RequestForm
        form={visibleForm}
        legend={hook === null ? 'New hook' : `Change ${hook.id}`}
        pointer=""
        submit="Save"
        request={{ method: 'PUT', path: hookPath(id), body: { ...body, secret: hideSecret(body.secret) } }}
        send={async (options) => await client.hooks.put(id, body, options)}
        stale={[KEYS.hooks]}
        onDone={(saved) => navigate(toHook(saved.id))}
      />
    </section>
  );
}

/** Hides secrets in a copied command, which ends up in the history of a shell. */
function hideSecret(secret: unknown): unknown {
  return typeof secret === 'string' ? '…' : secret;
}
