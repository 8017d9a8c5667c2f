import { isJsonObject } from '../../../graph/values/index.ts';
import type { JsonObject } from '../../../graph/values/index.ts';
import {
  usageCounts,
  memberNamed,
  nonBlankMember,
  objectMember,
  objectMembers,
  parseArguments,
  presentMembers,
  textMember,
} from './members.ts';
import { ENDED_WITHOUT_REASON, unusableAnswer } from './wire-format.ts';
import type { WireFormat } from './wire-format.ts';

/** Answers of Google's `generateContent`; each event of a stream has the form of a complete one. */
export const geminiContent: WireFormat = {
  openStream() {
    let hasReason = false;
    return {
      read(event) {
        const read = toGeminiContent(event);
        hasReason ||= objectMembers(read['candidates']).some(({ finishReason }) => finishReason !== undefined);
        return Object.keys(read).length === 0 ? [] : [read];
      },
      complete: () => (hasReason ? [] : [{ candidates: [{ finishReason: ENDED_WITHOUT_REASON }] }]),
    };
  },
  readWhole(answer) {
    const read = toGeminiContent(answer);
    if (read['candidates'] === undefined && read['promptFeedback'] === undefined)
      throw unusableAnswer('it has no /candidates');
    return read;
  },
};

const USAGE_FIELDS: readonly string[] = [
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
];

function toGeminiContent(answer: JsonObject): JsonObject {
  const [candidate] = objectMembers(answer['candidates']);
  const blockReason = nonBlankMember(memberNamed(objectMember(memberNamed(answer, 'promptFeedback')), 'blockReason'));
  const usage = objectMember(memberNamed(answer, 'usageMetadata'));
  const counts = Object.fromEntries(USAGE_FIELDS.map((name) => [name, memberNamed(usage, name) ?? null]));
  return presentMembers({
    candidates: candidate && [toGeminiCandidate(candidate)],
    usageMetadata: usageCounts(counts, USAGE_FIELDS),
    promptFeedback: blockReason === undefined ? undefined : { blockReason },
  });
}

function toGeminiCandidate(candidate: JsonObject): JsonObject {
  const content = objectMember(candidate['content']);
  return presentMembers({
    content: { parts: objectMembers(content['parts']).flatMap(toGeminiPart) },
    finishReason: nonBlankMember(memberNamed(candidate, 'finishReason')),
  });
}

/** Rewrites a part; parts other than texts and calls are passed over. */
function toGeminiPart(part: JsonObject): JsonObject[] {
  const thoughtSignature = textMember(memberNamed(part, 'thoughtSignature'));
  const call = memberNamed(part, 'functionCall');
  if (isJsonObject(call)) return [presentMembers({ functionCall: toFunctionCall(call), thoughtSignature })];
  const text = textMember(part['text']);
  if (text === undefined && thoughtSignature === undefined) return [];
  return [presentMembers({ text: text ?? '', thought: part['thought'] === true ? true : undefined, thoughtSignature })];
}

/** Arguments may come as text, or in pieces (`partialArgs`), whose last ones name no function. */
function toFunctionCall(call: JsonObject): JsonObject {
  const pieces = objectMembers(memberNamed(call, 'partialArgs')).filter(
    (piece) => typeof memberNamed(piece, 'jsonPath') === 'string',
  );
  const name = nonBlankMember(call['name']);
  const args = call['args'] ?? call['arguments'] ?? undefined;
  if (name === undefined && args !== undefined) throw unusableAnswer('a /functionCall has no /name');
  return presentMembers({
    id: nonBlankMember(call['id']),
    name,
    args: typeof args === 'string' ? parseArguments(args) : args,
    partialArgs: pieces.length > 0 ? pieces : undefined,
    willContinue: memberNamed(call, 'willContinue') === true ? true : undefined,
  });
}
