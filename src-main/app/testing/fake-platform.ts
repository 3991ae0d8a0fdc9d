import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { handlersQuestions, questions } from '../../questions/questions.ts';
import { createRouter } from '../../rpc/router.ts';
import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { libraryProcessCalls } from '../../shared/contract/library-process-calls.ts';
import { remoteProcessCalls } from '../../shared/contract/remote-process-calls.ts';
import type { HostPlatform, LaunchedProcess } from '../../shared/platform.ts';
import { fail, ok } from '../../shared/rpc/result.ts';
import type { CallContext, CallTable, Handlers } from '../../shared/rpc/rpc.ts';
import { packingOf } from '../../trace/content/packing.ts';
import { sidecarSuffixes } from '../../trace/sqlite/private-copy.ts';
import { statementProcessCalls } from '../statement-process/statement-process-calls.ts';
import { traceProcessCalls } from '../trace-process/trace-process-calls.ts';
import type { FakeRemote } from './fake-remote.ts';

const SUMMARY = {
  format: 'test',
  beginUnixNs: '0',
  lengthNs: 1,
  hosts: [{}],
  cpus: [],
  gpus: [],
  processes: [{ pid: 7, name: 'python3', parent: -1, role: 'other', roleBasis: 'a guess' }],
} as unknown as TraceSummary;

/** What no process ever has an answer to. */
export const ENDLESS_STATEMENT = 'endless';

/** A call about which a process thinks for ever. */
export const NEVER_ANSWERED = 999_999;

export const NO_DIAGNOSIS: Diagnosis = {
  verdict: 'unknown',
  severity: 'info',
  headline: 'This trace holds no CUDA calls.',
  ranks: [],
  findings: [],
  chains: [],
  costs: [],
  windowNs: 0,
  cannotTell: [],
};

/** For each question; what a test needs an answer to is answered below. */
function noAnswers(): Handlers<typeof questions & typeof handlersQuestions> {
  const names = Object.keys({ ...questions, ...handlersQuestions });
  return Object.fromEntries(
    names.map((name) => [name, async () => fail('not-found', '')]),
  ) as never;
}

/**
 * Trace processes that live in this one: `slow.db` never opens, `bad.db` is no trace, any other
 * file does, and leaves a private copy. Checking a file that says `damaged` fails, `endless` never
 * ends. The library process serves `library`, the one that speaks SSH `remote`.
 */
export function fakePlatform(library?: Handlers<typeof libraryProcessCalls>, remote?: FakeRemote) {
  const alive = new Set<LaunchedProcess>();
  const asked: unknown[] = [];
  let opened = 0;
  const reading = { isEndless: false, begun: 0, tables: 'statements.db' };
  const trace: Handlers<typeof traceProcessCalls> = {
    ...noAnswers(),
    open: async ({ path, fileName, scratchFolder, dataSocket }, { progress }) => {
      if (basename(path) === 'bad.db')
        return fail('file-not-a-trace', `“${fileName ?? basename(path)}” is no trace.`);
      mkdirSync(scratchFolder, { recursive: true });
      writeFileSync(join(scratchFolder, 'copy'), '');
      if (basename(path) === 'slow.db') await new Promise(() => undefined);
      if (reading.isEndless) {
        reading.begun++;
        progress({ text: 'Reading' });
        await new Promise(() => undefined);
      }
      opened++;
      writeFileSync(dataSocket, '');
      return ok(SUMMARY);
    },
    moved: async ({ path }) => {
      asked.push({ moved: path });
      return ok(null);
    },
    copy: async ({ path, target }) => {
      if (basename(path) === 'bad.db') return fail('file-not-a-trace', 'No trace.');
      if (basename(path) === 'slow.db') await new Promise(() => undefined);
      // What a log holds is in the copy.
      const logs = sidecarSuffixes.map((suffix) => path + suffix).filter(existsSync);
      const bytes = unpacked(Buffer.concat([path, ...logs].map((part) => readFileSync(part))));
      writeFileSync(target, bytes, { flag: 'wx' });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return ok({ sha256, sizeBytes: bytes.length });
    },
    merge: async ({ files, target }) => {
      asked.push({ clocks: files.map(({ clock }) => clock) });
      const bytes = Buffer.concat(files.map(({ path }) => readFileSync(path)));
      if (bytes.includes('elsewhen')) return fail('traces-apart', 'Recorded at another time.');
      writeFileSync(target, bytes, { flag: 'wx' });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return ok({
        ...{ sha256, sizeBytes: bytes.length },
        merged: files.map((_, at) => at),
        leftOut: [],
        cutOff: [],
      });
    },
    check: async ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (text === 'endless') await new Promise(() => undefined);
      return text === 'damaged' ? fail('file-damaged', 'It is damaged.') : ok(null);
    },
    holdsKernelAddresses: async ({ path }) => ok(readFileSync(path).includes('kernel')),
    hideKernelAddresses: async ({ path }) => {
      writeFileSync(path, readFileSync(path, 'latin1').replaceAll('kernel', 'hidden'));
      return ok(null);
    },
    statementTables: async ({ tables }) =>
      ok({ path: reading.tables, written: tables, absent: [] }),
    describeTables: async () => ok([]),
    'trace.operations': async () => ok([]),
    'trace.explain': async ({ call }) => {
      if (call === NEVER_ANSWERED) await new Promise(() => undefined);
      return fail('not-found', '');
    },
    'trace.diagnose': async () => ok(NO_DIAGNOSIS),
    'report.benchmarkScript': async () => ok({ text: '#!/usr/bin/env python3\n' }),
    'report.drawing': async ({ name, notes }) => ok({ svg: JSON.stringify({ name, notes }) }),
    'trace.processes': async () =>
      ok({ processes: [], bases: [{ aggregated: [], atLeast: [] }], note: 'none' }),
    setRoles: async ({ roles }) => {
      asked.push({ roles });
      const processes = SUMMARY.processes.map((process) => {
        const set = roles.find(({ pid }) => pid === process.pid);
        return set === undefined ? process : { ...process, role: set.role, roleSet: true as const };
      });
      return ok({ ...SUMMARY, processes });
    },
  };

  let text = '';
  /** A statement answers with its own text. */
  const statement: Handlers<typeof statementProcessCalls> = {
    ready: async () => ok(null),
    prepare: async (asked) => {
      text = asked.text;
      return ok({ columns: ['text'], origins: [null], notRecorded: [], tables: ['off_cpu'] });
    },
    next: async () => {
      if (text === ENDLESS_STATEMENT) await new Promise(() => undefined);
      return ok({ rows: [[text]], done: true });
    },
  };

  function launch<Table extends CallTable>(
    table: Table,
    handlers: Handlers<Table>,
    serve: (emit: (name: string, payload: unknown) => void) => void = () => undefined,
  ) {
    let toHost: (message: unknown) => void = () => undefined;
    const exits: ((reason: string) => void)[] = [];
    const router = createRouter(table, handlers, (call, bug) => console.error(call, bug));
    const session = router.connect((frame) => toHost(frame));
    serve((name, payload) => toHost({ kind: 'event', name, payload }));
    const launched: LaunchedProcess = {
      post: (message) => session.receive(message),
      onMessage: (listener) => {
        toHost = listener;
      },
      onExit: (listener) => void exits.push(listener),
      kill: () => {
        if (!alive.delete(launched)) return;
        for (const listener of exits) listener('killed');
      },
    };
    return launched;
  }

  const platform: HostPlatform = {
    kind: 'cli',
    launch(entry) {
      if (entry === 'library-process') {
        if (library === undefined) throw new Error('this test has no library');
        return launch(libraryProcessCalls, library);
      }
      if (entry === 'remote-process') {
        if (remote === undefined) throw new Error('this test has no remote process');
        return launch(remoteProcessCalls, remote.handlers, (emit) => {
          remote.emit = emit;
        });
      }
      const launched =
        entry === 'statement-process'
          ? launch(statementProcessCalls, statement)
          : launch(traceProcessCalls, trace);
      alive.add(launched);
      return launched;
    },
    mayOpen: () => true,
  };
  /**
   * `alive`: the processes of traces and statements; `opened()`: how many files were read so far; `asked`: the roles they
   * were told; `reading`: whether no file opens any more, how many began to, and the file of tables for statements.
   */
  return { platform, alive, asked, reading, opened: () => opened };
}

export function contextOf(
  session = new AbortController(),
  call = new AbortController(),
): CallContext {
  return { signal: call.signal, session: session.signal, progress: () => undefined };
}

/** What is compressed is copied as what is in it. */
function unpacked(bytes: Buffer): Buffer {
  const packing = packingOf(bytes);
  if (packing === undefined) return bytes;
  return packing === 'gzip' ? gunzipSync(bytes) : zstdDecompressSync(bytes);
}
