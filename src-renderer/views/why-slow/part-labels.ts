import type { AccountingPart } from '../../../src-main/shared/explanation.ts';

export const partLabels: Readonly<Record<AccountingPart['kind'], string>> = {
  running: 'Running',
  'off-cpu': 'Off the CPU',
  unexplained: 'Unexplained',
};
