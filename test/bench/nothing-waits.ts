import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTraceSession } from '../../src-main/app/trace-process/trace-session.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { explainDuringDiagnosis } from './measure/during-diagnosis.ts';
import { tell } from './measure/figures.ts';
import { EXPLANATION_MS, GOAL_EVENTS } from './measure/sizes.ts';

/**
 * "Why slow" of single calls while the diagnosis of the whole trace is worked out, in the process of an open
 * trace. The peer is what one thread would do: there each of them waits until the diagnosis is there.
 * Also told: the memory of the process.
 */

const size = Number(process.argv[2] ?? GOAL_EVENTS);
const signal = new AbortController().signal;
const context = { signal, session: signal, progress: () => undefined };

const scratchFolder = mkdtempSync(join(tmpdir(), 'stalltrace-nothing-waits-'));
process.on('exit', () => rmSync(scratchFolder, { recursive: true, force: true }));
const session = createTraceSession();

function must<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const asked = { path: largeTrace(size), scratchFolder, dataSocket: join(scratchFolder, 'data') };
const { tables } = must(await session.open(asked, context));
const resident = (figure: string) =>
  tell({ size, figure, unit: 'MiB', value: process.memoryUsage.rss() / 2 ** 20 });
resident('memory once opened');

const { first, during, diagnosisMs } = await explainDuringDiagnosis(
  tables.cuda_call.rows,
  async (call) => must(await session['trace.explain']({ call }, context)),
  async () => must(await session['trace.diagnose']({}, context)),
);
const ms = { size, unit: 'ms', goal: EXPLANATION_MS };
const peer = { name: 'one thread, at most', value: diagnosisMs };
tell({ ...ms, figure: 'the first explanation', value: first });
tell({ ...ms, figure: 'explanation during a diagnosis, median', value: median(during), peer });
tell({
  ...ms,
  figure: 'explanation during a diagnosis, longest',
  value: Math.max(...during),
  peer,
});
resident('memory after the diagnosis');
process.exit(0);
