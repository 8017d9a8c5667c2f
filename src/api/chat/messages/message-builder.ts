import type { CallProgress, ModelDelta, RunEvent } from '../../../graph/journal/index.ts';
import { isEnded } from '../../../graph/run/index.ts';
import type { RunStatus } from '../../../graph/run/index.ts';
import { taskOf, isSameTask } from './plan-chat.ts';
import type { ChatPlan, UiChunk, TaskOfEvent } from './plan-chat.ts';
import { SentCalls } from './sent-calls.ts';
import { isMessageContent, isFilePart, contentParts, sourceOfFile, textOf } from '../../../graph/definition/index.ts';
import type { FilePart } from '../../../graph/definition/index.ts';
import { isJsonObject, own, toItems, isJsonList } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';

type MessageEnding = Extract<RunEvent, { readonly type: 'run.completed' | 'run.failed' | 'run.canceled' }>;

/** Finish reasons of answers that are incomplete, or may be. */
const INCOMPLETE = ['length', 'content-filter', 'other'] as const;

/**
 * Maps the events of a run to the chunks of one UI message. Its output depends only on the events and deltas that were
 * added before.
 */
export class MessageBuilder {
  readonly #plan: ChatPlan;
  readonly #texts = new SentTexts();
  readonly #calls: SentCalls;
  #ending: MessageEnding | null = null;
  /** The finish reason of the last answer of a model. */
  #finishReason: string | undefined;
  #isInStep = false;

  constructor(plan: ChatPlan) {
    this.#plan = plan;
    this.#calls = new SentCalls(plan);
  }

  /** @param event redacted for the reader */
  add(event: RunEvent): readonly UiChunk[] {
    switch (event.type) {
      case 'step.started':
        return event.path === undefined ? this.#beginStep() : [];
      case 'node.started':
      case 'node.failed':
        return [toDataChunk(event)];
      case 'node.completed':
      case 'node.skipped':
        return [
          ...this.#texts.settle(event, assistantTextsIn(event, this.#plan.answer)),
          ...filesIn(event, this.#plan.answer),
          toDataChunk(event),
        ];
      case 'model.called':
        this.#finishReason = event.finishReason;
        return this.#addCall(event);
      case 'run.completed':
      case 'run.failed':
      case 'run.canceled':
        this.#ending = event;
        return [];
      default:
        return this.#addCall(event);
    }
  }

  /** @param delta redacted for the reader */
  addDelta(delta: ModelDelta): readonly UiChunk[] {
    return delta.path === undefined && this.#plan.answeringNodes.has(delta.node) ? this.#texts.addDelta(delta) : [];
  }

  /** @param progress visible to the reader @returns a transient chunk, which is not stored in the message */
  addProgress({ callKey, tool, value }: CallProgress): readonly UiChunk[] {
    const toolCallId = this.#calls.idOf(callKey);
    return [{ type: 'data-progress', id: toolCallId, data: { toolCallId, tool, value }, transient: true }];
  }

  /**
   * Handles a run that has ended or waits.
   * @param seq the last event so far, which the client stores with the message
   * @returns the chunks that end the message; `null` when the run continues without input
   */
  rest(status: RunStatus, runId: string, seq: number): readonly UiChunk[] | null {
    const messageMetadata = { runId, seq };
    if (status === 'waiting' && this.#calls.waitsForPeople)
      return [
        ...this.endStep(),
        ...this.#calls.sendQuestionsAgain(),
        { type: 'finish', finishReason: 'tool-calls', messageMetadata },
      ];
    const ending = isEnded(status) ? this.#ending : null;
    if (!ending) return null;
    const ended = [...this.endStep(), ...this.#outputOf(ending)];
    if (ending.type === 'run.completed') {
      const finishReason = INCOMPLETE.find((reason) => reason === this.#finishReason) ?? 'stop';
      return [...ended, { type: 'finish', finishReason, messageMetadata }];
    }
    if (ending.type === 'run.canceled')
      return [...ended, { type: 'abort', ...(ending.reason !== null && { reason: ending.reason }) }];
    const { code, message } = ending.error;
    return [...ended, { type: 'error', errorText: `${code}: ${message}` }];
  }

  /** Ends the current step and its open texts. */
  endStep(): readonly UiChunk[] {
    const ended: readonly UiChunk[] = [...this.#texts.close(), ...(this.#isInStep ? [FINISH_STEP] : [])];
    this.#isInStep = false;
    return ended;
  }

  #beginStep(): readonly UiChunk[] {
    const before = this.endStep();
    this.#isInStep = true;
    return [...before, { type: 'start-step' }];
  }

  #addCall(event: RunEvent): readonly UiChunk[] {
    const chunks = this.#calls.add(event);
    const task = taskOf(event);
    if (!chunks || !task) return [];
    return [...this.#texts.close(task), ...chunks];
  }

  #outputOf(ending: MessageEnding): readonly UiChunk[] {
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

/** Builds a transient chunk with a node's progress; it is not stored in the message. */
function toDataChunk({ type, node, visit, index, path = [] }: NodeEvent): UiChunk {
  const location = [...path, index === undefined ? node : `${node}[${index}]`].join('/');
  return {
    type: 'data-node',
    id: `${location}#${visit}`,
    data: { node: location, visit, status: STATUSES[type] },
    transient: true,
  };
}

/** Returns the files in the answers that a node of the root graph has written, in order. */
function filesIn({ update, path }: WrittenTexts, answer: string | null): readonly UiChunk[] {
  if (path !== undefined || answer === null) return [];
  return toItems(own(update, answer) ?? null)
    .flatMap(filesOf)
    .map(toChunk);
}

/** Returns the files of an assistant message. */
function filesOf(message: Json): readonly FilePart[] {
  if (!isJsonObject(message) || message['role'] !== 'assistant') return [];
  const content = message['content'] ?? null;
  return isMessageContent(content) ? contentParts(content).filter(isFilePart) : [];
}

function toChunk(part: FilePart): UiChunk {
  return { type: 'file', url: fileUrlOf(part), mediaType: part.mediaType };
}

/** Returns the URL of a file in a chat message. Stored files get the path of the API that serves them. */
export function fileUrlOf(part: FilePart): string {
  const source = sourceOfFile(part);
  return source.kind === 'url' ? source.url : `/api/blobs/${encodeURIComponent(source.id)}`;
}

/** The event that reports what a node has written. */
export type WrittenTexts = Extract<RunEvent, { readonly type: 'node.completed' | 'node.skipped' }>;

/** Returns the answer texts that a node of the root graph has written, in order. */
function assistantTextsIn({ update, path }: WrittenTexts, answer: string | null): readonly string[] {
  if (path !== undefined || answer === null) return [];
  return textPartsOf(own(update, answer) ?? null);
}

/** Returns the texts of assistant messages, or the text itself. */
function textPartsOf(value: Json): readonly string[] {
  if (isJsonList(value)) return value.flatMap(textPartsOf);
  const text = isJsonObject(value) && value['role'] === 'assistant' ? textIn(value['content'] ?? null) : value;
  return typeof text === 'string' && text !== '' ? [text] : [];
}

function textIn(content: Json): Json {
  return isMessageContent(content) ? textOf(content) : content;
}

/** The text of one model call, as far as it was sent. */
interface SentText {
  /** The call that the text belongs to; `null` when it comes from no model. */
  readonly call: Pick<ModelDelta, 'node' | 'path' | 'visit' | 'callKey'> | null;
  /** The id of the client's text part that is still open; `null` for none. */
  openId: string | null;
  /** The text that the client has received. */
  sentText: string;
  attempt: number;
  /** The text of the current attempt so far; `null` if a delta is missing. */
  text: string | null;
  nextIndex: number;
  isSettled: boolean;
}

/** Tracks which texts of an answer the client of a stream has received. */
class SentTexts {
  readonly #byCall = new Map<string, SentText>();
  #opened = 0;

  /** Sends a delta. If earlier deltas are missing, the text is held back until it is known completely. */
  addDelta(delta: ModelDelta): readonly UiChunk[] {
    const sent = this.#byCall.get(delta.callKey) ?? textChunks(delta);
    this.#byCall.set(delta.callKey, sent);
    if (sent.isSettled || !addToText(sent, delta) || sent.text === null) return [];
    return this.#send(sent, sent.text);
  }

  /** Sends the rest of the texts that a finished task has written, and closes them. */
  settle(task: TaskOfEvent, texts: readonly string[]): readonly UiChunk[] {
    const ofTask = this.#of(task);
    const settled = texts.flatMap((text) => {
      const sent =
        ofTask.find(({ sentText, isSettled }) => !isSettled && text.startsWith(sentText)) ?? textChunks(null);
      sent.isSettled = true;
      return [...this.#send(sent, text), ...end(sent)];
    });
    for (const sent of ofTask) sent.isSettled = true;
    return [...settled, ...ofTask.flatMap(end)];
  }

  /** Closes the open texts of a task, or of all tasks. */
  close(task?: TaskOfEvent): readonly UiChunk[] {
    return (task ? this.#of(task) : [...this.#byCall.values()]).flatMap(end);
  }

  #of(task: TaskOfEvent): readonly SentText[] {
    return [...this.#byCall.values()].filter(({ call }) => call !== null && isSameTask(call, task));
  }

  /**
   * Sends a text of which a part may have been sent. A client can't remove text, so a different text is sent as a new
   * part.
   */
  #send(sent: SentText, text: string): readonly UiChunk[] {
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

function textChunks(call: SentText['call']): SentText {
  return { call, openId: null, sentText: '', attempt: 0, text: '', nextIndex: 0, isSettled: false };
}

function end(sent: SentText): readonly UiChunk[] {
  const { openId: id } = sent;
  sent.openId = null;
  return id === null ? [] : [{ type: 'text-end', id }];
}

/** Adds a delta to the text. @returns false for a delta of an attempt that a later one has replaced */
function addToText(sent: SentText, { attempt, index, text }: ModelDelta): boolean {
  if (attempt < sent.attempt) return false;
  if (attempt > sent.attempt) Object.assign(sent, { attempt, text: '', nextIndex: 0 });
  sent.text = sent.text === null || index !== sent.nextIndex ? null : sent.text + text;
  sent.nextIndex = index + 1;
  return true;
}
