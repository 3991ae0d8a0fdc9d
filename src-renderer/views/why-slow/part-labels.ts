import type { AccountingPart } from '../../../src-main/shared/explanation.ts';

export const partLabels: Readonly<Record<AccountingPart['kind'], string>> = {
  running: 'Running',
  runnable: 'Waiting for a CPU',
  blocked: 'Blocked',
  'off-cpu': 'Off the CPU',
  unexplained: 'Unexplained',
};
