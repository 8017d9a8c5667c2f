import type { Run } from 'holdfast/client';
import type { JSX } from 'react';
import { nodesOf } from '../../../graph/definition.ts';
import { Labelled } from '../parts/dialog.tsx';
import { useDefinition } from '../data/use-definition.ts';
import { FIELDS } from './control-draft.ts';
import type { ControlDraft, DraftField, TargetOption } from './control-draft.ts';
import type { Control } from './controls.ts';

interface ControlFieldsProps {
  readonly run: Run;
  readonly control: Control;
  readonly draft: ControlDraft;
  readonly targets: readonly TargetOption[];
  readonly problems: Readonly<Partial<Record<DraftField, string>>>;
  readonly onChange: (draft: ControlDraft) => void;
}

const LABELS: Readonly<Record<DraftField, readonly [label: string, about?: string]>> = {
  target: ['What'],
  node: ['Node'],
  reason: ['Reason', 'It stands in the history.'],
  values: ['Values of channels', 'JSON, such as {"amount": 60}. They go through the reducers.'],
  output: ['Output', 'JSON: what the node shall have returned.'],
  limits: ['Limits', 'JSON, such as {"maxSteps": 100}, if the old ones were too tight.'],
};

/** The fields of a control. */
export function ControlFields({ run, control, draft, targets, problems, onChange }: ControlFieldsProps): JSX.Element {
  const nodes = useDefinition(run).data;
  const options: Partial<Record<DraftField, readonly Option[]>> = {
    target: targets.map(({ key, label, isGone }) => ({ value: key, label: isGone ? `${label} (gone)` : label })),
    ...(nodes && { node: [NO_NODE, ...nodesOf(nodes).map(([id]) => ({ value: id, label: id }))] }),
  };
  return (
    <>
      {FIELDS[control].map((field) => {
        const [label, about] = LABELS[field];
        return (
          <Labelled
            key={field}
            label={field === 'node' && control === 'edit' ? 'As if written by' : label}
            about={about}
            problem={problems[field]}
          >
            {(tied) => (
              <Input
                {...tied}
                field={field}
                value={draft[field]}
                options={options[field]}
                onValue={(value) => onChange({ ...draft, [field]: value })}
              />
            )}
          </Labelled>
        );
      })}
    </>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const NO_NODE: Option = { value: '', label: '—' };

const JSON_FIELDS: ReadonlySet<DraftField> = new Set(['values', 'output', 'limits']);

interface InputProps {
  readonly field: DraftField;
  readonly value: string;
  readonly options: readonly Option[] | undefined;
  readonly onValue: (value: string) => void;
}

function Input({ field, value, options, onValue, ...tied }: InputProps): JSX.Element {
  if (options)
    return (
      <select {...tied} value={value} onChange={({ target }) => onValue(target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    );
  if (JSON_FIELDS.has(field))
    return <textarea {...tied} value={value} spellCheck={false} onChange={({ target }) => onValue(target.value)} />;
  return <input {...tied} type="text" value={value} onChange={({ target }) => onValue(target.value)} />;
}
