import type { Severity } from '../../src-main/shared/answers/diagnosis.ts';

/** The tone of a badge that says how severe something is. */
export const severityTones: Readonly<Record<Severity, 'danger' | 'warn' | 'neutral' | 'accent'>> = {
  high: 'danger',
  medium: 'warn',
  low: 'neutral',
  info: 'accent',
};
