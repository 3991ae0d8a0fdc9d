import type { TabSpec } from './tab-spec.ts';

export const notes = {
  id: 'notes',
  label: 'Notes',
  title: 'Notes',
  keys: ['Alt+Digit5'],
  mounted: 'while-shown',
} as const satisfies TabSpec;
