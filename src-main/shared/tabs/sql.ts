import type { TabSpec } from './tab-spec.ts';

export const sql = {
  id: 'sql',
  label: 'SQL',
  title: 'SQL statements',
  keys: ['Alt+Digit7'],
  mounted: 'once-shown',
} as const satisfies TabSpec;
