import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';
import { isEnded } from '../../../graph/run/index.ts';
import type { RunStatus } from '../../../graph/run/index.ts';
import { taskOf, sameTask } from './plan-chat.ts';
import type { ChatPlan, Chunk, TaskOfEvent } from './plan-chat.ts';
import { SentCalls } from './sent-calls.ts';
import { isContent, isFilePart, partsOf, sourceOf, textOf } from '../../../graph/definition/index.ts';
import type { FilePart } from '../../../graph/definition/index.ts';
import { isJsonObject, own, toItems, isJsonList } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';

type Ending = Extract<RunEvent, { readonly type: 'run.completed' | 'run.failed' | 'run.canceled' }>;

/** Makes one UI message of a run's events. It knows only what was added before. */
export class MessageBuilder {
  readonly #plan: ChatPlan;
  readonly #texts = new SentTexts();
  readonly #calls: SentCalls;
  #ending: Ending | null = null;
  #isInStep = false;

  constructor(plan: ChatPlan) {
    this.#plan = plan;
    this.#calls = new SentCalls(plan);
  }

  /** @param event as its reader may see it */
  add(event: RunEvent): readonly Chunk[] {
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
        return this.#addCall(event);
    }
  }

  /** @param delta as its reader may see it */
  addDelta(delta: ModelDelta): readonly Chunk[] {
    return delta.path === undefined && this.#plan.speakers.has(delta.node) ? this.#texts.addDelta(delta) : [];
  }

  /**
   * Takes that the run rests: it has ended, or waits.
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

  #addCall(event: RunEvent): readonly Chunk[] {
    const chunks = this.#calls.add(event);
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
interface SentText {
  /** The call; `null`: the text comes from no model. */
  readonly call: Pick<ModelDelta, 'node' | 'path' | 'visit' | 'callKey'> | null;
  /** The text on the client's side that can take more; `null`: none. */
  openId: string | null;
  /** What the client has. */
  sentText: string;
  attempt: number;
  /** The text of this attempt so far; `null` if a piece is missing. */
  text: string | null;
  nextIndex: number;
  isSettled: boolean;
}

/** The texts of an answer, as the client of a stream has seen them. */
class SentTexts {
  readonly #byCall = new Map<string, SentText>();
  #opened = 0;

  /** Shows a piece of a text. Where pieces are missing before it, the text waits until all of it is known. */
  addDelta(delta: ModelDelta): readonly Chunk[] {
    const sent = this.#byCall.get(delta.callKey) ?? aText(delta);
    this.#byCall.set(delta.callKey, sent);
    if (sent.isSettled || !take(sent, delta) || sent.text === null) return [];
    return this.#send(sent, sent.text);
  }

  /** Shows what is missing of the texts that a task has written in the end, and ends them. */
  settle(task: TaskOfEvent, texts: readonly string[]): readonly Chunk[] {
    const ofTask = this.#of(task);
    const settled = texts.flatMap((text) => {
      const sent = ofTask.find(({ sentText, isSettled }) => !isSettled && text.startsWith(sentText)) ?? aText(null);
      sent.isSettled = true;
      return [...this.#send(sent, text), ...end(sent)];
    });
    for (const sent of ofTask) sent.isSettled = true;
    return [...settled, ...ofTask.flatMap(end)];
  }

  /** Ends the texts of a task for now, or of all tasks. */
  close(task?: TaskOfEvent): readonly Chunk[] {
    return (task ? this.#of(task) : [...this.#byCall.values()]).flatMap(end);
  }

  #of(task: TaskOfEvent): readonly SentText[] {
    return [...this.#byCall.values()].filter(({ call }) => call !== null && sameTask(call, task));
  }

  /** Sends a text that may have been sent in part. A client can't take back what it has: another text comes below. */
  #send(sent: SentText, text: string): readonly Chunk[] {
    if (sent.sentText.startsWith(text)) return [];
    const continues = text.startsWith(sent.sentText);
    const delta = continues ? text.slice(sent.sentText.length) : text;
    const before = continues ? [] : end(sent);
    sent.sentText = text;
    if (sent.openId !== null) return [{ type: 'text-delta', id: sent.openId, delta }];
    const id = `text-${++this.#opened}`;
    sent.openId = id;
    return [...before, { type: 'text-start', id }, { type: 'text-delta', id, delta }];
  }
}

function aText(call: SentText['call']): SentText {
  return { call, openId: null, sentText: '', attempt: 0, text: '', nextIndex: 0, isSettled: false };
}

function end(sent: SentText): readonly Chunk[] {
  const { openId: id } = sent;
  sent.openId = null;
  return id === null ? [] : [{ type: 'text-end', id }];
}

/** @returns false for a piece of an attempt that another one has replaced */
function take(sent: SentText, { attempt, index, text }: ModelDelta): boolean {
  if (attempt < sent.attempt) return false;
  if (attempt > sent.attempt) Object.assign(sent, { attempt, text: '', nextIndex: 0 });
  sent.text = sent.text === null || index !== sent.nextIndex ? null : sent.text + text;
  sent.nextIndex = index + 1;
  return true;
}
