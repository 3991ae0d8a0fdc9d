import type { TabSpec } from './tab-spec.ts';

export const processes = {
  id: 'processes',
  label: 'Processes',
  title: 'Processes',
  keys: ['Alt+Digit4'],
  mounted: 'while-shown',
} as const satisfies TabSpec;
