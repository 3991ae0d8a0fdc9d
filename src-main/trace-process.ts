import { createTraceSession } from './app/trace-process/trace-session.ts';
import { serveParent } from './rpc/parent-port.ts';
import { traceProcessCalls } from './shared/contract/process-contract.ts';

/** Entry of the process that owns one open trace: its file, its columns, its socket. */
serveParent(traceProcessCalls, createTraceSession());
