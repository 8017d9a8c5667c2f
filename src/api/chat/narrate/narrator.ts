import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';
import { isEnded } from '../../../graph/run/index.ts';
import type { RunStatus } from '../../../graph/run/index.ts';
import { taskOf, sameTask } from './plan-chat.ts';
import type { ChatPlan, Chunk, TaskOfEvent } from './plan-chat.ts';
import { ToldCalls } from './told-calls.ts';
import { isContent, isFilePart, partsOf, sourceOf, textOf } from '../../../graph/definition/index.ts';
import type { FilePart } from '../../../graph/definition/index.ts';
import { isJsonObject, own, toItems, isJsonList } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';

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
   * @param seq the last event so far; the client keeps it with the message
   * @returns the end of the message; `null`: the run goes on by itself
   */
  rest(status: RunStatus, runId: string, seq: number): readonly Chunk[] | null {
    const messageMetadata = { runId, seq };
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

/** Returns the files in the answers that a node of the run's own graph has written, in their order. */
function filesIn({ update, path }: Written, answer: string | null): readonly Chunk[] {
  if (path !== undefined || answer === null) return [];
  return toItems(own(update, answer) ?? null)
    .flatMap(filesOf)
    .map(toChunk);
}

/** The files of a message of an assistant. */
function filesOf(message: Json): readonly FilePart[] {
  if (!isJsonObject(message) || message['role'] !== 'assistant') return [];
  const content = message['content'] ?? null;
  return isContent(content) ? partsOf(content).filter(isFilePart) : [];
}

/** A stored file has the address by which the API gives it. */
function toChunk(part: FilePart): Chunk {
  const source = sourceOf(part);
  const url = source.kind === 'url' ? source.url : `/api/blobs/${encodeURIComponent(source.id)}`;
  return { type: 'file', url, mediaType: part.mediaType };
}

/** What a node has written when its task is over. */
export type Written = Extract<RunEvent, { readonly type: 'node.completed' | 'node.skipped' }>;

/** Returns the texts that a node of the run's own graph has written as answers, in their order. */
function textsIn({ update, path }: Written, answer: string | null): readonly string[] {
  if (path !== undefined || answer === null) return [];
  return textsOf(own(update, answer) ?? null);
}

/** The texts of messages of an assistant, or of a text. */
function textsOf(value: Json): readonly string[] {
  if (isJsonList(value)) return value.flatMap(textsOf);
  const text = isJsonObject(value) && value['role'] === 'assistant' ? textIn(value['content'] ?? null) : value;
  return typeof text === 'string' && text !== '' ? [text] : [];
}

function textIn(content: Json): Json {
  return isContent(content) ? textOf(content) : content;
}

/** The answer of one call. */
interface Told {
  /** The call; `null`: the text comes from no model. */
  readonly call: Pick<ModelDelta, 'node' | 'path' | 'visit' | 'callKey'> | null;
  /** The text on the client's side that can take more; `null`: none. */
  openId: string | null;
  /** What the client has. */
  shown: string;
  attempt: number;
  /** What this attempt has said; `null` if a piece is missing. */
  said: string | null;
  nextIndex: number;
  isSettled: boolean;
}

/** The texts of an answer, as the client of a stream has seen them. */
class ToldTexts {
  readonly #byCall = new Map<string, Told>();
  #opened = 0;

  /** Shows a piece of a text. Where pieces are missing before it, the text waits until all of it is known. */
  say(delta: ModelDelta): readonly Chunk[] {
    const told = this.#byCall.get(delta.callKey) ?? aText(delta);
    this.#byCall.set(delta.callKey, told);
    if (told.isSettled || !take(told, delta) || told.said === null) return [];
    return this.#show(told, told.said);
  }

  /** Shows what is missing of the texts that a task has written in the end, and ends them. */
  settle(task: TaskOfEvent, texts: readonly string[]): readonly Chunk[] {
    const ofTask = this.#of(task);
    const settled = texts.flatMap((text) => {
      const told = ofTask.find(({ shown, isSettled }) => !isSettled && text.startsWith(shown)) ?? aText(null);
      told.isSettled = true;
      return [...this.#show(told, text), ...end(told)];
    });
    for (const told of ofTask) told.isSettled = true;
    return [...settled, ...ofTask.flatMap(end)];
  }

  /** Ends the texts of a task for now, or of all tasks. */
  close(task?: TaskOfEvent): readonly Chunk[] {
    return (task ? this.#of(task) : [...this.#byCall.values()]).flatMap(end);
  }

  #of(task: TaskOfEvent): readonly Told[] {
    return [...this.#byCall.values()].filter(({ call }) => call !== null && sameTask(call, task));
  }

  /** Shows a text that may have been shown in part. A client can't take back what it has: another text comes below. */
  #show(told: Told, text: string): readonly Chunk[] {
    if (told.shown.startsWith(text)) return [];
    const continues = text.startsWith(told.shown);
    const delta = continues ? text.slice(told.shown.length) : text;
    const before = continues ? [] : end(told);
    told.shown = text;
    if (told.openId !== null) return [{ type: 'text-delta', id: told.openId, delta }];
    const id = `text-${++this.#opened}`;
    told.openId = id;
    return [...before, { type: 'text-start', id }, { type: 'text-delta', id, delta }];
  }
}

function aText(call: Told['call']): Told {
  return { call, openId: null, shown: '', attempt: 0, said: '', nextIndex: 0, isSettled: false };
}

function end(told: Told): readonly Chunk[] {
  const { openId: id } = told;
  told.openId = null;
  return id === null ? [] : [{ type: 'text-end', id }];
}

/** @returns false for a piece of an attempt that another one has replaced */
function take(told: Told, { attempt, index, text }: ModelDelta): boolean {
  if (attempt < told.attempt) return false;
  if (attempt > told.attempt) Object.assign(told, { attempt, said: '', nextIndex: 0 });
  told.said = told.said === null || index !== told.nextIndex ? null : told.said + text;
  told.nextIndex = index + 1;
  return true;
}
