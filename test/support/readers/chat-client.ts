import { AbstractChat } from 'ai';
import type { ChatInit, ChatState, UIMessage } from 'ai';

/** The state that `useChat` keeps in React, without React. */
class PlainState implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready';
  error: Error | undefined;
  messages: UIMessage[] = [];
  readonly pushMessage = (message: UIMessage): void => void (this.messages = [...this.messages, message]);
  readonly popMessage = (): void => void (this.messages = this.messages.slice(0, -1));
  readonly replaceMessage = (index: number, message: UIMessage): void =>
    void (this.messages = this.messages.with(index, structuredClone(message)));
  readonly snapshot = <T>(value: T): T => structuredClone(value);
}

interface ChatOptions extends Pick<ChatInit<UIMessage>, 'transport' | 'sendAutomaticallyWhen'> {
  readonly id: string;
  readonly messages?: readonly UIMessage[];
}

/** The AI SDK's own chat client, on which `useChat` is built. */
export class ChatClient extends AbstractChat<UIMessage> {
  /** The received data apart from messages. */
  readonly data: unknown[] = [];
  readonly errors: Error[] = [];

  constructor({ messages = [], ...options }: ChatOptions) {
    const state = new PlainState();
    state.messages = [...messages];
    super({
      ...options,
      state,
      onData: (part) => void this.data.push(part),
      onError: (error) => void this.errors.push(error),
    });
  }

  /** The parts of the last message, without the markers of steps. */
  get lastParts(): readonly unknown[] {
    return this.messages.at(-1)?.parts.filter(({ type }) => type !== 'step-start') ?? [];
  }
}
