import type { Graph } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { JsonEditor } from '../../../editor/json-editor.tsx';
import { isMembers } from '../../../form/fields-of.ts';
import { Diagram } from '../../../graph/diagram.tsx';
import { ActionButton } from '../../../parts/action-button.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { Status } from '../../../parts/status.tsx';
import { useDefinitionSchema } from './use-definition-schema.ts';
import { useIssues } from './use-issues.ts';
import type { Checked } from './use-issues.ts';

interface DefinitionEditorProps {
  readonly initial: unknown;
  readonly onPublished: (graph: Graph) => void;
}

const WORDS: Readonly<Record<Checked['state'], readonly [status: string, label: string]>> = {
  broken: ['failed', 'no JSON object yet'],
  checking: ['running', 'being checked'],
  invalid: ['failed', 'can’t be published'],
  valid: ['completed', 'can be published'],
  unknown: ['unknown', 'not checked'],
};

/** Writes a definition as JSON, shows its issues and its diagram meanwhile, and publishes it. */
export function DefinitionEditor({ initial, onPublished }: DefinitionEditorProps): JSX.Element {
  const client = useApi();
  const [text, setText] = useState(() => JSON.stringify(initial, null, 2));
  const schema = useDefinitionSchema();
  const checked = useIssues(text);
  const { definition, state, issues, error } = checked;
  const [status, label] = WORDS[state];
  const body = definition ?? {};
  return (
    <div className="stack">
      <div className="row">
        <span role="status">
          <Status of={status} label={label} />
        </span>
        <span className="muted small-text">
          <kbd>Ctrl</kbd> <kbd>Space</kbd> completes
        </span>
        <button
          type="button"
          className="button small"
          disabled={definition === null}
          onClick={() => setText(JSON.stringify(definition, null, 2))}
        >
          Format
        </button>
      </div>
      <JsonEditor label="Definition" text={text} onChange={setText} schema={schema} issues={issues} />
      {error !== null && <Problem error={error} />}
      <ActionButton
        label="Publish"
        look="primary"
        disabled={state !== 'valid'}
        request={{ method: 'POST', path: '/api/graphs', body }}
        send={async (options) => await client.graphs.publish(body, options)}
        stale={[KEYS.graphs]}
        onDone={onPublished}
      />
      {definition !== null && isMembers(definition['nodes']) && <Preview definition={definition} />}
    </div>
  );
}

function Preview({ definition }: { readonly definition: Readonly<Record<string, unknown>> }): JSX.Element {
  const [chosen, setChosen] = useState<string | null>(null);
  return <Diagram label="Diagram of what is written" definition={definition} chosen={chosen} onChoose={setChosen} />;
}
