import { isJsonList, isJsonObject } from '../../../graph/values/index.ts';
import type { JsonObject } from '../../../graph/values/index.ts';
import {
  argumentsText,
  usageCounts,
  nonBlankMember,
  numberMember,
  objectMember,
  objectMembers,
  presentMembers,
  joinedTextIn,
  textMember,
} from './members.ts';
import type { JsonMember } from './members.ts';
import { ENDED_WITHOUT_REASON, unusableAnswer } from './wire-format.ts';
import type { WireFormat } from './wire-format.ts';

/** Chat completions of OpenAI and of compatible servers. */
export const chatCompletions: WireFormat = {
  openStream() {
    let hasReason = false;
    let hasDelta = false;
    return {
      read(event) {
        const [choice] = objectMembers(event['choices']);
        const usage = streamedUsage(event);
        if (!choice) return usage ? [{ choices: [], usage }] : [];
        const reason = finishReasonIn(choice);
        hasReason ||= reason !== undefined;
        hasDelta ||= isJsonObject(choice['delta']);
        // Some servers send the whole message at the end, once more.
        const whole = hasDelta ? null : (choice['message'] ?? { content: choice['text'] ?? null });
        const delta = messageMember(choice['delta'] ?? whole);
        return [presentMembers({ choices: [presentMembers({ delta, finish_reason: reason })], usage })];
      },
      complete: () => (hasReason ? [] : [{ choices: [{ delta: {}, finish_reason: ENDED_WITHOUT_REASON }] }]),
    };
  },
  readWhole(answer) {
    const [choice] = objectMembers(answer['choices']);
    if (!choice) throw unusableAnswer('it has no /choices');
    const message = messageMember(choice['message'] ?? choice['delta'] ?? { content: choice['text'] ?? null });
    const calls = objectMembers(message['tool_calls']).map((call) => toWholeCall(call));
    return presentMembers({
      choices: [
        presentMembers({
          message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) },
          finish_reason: finishReasonIn(choice),
        }),
      ],
      usage: streamedUsage(answer),
    });
  },
};

/** Some servers send an empty text until the answer ends. */
function finishReasonIn(choice: JsonObject): string | undefined {
  return nonBlankMember(choice['finish_reason'] ?? choice['finishReason']);
}

const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

function messageMember(member: JsonMember): JsonObject {
  const message = isJsonObject(member) ? member : { content: member ?? null };
  const reasoning = REASONING_FIELDS.map((name) => joinedTextIn(message[name])).find((text) => text !== '');
  const calls = [
    ...objectMembers(message['tool_calls']),
    ...objectMembers(message['function_call']).map((call) => ({ index: 0, function: call })),
  ].flatMap(toResponseCall);
  return presentMembers({
    content: responseContent(message['content']),
    reasoning_content: reasoning,
    refusal: textMember(message['refusal']),
    tool_calls: calls.length > 0 ? calls : undefined,
  });
}

/** Lists keep the parts that the adapter reads: texts, and thoughts of Mistral's models. */
function responseContent(member: JsonMember): JsonMember {
  if (!isJsonList(member)) return joinedTextIn(member);
  return member.flatMap((part): JsonObject[] => {
    const { type = 'text', thinking = null } = objectMember(part);
    if (type === 'thinking')
      return [
        { type, thinking: objectMembers(thinking).map((thought) => ({ type: 'text', text: joinedTextIn(thought) })) },
      ];
    const text = joinedTextIn(part);
    return text === '' ? [] : [{ type: 'text', text }];
  });
}

/** Rewrites a tool call, or a piece of one. A piece without any content is passed over. */
function toResponseCall(call: JsonObject): JsonObject[] {
  const made = isJsonObject(call['function']) ? call['function'] : call;
  const members = {
    id: nonBlankMember(call['id']),
    name: nonBlankMember(made['name']),
    arguments: argumentsText(made['arguments'] ?? made['parameters']),
  };
  if (Object.values(members).every((member) => member === undefined)) return [];
  const signature = textMember(objectMember(objectMember(call['extra_content'])['google'])['thought_signature']);
  return [
    presentMembers({
      index: numberMember(call['index']),
      id: members.id,
      function: presentMembers({ name: members.name, arguments: members.arguments }),
      extra_content: signature === undefined ? undefined : { google: { thought_signature: signature } },
    }),
  ];
}

function toWholeCall(call: JsonObject): JsonObject {
  const { name, arguments: args = '' } = objectMember(call['function']);
  if (name === undefined) throw unusableAnswer('a call in /choices/0/message/tool_calls has no /function/name');
  return { ...call, function: { name, arguments: args } };
}

/** Groq sends the usage of a stream in a field of its own. */
function streamedUsage(answer: JsonObject): JsonObject | undefined {
  const usage = objectMember(answer['usage'] ?? objectMember(answer['x_groq'])['usage']);
  const counts = presentMembers({
    prompt_tokens: numberMember(usage['prompt_tokens'] ?? usage['input_tokens']),
    completion_tokens: numberMember(usage['completion_tokens'] ?? usage['output_tokens']),
  });
  if (Object.keys(counts).length === 0) return undefined;
  return presentMembers({
    ...counts,
    prompt_tokens_details: usageCounts(usage['prompt_tokens_details'], ['cached_tokens']),
    completion_tokens_details: usageCounts(usage['completion_tokens_details'], ['reasoning_tokens']),
  });
}
