import type { Checkpoint, Fork, Run } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { FormEvent, JSX } from 'react';
import { useLocation } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useAction } from '../../../api/use-action.ts';
import { useApi } from '../../../api/use-api.tsx';
import { useForking } from '../../../session/use-session.ts';
import { DiffView } from '../../../parts/diff-view.tsx';
import { CopyAsCurl } from '../../../parts/copy-button.tsx';
import { Problem } from '../../../parts/notices.tsx';
import { nodesOf } from '../../../graph/definition.ts';
import { Dialog, Labelled } from '../parts/dialog.tsx';
import { useDefinition } from '../data/use-definition.ts';
import { readFork } from './control-draft.ts';
import { PreviewView, usePreview } from './preview-view.tsx';

interface ForkProps {
  readonly run: Run;
  readonly checkpoint: Checkpoint;
}

/** A button with a dialog that starts another run from a checkpoint; `null` where forks are refused. */
export function ForkButton({ run, checkpoint }: ForkProps): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (!useForking()) return null;
  return (
    <>
      <button type="button" className="button primary" onClick={() => setOpen(true)}>
        Fork here…
      </button>
      {isOpen && <ForkDialog run={run} checkpoint={checkpoint} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ForkDialogProps extends ForkProps {
  readonly onClose: () => void;
}

function ForkDialog({ run, checkpoint, onClose }: ForkDialogProps): JSX.Element {
  const client = useApi();
  const [, navigate] = useLocation();
  const definition = useDefinition(run).data;
  const [values, setValues] = useState('{}');
  const [asNode, setAsNode] = useState('');
  const [graph, setGraph] = useState('');
  const previewed = useMemo(() => ({ kind: 'fork', checkpoint: checkpoint.id }) as const, [checkpoint.id]);
  const preview = usePreview(run, previewed);
  const read = readFork({ checkpoint: checkpoint.id, values, asNode, graph });
  const action = useAction({
    send: async (fork: Fork, options) => await client.runs.fork(run.id, fork, options),
    stale: [KEYS.run(run.id), KEYS.runs],
    onDone: ({ id }) => navigate(`/runs/${id}`),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if ('fork' in read) action.send(read.fork);
  };
  return (
    <Dialog title="Fork here" onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <Labelled
          label="Values of channels"
          about="JSON: what shall be different. Values go through the reducers of their channels."
          problem={'problem' in read ? read.problem : undefined}
        >
          {(tied) => (
            <textarea {...tied} value={values} spellCheck={false} onChange={({ target }) => setValues(target.value)} />
          )}
        </Labelled>
        <ChannelPicker
          values={checkpoint.values}
          onPick={(channel) => setValues((text) => withChannel(text, channel, checkpoint.values))}
        />
        <Labelled label="As if written by" about="The run goes on behind this node.">
          {(tied) => (
            <select {...tied} value={asNode} onChange={({ target }) => setAsNode(target.value)}>
              <option value="">—</option>
              {(definition ? nodesOf(definition) : []).map(([id]) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label="Another graph" about="name, name@3 or name@alias; empty: the same version.">
          {(tied) => <input {...tied} type="text" value={graph} onChange={({ target }) => setGraph(target.value)} />}
        </Labelled>
        {'fork' in read && read.fork.values && (
          <DiffView
            before={pick(checkpoint.values, Object.keys(read.fork.values))}
            after={read.fork.values}
            titles={['Now', 'Written']}
          />
        )}
        <PreviewView preview={preview} />
        {action.error !== null && <Problem error={action.error} />}
        <div className="actions">
          <button type="submit" className="button primary" disabled={action.isSending || 'problem' in read}>
            Fork
          </button>
          <button type="button" className="button" onClick={onClose}>
            Leave it
          </button>
          {'fork' in read && (
            <CopyAsCurl request={{ method: 'POST', path: `/api/runs/${run.id}/fork`, body: read.fork }} />
          )}
        </div>
      </form>
    </Dialog>
  );
}

type Values = Checkpoint['values'];

interface ChannelPickerProps {
  readonly values: Values;
  readonly onPick: (channel: string) => void;
}

/** Adds the value of a channel to the JSON to edit. */
function ChannelPicker({ values, onPick }: ChannelPickerProps): JSX.Element {
  return (
    <Labelled label="Take a channel’s value to edit it">
      {(tied) => (
        <select {...tied} value="" onChange={({ target }) => onPick(target.value)}>
          <option value="">—</option>
          {Object.keys(values).map((channel) => (
            <option key={channel}>{channel}</option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** Leaves a text that is not JSON unchanged. */
function withChannel(text: string, channel: string, values: Values): string {
  const read = readFork({ checkpoint: '', values: text, asNode: '', graph: '' });
  if ('problem' in read || channel === '') return text;
  return JSON.stringify({ ...read.fork.values, [channel]: values[channel] }, null, 2);
}

function pick(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
