import type { CallTable } from '../shared/rpc/rpc.ts';
import { around } from './around.ts';
import { benchmarkScript } from './benchmark-script.ts';
import { blockRequests } from './block-requests.ts';
import { chain } from './chain.ts';
import { confirm } from './confirm.ts';
import { diagnose } from './diagnose.ts';
import { explain } from './explain.ts';
import { flame } from './flame.ts';
import { kinds } from './kinds.ts';
import { lines } from './lines.ts';
import { neighbour } from './neighbour.ts';
import { operations } from './operations.ts';
import { picture } from './picture.ts';
import { processes } from './processes.ts';
import { rangeFigures } from './range-figures.ts';
import { reportFacts } from './report-facts.ts';
import { row } from './row.ts';
import { runFlame } from './run-flame.ts';
import { runSummary } from './run-summary.ts';
import { savedRow } from './saved-row.ts';
import { select } from './select.ts';
import { slowCall } from './slow-call.ts';
import { threadsOf } from './threads-of.ts';
import { tracks } from './tracks.ts';
import { workOf } from './work-of.ts';

/** Whoever has a trace open may ask these: each is a call of the contract, under this name. */
export const questions = {
  'trace.operations': operations,
  'trace.explain': explain,
  'trace.diagnose': diagnose,
  'trace.confirm': confirm,
  'trace.runFlame': runFlame,
  'trace.runSummary': runSummary,
  'trace.processes': processes,
  'trace.chain': chain,
  'trace.row': row,
  'trace.tracks': tracks,
  'trace.kinds': kinds,
  'trace.select': select,
  'trace.around': around,
  'trace.savedRow': savedRow,
  'trace.workOf': workOf,
  'trace.lines': lines,
  'trace.neighbour': neighbour,
  'trace.slowCall': slowCall,
  'trace.blockRequests': blockRequests,
  'trace.threadsOf': threadsOf,
  'trace.rangeFigures': rangeFigures,
  'trace.flame': flame,
  'report.benchmarkScript': benchmarkScript,
} as const satisfies CallTable;

/** Only the handlers of `report.markdown` and `report.picture` ask these, with what the library knows. */
export const handlersQuestions = {
  'report.facts': reportFacts,
  'report.drawing': picture,
} as const satisfies CallTable;
