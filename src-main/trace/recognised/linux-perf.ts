import { NOT_READ, RECORD, type Recognised } from './recognised.ts';

export const linuxPerf: Recognised = {
  is: 'a recording by Linux perf',
  but: NOT_READ,
  instead: `look at it with \`perf report\`, or ${RECORD}`,
  isIn: ({ bytes }) => /^(?:PERFILE2|2ELIFREP)/.test(bytes.toString('latin1', 0, 8)),
};

/** `trace.dat` of trace-cmd; its manual trace-cmd.dat(5) has the magic number. */
export const traceCmd: Recognised = {
  is: 'a recording by trace-cmd',
  but: NOT_READ,
  instead: `look at it in KernelShark, or ${RECORD}`,
  isIn: ({ bytes }) => bytes.toString('latin1', 0, 10) === '\x17\x08\x44tracing',
};
