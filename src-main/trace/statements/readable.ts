import { documentedTables } from '../formats/stalltrace/create.ts';
import { views } from './views.ts';

/** Everything that a statement may read, lower case. */
export const readable: ReadonlySet<string> = new Set([
  'sqlite_schema',
  'sqlite_master',
  'json_each',
  'json_tree',
  ...documentedTables().map(({ name }) => name.toLowerCase()),
  ...views.map(({ name }) => name),
]);
