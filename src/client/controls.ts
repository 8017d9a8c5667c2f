import type { z } from 'zod';
import type { CONTROLS } from '../api/schemas/controls.ts';
import type { Run } from './answers.ts';
import type { Connection } from './connection.ts';
import { path } from './path.ts';
import type { CallOptions } from './send.ts';

type Control = (typeof CONTROLS)[number];

/** Sends a control to a run. @returns the run after it */
type SendControl<Body> = (id: string, ...rest: ControlRest<Body>) => Promise<Run>;

/** The body may be left out where it may be empty. */
type ControlRest<Body> =
  Partial<Body> extends Body
    ? readonly [body?: Body, options?: CallOptions]
    : readonly [body: Body, options?: CallOptions];

/** The controls of runs, by the names of their routes. */
export type Controls = { readonly [C in Control as C['route']]: SendControl<z.input<C['body']>> };

export function createControls({ send }: Connection): Controls {
  const control =
    <Body>(route: keyof Controls) =>
    async (id: string, ...[body, options]: readonly [body?: Body, options?: CallOptions]): Promise<Run> =>
      await send.json({ method: 'POST', path: path`/api/runs/${id}/${route}`, body: body ?? {} }, options);
  return {
    pause: control('pause'),
    resume: control('resume'),
    replan: control('replan'),
    signal: control('signal'),
    cancel: control('cancel'),
    retry: control('retry'),
    skip: control('skip'),
    fail: control('fail'),
  };
}
