/** Languages of the scripted model, as ISO 639-1 codes. */
export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

/* cspell:disable */
const COMMON_WORDS: Readonly<Record<Exclude<Language, 'ja'>, string>> = {
  en: 'the and is it you my me to of i not please would order want',
  de: 'der die das und ist ich nicht bitte mit aus zurück bestellung guten möchte sie war keine',
  es: 'el la los hola quiero por favor pedido gracias me ya con llegó',
  fr: 'je la le les de vous bonjour commande merci est pas pour votre jamais',
};
/* cspell:enable */

const JAPANESE = /[\u3040-\u30FF]/;

/** Guesses a text's language by its most common words; English by default. */
export function detectLanguage(text: string): Language {
  if (JAPANESE.test(text)) return 'ja';
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = Object.entries(COMMON_WORDS).map(([language, common]) => {
    const known = new Set(common.split(' '));
    return { language, score: words.filter((word) => known.has(word)).length };
  });
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a));
  return toLanguage(best.language);
}

/** Returns a supported language; English for all others. */
export function toLanguage(code: string): Language {
  return LANGUAGES.find((language) => language === code) ?? 'en';
}
