import { fail } from '../shared/result.ts';

/** Calls of the contract whose areas are not built yet. An area that arrives takes its own out of here. */
const notYet = async () => fail('internal', 'This build can not do that yet.');

export const pendingHandlers = {
  'library.locate': notYet,
  'settings.dataFolder': notYet,
  'settings.moveDataFolder': notYet,
} as const;
