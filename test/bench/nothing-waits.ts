import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTraceSession } from '../../src-main/app/trace-process/trace-session.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { explainDuringDiagnosis } from './measure/during-diagnosis.ts';
import { tell } from './measure/figures.ts';
import { EXPLANATION_MS, GOAL_EVENTS, sizes } from './measure/sizes.ts';

/**
 * "Why slow" of single calls while the diagnosis of the whole trace is worked out, in the process of an open
 * trace. The peer is what one thread would do: there each of them waits until the diagnosis is there.
 * Also told: the memory of the process.
 */

const signal = new AbortController().signal;
const context = { signal, session: signal, progress: () => undefined };

function must<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

async function measure(size: number): Promise<void> {
  const scratchFolder = mkdtempSync(join(tmpdir(), 'stalltrace-nothing-waits-'));
  process.on('exit', () => rmSync(scratchFolder, { recursive: true, force: true }));
  const session = createTraceSession();
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
  const longest = Math.max(...during);
  tell({ ...ms, figure: 'explanation during a diagnosis, longest', value: longest, peer });
  resident('memory after the diagnosis');
}

/** In a process of its own, as a trace is opened in the app. */
function measureApart(size: number): void {
  const [file = ''] = process.argv.slice(1);
  const { status } = spawnSync(process.execPath, [file, '--events', String(size)], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`${size} events were not measured`);
}

const wanted = sizes([GOAL_EVENTS]);
if (wanted.length > 1) wanted.forEach(measureApart);
else await measure(wanted[0]);
process.exit(0);
