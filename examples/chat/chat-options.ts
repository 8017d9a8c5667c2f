import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';

/** What `useChat` takes to talk to a graph. The last message is enough: the thread has those before. */
export function chatOptions({
  baseUrl = '',
  graph = 'helper',
  token,
}: {
  baseUrl?: string;
  graph?: string;
  token: () => string;
}) {
  return {
    transport: new DefaultChatTransport({
      api: `${baseUrl}/api/chat/${graph}`,
      headers: () => ({ authorization: `Bearer ${token()}` }),
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
        body: { ...body, id, messages: messages.slice(-1), trigger, messageId },
      }),
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  };
}
