import type { TokenCounter } from './estimate-tokens.ts';

/** Loads the tokenizer of an OpenAI model. Unknown models get the current one. */
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

/** Models before `gpt-4o`, and their fine-tuned variants. */
const OLDER_MODELS = /^(ft:)?gpt-(3\.5|4)(?![\w.])/;

/** In characters: the tokenizer takes quadratic time for text without spaces. Each cut adds at most one token. */
const PIECE = 2_000;

/** Texts such as `<|endoftext|>` count as plain text; by default the tokenizer throws on them. */
const AS_PLAIN_TEXT = { disallowedSpecial: new Set<string>() };
