import type { TabSpec } from './tab-spec.ts';

export const overview = {
  id: 'overview',
  label: 'Overview',
  title: 'Overview',
  keys: ['Alt+Digit1'],
  mounted: 'always',
} as const satisfies TabSpec;
