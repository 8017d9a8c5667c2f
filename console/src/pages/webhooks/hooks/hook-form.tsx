import type { Hook } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { useLocation } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { RequestForm } from '../../../form/request-form.tsx';
import { useForm } from '../../../form/use-form.ts';
import { SCHEMES, readHook, toHookForm } from './hook-draft.ts';
import { hookPath, toHook } from './to-hook.ts';

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

/** What only one of the two kinds of hooks has. */
const OF_KIND: Readonly<Record<string, readonly string[]>> = { start: ['graph', 'input'], event: ['run', 'event'] };

/** Writes a hook. @param hook the one that is changed; `null` for a new one */
export function HookForm({ hook }: { readonly hook: Hook | null }): JSX.Element {
  const client = useApi();
  const [, navigate] = useLocation();
  const [initial] = useState(() => toHookForm(hook));
  const form = useForm(SCHEMA, initial);
  const { id, hook: body } = readHook(form.value);
  const kind = body.event === undefined ? 'start' : 'event';
  const hidden = OF_KIND[kind === 'start' ? 'event' : 'start'] ?? [];
  const shown = { ...form, fields: form.fields?.filter(({ name }) => !hidden.includes(name)) ?? null };
  return (
    <section className="card narrow" aria-label="Write a hook">
      <RequestForm
        form={shown}
        legend={hook === null ? 'New hook' : `Change ${hook.id}`}
        place=""
        submit="Save"
        request={{ method: 'PUT', path: hookPath(id), body: { ...body, secret: hideSecret(body.secret) } }}
        send={async (options) => await client.hooks.put(id, body, options)}
        stale={[KEYS.hooks]}
        onDone={(saved) => navigate(toHook(saved.id))}
      />
    </section>
  );
}

/** A command that is copied ends up in histories of shells. */
function hideSecret(secret: unknown): unknown {
  return typeof secret === 'string' ? '…' : secret;
}
