import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { z } from 'zod';
import { listenOnPort } from '../../src/process/listen.ts';
import type { Behavior, Case, Cases, Encounter } from './cases.ts';
import { replyOf } from './scripted-model.ts';

/** The shop and the model as one HTTP server. */
export interface Outside {
  readonly shopUrl: string;
  readonly modelUrl: string;
  stop(): Promise<void>;
}

interface Environment {
  Bindings: HttpBindings;
}

/** The work of one exchange. */
interface Exchange extends Pick<Encounter, 'kind' | 'name' | 'key'> {
  readonly work: () => Response;
}

const ArgsSchema = z.record(z.string(), z.json());

export async function startOutside(cases: Cases): Promise<Outside> {
  const app = new Hono<Environment>();
  app.on(['GET', 'POST'], '/shop/:tool', async (context) => {
    const { req } = context;
    const key = req.header('idempotency-key') ?? '';
    const name = req.param('tool');
    const args = ArgsSchema.parse(req.method === 'GET' ? req.query() : await req.json());
    // Keys begin with the id of the run.
    const one = await cases.ofRun(key.split(':')[0] ?? '');
    one.open.add(key);
    const work = (): Response => {
      const { isAccepted, body } = one.branch.execute({ key, name, args });
      one.open.delete(key);
      return isAccepted ? Response.json(body) : Response.json({ error: body }, { status: 409 });
    };
    return await meet(context, one, { kind: 'tool', name, key, work }).finally(() => one.open.delete(key));
  });
  app.post('/model/chat/completions', async (context) => {
    const { one, reply } = replyOf(cases, await context.req.json());
    return await meet(context, one, { kind: 'model', name: '', key: '', work: () => Response.json(reply) });
  });
  const listening = await listenOnPort(app, { port: 0 });
  return {
    shopUrl: `${listening.url}/shop`,
    modelUrl: `${listening.url}/model`,
    stop: () => listening.stop(),
  };
}

async function meet(context: Context<Environment>, one: Case, exchange: Exchange): Promise<Response> {
  const { work, ...what } = exchange;
  const number = one.exchanges++;
  const behaves = async (phase: Encounter['phase']): Promise<Behavior> => await one.meet({ ...what, number, phase });
  const { outgoing } = context.env;
  const answerIn: Readonly<Record<Behavior, (usual: () => Response) => Response>> = {
    'as usual': (usual) => usual(),
    'hangs up': () => {
      outgoing.destroy();
      return RESPONSE_ALREADY_SENT;
    },
    refuses: () => Response.json({ error: { message: 'Refused' } }, { status: 400 }),
  };
  const requested = await behaves('requested');
  if (requested !== 'as usual') return answerIn[requested](work);
  const response = work();
  const executed = await behaves('executed');
  outgoing.once('finish', () => void behaves('answered'));
  return answerIn[executed](() => response);
}
