import type { Tool } from 'holdfast/client';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { JsonView } from '../../parts/json-view.tsx';
import { Notice } from '../../parts/notices.tsx';
import { Status } from '../../parts/status.tsx';
import { Ago } from '../../parts/time.tsx';
import { describeApproval, describeEffect } from './terms.ts';

/** The status whose look an effect has: calls that may be repeated look harmless. */
const LOOKS: Readonly<Record<Tool['effect'], string>> = { idempotent: 'active', keyed: 'running', unsafe: 'pending' };

interface ToolCardProps {
  readonly tool: Tool;
  /** True if the person may switch the tool off. */
  readonly isAdmin: boolean;
}

/** A card of a tool: its effect, approval policy, limits and schemas. */
export function ToolCard({ tool, isAdmin }: ToolCardProps): JSX.Element {
  const { name, description, effect, roles, onFailure, timeout, taskQueue, parameters, result, switchedOff } = tool;
  return (
    <article className="card stack" aria-label={name}>
      <div className="row">
        <h2>
          <code>{name}</code>
        </h2>
        <Status of={LOOKS[effect]} label={effect} />
        {switchedOff && <Status of="disabled" label="switched off" />}
        {isAdmin && <SwitchLink name={name} state={switchedOff ? 'on' : 'off'} />}
      </div>
      {switchedOff && (
        <Notice kind="warn">
          <p>
            Its calls wait, as an administrator has switched it off <Ago at={switchedOff.since} />: {switchedOff.reason}
          </p>
        </Notice>
      )}
      <p>{description}</p>
      <dl className="facts">
        <dt>Effect</dt>
        <dd>{describeEffect(effect)}</dd>
        <dt>Approval</dt>
        <dd>{describeApproval(tool)}</dd>
        <dt>Who may use it</dt>
        <dd>{roles === null ? 'runs of anybody' : `runs of people with the role ${roles.join(' or ')}`}</dd>
        <dt>When it fails</dt>
        <dd>{onFailure}</dd>
        <dt>Time-out</dt>
        <dd>{timeout}</dd>
        {taskQueue !== null && (
          <>
            <dt>Task queue</dt>
            <dd>{taskQueue}</dd>
          </>
        )}
      </dl>
      <details>
        <summary>
          Arguments<span className="for-readers"> of {name}</span>
        </summary>
        <JsonView value={parameters} open={3} />
      </details>
      {result !== null && (
        <details>
          <summary>
            Result<span className="for-readers"> of {name}</span>
          </summary>
          <JsonView value={result} open={3} />
        </details>
      )}
    </article>
  );
}

interface SwitchLinkProps {
  readonly name: string;
  /** The state that the button sets. */
  readonly state: 'on' | 'off';
}

function SwitchLink({ name, state }: SwitchLinkProps): JSX.Element {
  return (
    <Link href={`/admin/switches?kind=tool&name=${encodeURIComponent(name)}&state=${state}`}>
      Switch it {state}
      <span className="for-readers"> {name}</span>
    </Link>
  );
}
