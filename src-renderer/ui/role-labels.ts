import type { Role } from '../../src-main/shared/model/trace.ts';

/** Roles as the screens name them. */
export const roleLabels: Readonly<Record<Role, string>> = {
  main: 'main process',
  'dataloader-worker': 'DataLoader worker',
  'pin-memory': 'pin-memory thread',
  kernel: 'kernel',
  other: 'other',
};
