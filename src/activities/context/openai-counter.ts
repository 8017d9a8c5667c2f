import type { TokenCounter } from './estimate-tokens.ts';

/** The tokenizer of a model of OpenAI; what is new is taken for one of the present generation. */
export async function loadOpenAiCounter(model: string): Promise<TokenCounter> {
  const { countTokens } = OLDER_MODELS.test(model)
    ? await import('gpt-tokenizer/encoding/cl100k_base')
    : await import('gpt-tokenizer/encoding/o200k_base');
  return (text) => {
    let tokens = 0;
    for (let start = 0; start < text.length; start += PIECE)
      tokens += countTokens(text.slice(start, start + PIECE), AS_PLAIN_TEXT);
    return tokens;
  };
}

/** Models before `gpt-4o`, and what was made of them. */
const OLDER_MODELS = /^(ft:)?gpt-(3\.5|4)(?![\w.])/;

/** The tokenizer takes quadratic time for text without spaces. Each cut costs a token at most, and none is missed. */
const PIECE = 2_000;

/** Nobody who writes `<|endoftext|>` makes a request fail. */
const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };
