import { giveBackMemory } from './app/trace-process/give-back.ts';
import { traceProcessCalls } from './app/trace-process/trace-process-calls.ts';
import { createTraceSession } from './app/trace-process/trace-session.ts';
import { serveParent } from './rpc/parent-port.ts';
import { atRest } from './system/at-rest.ts';

/** Entry of the process that owns one open trace: its file, its columns, its socket. */
serveParent(traceProcessCalls, createTraceSession(undefined, atRest(giveBackMemory)));
