const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });

/** Formats the distance of a time from now in its largest unit: "in 3 hours", "2 days ago". Both are in milliseconds. */
export function formatDistance(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs;
  const [unit, size] = UNITS.find(([, least]) => Math.abs(ms) >= least) ?? (['second', 1_000] as const);
  return RELATIVE.format(Math.trunc(ms / size), unit);
}

/** Formats a duration: "850 ms", "3.2 s", "4 min 10 s", "2 h 5 min". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/**
 * Characters that are invisible or change the text direction (Unicode Technical Report 36). It leaves out characters that
 * languages or emoji need, such as joiners and soft hyphens.
 */
const UNSEEN =
  /[^\P{Cc}\t\n]|[\u061c\u115f\u1160\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\p{Cs}\p{Co}]/gu;

/** Replaces invisible characters of a text by escapes such as `\u{200b}`; tabs and line ends stay. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);
}
