import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import type { ChatState, UIMessage } from 'ai';

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

interface ChatOptions {
  readonly id: string;
  /** The path of the chat's graph. */
  readonly api: string;
  readonly token: string;
  readonly fetch: typeof globalThis.fetch;
  readonly messages?: readonly UIMessage[];
}

/** The AI SDK's own client of a chat: what `useChat` is made of. */
export class ChatClient extends AbstractChat<UIMessage> {
  /** What came besides the messages. */
  readonly data: unknown[] = [];
  readonly errors: Error[] = [];

  constructor({ id, api, token, fetch, messages = [] }: ChatOptions) {
    const state = new PlainState();
    state.messages = [...messages];
    super({
      id,
      state,
      transport: new DefaultChatTransport({ api, headers: { authorization: `Bearer ${token}` }, fetch }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onData: (part) => void this.data.push(part),
      onError: (error) => void this.errors.push(error),
    });
  }

  /** The parts of the last message, without where steps begin. */
  get lastParts(): readonly unknown[] {
    return this.messages.at(-1)?.parts.filter(({ type }) => type !== 'step-start') ?? [];
  }
}
