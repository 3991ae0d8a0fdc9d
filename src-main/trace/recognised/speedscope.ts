import { RECORD, type Recognised } from './recognised.ts';

/** As py-spy and others export it. */
export const speedscope: Recognised = {
  is: 'a speedscope profile, as py-spy makes it',
  but: "CPU samples alone, which Stalltrace can't read",
  instead: `look at it at speedscope.app, or ${RECORD}`,
  isIn: ({ text, keys }) =>
    keys.has('$schema') && text.includes('speedscope.app/file-format-schema'),
};
