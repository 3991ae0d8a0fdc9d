import type { TabSpec } from './tab-spec.ts';

export const about = {
  id: 'about',
  label: 'Recording',
  title: 'About this recording',
  keys: ['Alt+Digit6'],
  mounted: 'while-shown',
} as const satisfies TabSpec;
