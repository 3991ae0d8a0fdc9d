const UNIT_S: Readonly<Record<string, number>> = {
  '': 1,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};
/** As much as a timer of Node can wait. */
const LONGEST_S = 2_000_000;

/** Seconds of sshd_config(5)'s TIME FORMATS: `90`, `1m30s`; undefined where it is none. */
export function parseSeconds(text: string): number | undefined {
  if (!/^(\d{1,9}[smhdw]?)+$/i.test(text)) return undefined;
  let seconds = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+)([smhdw]?)/gi)) {
    seconds += Number(count) * (UNIT_S[unit.toLowerCase()] ?? 0);
  }
  return Math.min(seconds, LONGEST_S);
}
