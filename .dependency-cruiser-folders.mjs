// No folder needs one that needs it. Tests look everywhere, so they are left out.
import { options } from './.dependency-cruiser.mjs';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-folder-cycles',
      comment: 'two folders that need each other are one room: a type counts as well',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    ...options,
    exclude: { path: '\\.test\\.ts$|/testing/|^node_modules|^test/' },
  },
};
