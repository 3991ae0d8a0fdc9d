import { NOT_YET, RECORD, type Recognised } from './recognised.ts';

/** Trace Event Format: an object with `traceEvents`, or only the array of its events. */
export const chromeTrace: Recognised = {
  is: 'a Chrome trace (JSON)',
  but: NOT_YET,
  instead: `look at it at ui.perfetto.dev, or ${RECORD}`,
  isIn: ({ text, keys }) =>
    keys.has('traceEvents') ||
    (/^\ufeff?\s*\[/.test(text) && keys.has('ph') && (keys.has('ts') || keys.has('name'))),
};
