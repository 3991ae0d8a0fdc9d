import type { TabSpec } from './tab-spec.ts';

export const flame = {
  id: 'flame',
  label: 'Flame',
  title: 'Flame graph',
  keys: ['Alt+Digit3'],
  mounted: 'while-shown',
  bookmarked: true,
} as const satisfies TabSpec;
