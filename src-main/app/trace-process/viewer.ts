import { hostname, userInfo } from 'node:os';
import type { Viewer } from '../../report/hide-private.ts';

/** Whose names may stand in the notes and in the path of the file. */
export function viewer(): Viewer {
  try {
    return { host: hostname(), user: userInfo().username };
  } catch {
    // This process runs under an id that has no account.
    return { host: hostname(), user: '' };
  }
}
