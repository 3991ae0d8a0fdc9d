/** A way to leave a test out, or to let it fail, without anybody hearing of it. */
export interface SilentSkip {
  readonly line: number;
  readonly text: string;
}

/**
 * What test/support/requirements.ts is there for: a test that is left out says what is missing, and how to get
 * it. A retry hides what is uncertain, and an early return on some machines is a test that passes unasked.
 */
const WAYS = [
  /\b(?:test|it|describe|context|ctx)\.(?:skip|skipIf|runIf|todo|only|fails)\b/,
  /\bretry: [1-9]/,
  /\bif \(.*\bprocess\.(?:platform|arch|getuid|env)\b.*\) return;/,
];

/** The places in the text of a test file where one of these stands. */
export function silentSkips(source: string): SilentSkip[] {
  return source
    .split('\n')
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => WAYS.some((way) => way.test(text)));
}
