import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';
import { isEnded } from '../../../graph/run/index.ts';
import type { RunStatus } from '../../../graph/run/index.ts';
import type { ChatPlan } from './plan-chat.ts';
import type { Chunk } from './chunk.ts';
import { filesIn } from './files-in.ts';
import { taskOf } from './task.ts';
import { textsIn } from './texts-in.ts';
import { ToldCalls } from './told-calls.ts';
import { ToldTexts } from './told-texts.ts';

type Ending = Extract<RunEvent, { readonly type: 'run.completed' | 'run.failed' | 'run.canceled' }>;

/** Tells a run as a message of a chat. All that it knows comes from what it has heard before. */
export class Narrator {
  readonly #plan: ChatPlan;
  readonly #texts = new ToldTexts();
  readonly #calls: ToldCalls;
  #ending: Ending | null = null;
  #isInStep = false;

  constructor(plan: ChatPlan) {
    this.#plan = plan;
    this.#calls = new ToldCalls(plan);
  }

  /** @param event as its reader may see it */
  hear(event: RunEvent): readonly Chunk[] {
    switch (event.type) {
      case 'step.started':
        return event.path === undefined ? this.#beginStep() : [];
      case 'node.started':
      case 'node.failed':
        return [toData(event)];
      case 'node.completed':
      case 'node.skipped':
        return [
          ...this.#texts.settle(event, textsIn(event, this.#plan.answer)),
          ...filesIn(event, this.#plan.answer),
          toData(event),
        ];
      case 'run.completed':
      case 'run.failed':
      case 'run.canceled':
        this.#ending = event;
        return [];
      default:
        return this.#hearCall(event);
    }
  }

  /** @param delta as its reader may see it */
  hearDelta(delta: ModelDelta): readonly Chunk[] {
    return delta.path === undefined && this.#plan.speakers.has(delta.node) ? this.#texts.say(delta) : [];
  }

  /**
   * Tells that the run has done nothing more for now.
   * @param about what the client keeps with the message
   * @returns the end of the message; `null`: the run goes on by itself
   */
  rest(status: RunStatus, about: { readonly runId: string; readonly seq: number }): readonly Chunk[] | null {
    const messageMetadata = { ...about };
    if (status === 'waiting' && this.#calls.waitsForPeople)
      return [
        ...this.endStep(),
        ...this.#calls.askAgain(),
        { type: 'finish', finishReason: 'tool-calls', messageMetadata },
      ];
    const ending = isEnded(status) ? this.#ending : null;
    if (!ending) return null;
    const ended = [...this.endStep(), ...this.#outputOf(ending)];
    if (ending.type === 'run.completed') return [...ended, { type: 'finish', finishReason: 'stop', messageMetadata }];
    if (ending.type === 'run.canceled')
      return [...ended, { type: 'abort', ...(ending.reason !== null && { reason: ending.reason }) }];
    const { code, message } = ending.error;
    return [...ended, { type: 'error', errorText: `${code}: ${message}` }];
  }

  /** Ends the step and its texts. */
  endStep(): readonly Chunk[] {
    const ended: readonly Chunk[] = [...this.#texts.close(), ...(this.#isInStep ? [FINISH_STEP] : [])];
    this.#isInStep = false;
    return ended;
  }

  #beginStep(): readonly Chunk[] {
    const before = this.endStep();
    this.#isInStep = true;
    return [...before, { type: 'start-step' }];
  }

  #hearCall(event: RunEvent): readonly Chunk[] {
    const chunks = this.#calls.hear(event);
    const task = taskOf(event);
    if (!chunks || !task) return [];
    return [...this.#texts.close(task), ...chunks];
  }

  #outputOf(ending: Ending): readonly Chunk[] {
    if (ending.type !== 'run.completed' || this.#plan.answer !== null) return [];
    return [{ type: 'data-output', data: ending.output }];
  }
}

const FINISH_STEP = { type: 'finish-step' } as const;

const STATUSES = {
  'node.started': 'running',
  'node.completed': 'completed',
  'node.skipped': 'skipped',
  'node.failed': 'failed',
} as const;

type NodeEvent = Extract<RunEvent, { readonly type: keyof typeof STATUSES }>;

/** What a client may show of a node's progress; it is no part of the message. */
function toData({ type, node, visit, index, path = [] }: NodeEvent): Chunk {
  const place = [...path, index === undefined ? node : `${node}[${index}]`].join('/');
  return {
    type: 'data-node',
    id: `${place}#${visit}`,
    data: { node: place, visit, status: STATUSES[type] },
    transient: true,
  };
}
