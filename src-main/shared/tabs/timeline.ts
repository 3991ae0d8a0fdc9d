import type { TabSpec } from './tab-spec.ts';

export const timeline = {
  id: 'timeline',
  label: 'Timeline',
  title: 'Timeline',
  keys: ['Alt+Digit2'],
  mounted: 'once-shown',
  bookmarked: true,
} as const satisfies TabSpec;
