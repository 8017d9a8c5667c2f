import type { Approval } from 'holdfast/client';
import type { JSX } from 'react';
import { Notice } from '../../../parts/notice.tsx';
import { Time } from '../../../parts/time.tsx';
import { visible } from '../../../parts/visible.ts';
import { argumentChanges, tellValue } from './changed-arguments.ts';

/** More of them are seen in the form. */
const SHOWN = 4;

/** Says that people have changed the arguments since they were asked for: who, when, from what to what. */
export function ChangedNotice({ approval }: { readonly approval: Approval }): JSX.Element | null {
  const changes = argumentChanges(approval);
  if (changes.length === 0) return null;
  return (
    <Notice kind="warn">
      <strong>The arguments are not those that were asked for</strong>
      <ul className="plain">
        {changes.map(({ by, at, rows }) => (
          <li key={`${by} ${at}`}>
            <strong>{visible(by)}</strong> (<Time at={at} />) changed{' '}
            {rows.slice(0, SHOWN).map(({ path, before, after }, index) => (
              <span key={path}>
                {index > 0 && '; '}
                <span className="mono">{path === '' ? 'all of it' : visible(path.slice(1))}</span>, was{' '}
                <del>{visible(tellValue(before))}</del>, now <ins>{visible(tellValue(after))}</ins>
              </span>
            ))}
            {rows.length > SHOWN && `; and ${rows.length - SHOWN} more`}.
          </li>
        ))}
      </ul>
      {approval.status === 'pending' && (
        <p>
          Whoever approves now approves them as they have been changed. Title and details are still as they were asked.
        </p>
      )}
    </Notice>
  );
}
