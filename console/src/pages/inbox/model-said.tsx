import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { isMembers } from '../../form/fields-of.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';

/** The latest answers are wanted, and a list gives the oldest first. */
const MOST = 50;
const SHOWN = 3;

interface ModelSaidProps {
  readonly runId: string;
  /** The time of the question, as the API writes it. */
  readonly before: string;
}

/** What models have said in the run before a question, the latest first. */
export function ModelSaid({ runId, before }: ModelSaidProps): JSX.Element | null {
  const client = useApi();
  const { data } = useQuery({
    queryKey: [...KEYS.run(runId), 'model-said'],
    queryFn: async ({ signal }) => await client.runs.calls(runId, { kind: 'model', limit: MOST }, { signal }).page(),
  });
  const latest =
    data?.items
      .filter(({ reply, at }) => reply !== null && at <= before)
      .slice(-SHOWN)
      .toReversed() ?? [];
  if (latest.length === 0) return null;
  return (
    <section className="card stack" aria-label="What the model said before">
      <h2>What the model said before</h2>
      {latest.map(({ key, node, name, at, reply }, index) => (
        <details key={key} open={index === 0}>
          <summary>
            <span className="mono">{visible(node)}</span> · {visible(name)} · <Time at={at} />
          </summary>
          <Reply of={reply} />
        </details>
      ))}
    </section>
  );
}

function Reply({ of }: { readonly of: unknown }): JSX.Element {
  const text = isMembers(of) ? of['text'] : of;
  if (typeof text !== 'string' || text === '') return <JsonView value={of} />;
  const value = parsed(text);
  return value === undefined ? <Markdown text={text} /> : <JsonView value={value} />;
}

/** The object or list that a text is; `undefined` for all other texts. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
