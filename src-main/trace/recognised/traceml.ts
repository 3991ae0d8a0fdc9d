import type { Recognised } from './recognised.ts';

/** `final_summary.json`: diagnoses and averages, without an event. One that was not compressed opens in the app. */
export const traceml: Recognised = {
  is: 'a summary by TraceML',
  but: 'which holds averages and no events',
  instead:
    'to see it beside a trace of the same run, unpack it if it is packed, then run `stalltrace compare TRACE SUMMARY`',
  isIn: ({ keys }) => keys.has('primary_diagnosis') && keys.has('schema_version'),
};
