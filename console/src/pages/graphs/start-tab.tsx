import type { Graph, NewRun } from 'holdfast/client';
import { useId, useMemo, useState } from 'react';
import type { JSX } from 'react';
import { useLocation } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.tsx';
import { usePages } from '../../parts/query-view.tsx';
import { isMembers } from '../../form/fields.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { SchemaForm } from '../../form/schema-form.tsx';
import { useForm } from '../../form/use-form.ts';
import { Empty } from '../../parts/notices.tsx';
import { firstInput, inputSchema } from './input-schema.ts';

/** The schema of the options of a run besides its input. */
const MORE = {
  type: 'object',
  properties: {
    threadId: { type: 'string', title: 'Thread', description: 'The conversation that the run goes on with' },
    onBusy: {
      title: 'While another run of the thread is not over',
      oneOf: [
        { const: 'reject', title: 'Refuse this one' },
        { const: 'enqueue', title: 'Start this one afterwards' },
        { const: 'interrupt', title: 'Cancel that one' },
      ],
    },
    metadata: { title: 'Metadata', description: 'A JSON object, by which runs are found' },
    limits: {
      title: 'Limits',
      description: 'A JSON object, such as {"maxCostUsd": 1}; they may only tighten the graph’s',
    },
  },
};

/** The form that starts a run of the open version, or of an alias. */
export function StartTab({ graph }: { readonly graph: Graph }): JSX.Element {
  const client = useApi();
  const [, navigate] = useLocation();
  const { definition } = graph;
  const schema = useMemo(() => inputSchema(definition), [definition]);
  const initial = useMemo(() => firstInput(definition), [definition]);
  const input = useForm(schema, initial);
  const more = useForm(MORE, undefined);
  const [reference, setReference] = useState(`${graph.name}@${graph.version}`);
  const body: NewRun = {
    graph: reference,
    input: isMembers(input.value) ? input.value : {},
    ...(isMembers(more.value) ? more.value : {}),
  };
  const takesNothing = Object.keys(input.draft).length === 0;
  return (
    <section className="card narrow stack" aria-label="Start a run">
      <Reference graph={graph} value={reference} onChoose={setReference} />
      {takesNothing && <Empty title="The graph takes no input" />}
      <RequestForm
        form={input}
        legend="Input"
        pointer="/input"
        submit="Start the run"
        request={{ method: 'POST', path: '/api/runs', body }}
        send={async (options) => await client.runs.start(body, options)}
        stale={[KEYS.runs]}
        onDone={({ id }) => navigate(`/runs/${encodeURIComponent(id)}`)}
        others={[more]}
      >
        <details>
          <summary>More</summary>
          <SchemaForm form={more} legend="Of the run" />
        </details>
      </RequestForm>
    </section>
  );
}

interface ReferenceProps {
  readonly graph: Graph;
  readonly value: string;
  readonly onChoose: (reference: string) => void;
}

const PAGE = { limit: 100 };

/** A menu of the version or alias that the run uses. */
function Reference({ graph: { name, version }, value, onChoose }: ReferenceProps): JSX.Element {
  const client = useApi();
  const id = useId();
  const { items = [] } = usePages([...KEYS.graph(name), 'aliases'], (options) =>
    client.graphs.aliases(name, PAGE, options),
  );
  const references = [`${name}@${version}`, name, ...items.map(({ alias }) => `${name}@${alias}`)];
  return (
    <div className="field">
      <label htmlFor={id}>Graph</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
        {references.map((reference) => (
          <option key={reference} value={reference}>
            {reference === name ? `${name}, the current version` : reference}
          </option>
        ))}
      </select>
    </div>
  );
}
