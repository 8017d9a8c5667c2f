import { isJsonObject } from '../../../graph/values/index.ts';
import type { JsonObject } from '../../../graph/values/index.ts';
import { countsIn, memberOf, nameIn, objectIn, objectsIn, parseArguments, present, textIn } from './members.ts';
import { ENDED_WITHOUT_REASON, unusableAnswer } from './wire-format.ts';
import type { WireFormat } from './wire-format.ts';

/** Answers of Google's `generateContent`; each event of a stream has the form of a complete one. */
export const geminiContent: WireFormat = {
  openStream() {
    let hasReason = false;
    return {
      read(event) {
        const read = toContent(event);
        hasReason ||= objectsIn(read['candidates']).some(({ finishReason }) => finishReason !== undefined);
        return Object.keys(read).length === 0 ? [] : [read];
      },
      complete: () => (hasReason ? [] : [{ candidates: [{ finishReason: ENDED_WITHOUT_REASON }] }]),
    };
  },
  readWhole(answer) {
    const read = toContent(answer);
    if (read['candidates'] === undefined && read['promptFeedback'] === undefined)
      throw unusableAnswer('it has no /candidates');
    return read;
  },
};

const USAGE: readonly string[] = [
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
];

function toContent(answer: JsonObject): JsonObject {
  const [candidate] = objectsIn(answer['candidates']);
  const blockReason = nameIn(memberOf(objectIn(memberOf(answer, 'promptFeedback')), 'blockReason'));
  const usage = objectIn(memberOf(answer, 'usageMetadata'));
  const counts = Object.fromEntries(USAGE.map((name) => [name, memberOf(usage, name) ?? null]));
  return present({
    candidates: candidate && [toCandidate(candidate)],
    usageMetadata: countsIn(counts, USAGE),
    promptFeedback: blockReason === undefined ? undefined : { blockReason },
  });
}

function toCandidate(candidate: JsonObject): JsonObject {
  const content = objectIn(candidate['content']);
  return present({
    content: { parts: objectsIn(content['parts']).flatMap(toPart) },
    finishReason: nameIn(memberOf(candidate, 'finishReason')),
  });
}

/** Rewrites a part; parts other than texts and calls are passed over. */
function toPart(part: JsonObject): JsonObject[] {
  const thoughtSignature = textIn(memberOf(part, 'thoughtSignature'));
  const call = memberOf(part, 'functionCall');
  if (isJsonObject(call)) return [present({ functionCall: toFunctionCall(call), thoughtSignature })];
  const text = textIn(part['text']);
  if (text === undefined && thoughtSignature === undefined) return [];
  return [present({ text: text ?? '', thought: part['thought'] === true ? true : undefined, thoughtSignature })];
}

/** Arguments may come as text, or in pieces (`partialArgs`), whose last ones name no function. */
function toFunctionCall(call: JsonObject): JsonObject {
  const pieces = objectsIn(memberOf(call, 'partialArgs')).filter(
    (piece) => typeof memberOf(piece, 'jsonPath') === 'string',
  );
  const name = nameIn(call['name']);
  const args = call['args'] ?? call['arguments'] ?? undefined;
  if (name === undefined && args !== undefined) throw unusableAnswer('a /functionCall has no /name');
  return present({
    id: nameIn(call['id']),
    name,
    args: typeof args === 'string' ? parseArguments(args) : args,
    partialArgs: pieces.length > 0 ? pieces : undefined,
    willContinue: memberOf(call, 'willContinue') === true ? true : undefined,
  });
}
