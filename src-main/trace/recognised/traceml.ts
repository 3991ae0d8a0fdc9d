import { NOT_YET, RECORD, type Recognised } from './recognised.ts';

/** `final_summary.json`: diagnoses and averages, without an event. */
export const traceml: Recognised = {
  is: 'a summary by TraceML',
  but: NOT_YET,
  instead: `read its diagnoses in the file itself, which is text, or ${RECORD}`,
  isIn: ({ keys }) => keys.has('primary_diagnosis') && keys.has('schema_version'),
};
