import type { Command } from '../command/command.ts';
import { benchmark } from './benchmark.ts';
import { capture } from './capture.ts';
import { captures } from './captures.ts';
import { check } from './check.ts';
import { clean } from './clean.ts';
import { compare } from './compare.ts';
import { confirm } from './confirm.ts';
import { explain } from './explain.ts';
import { exportFile } from './export.ts';
import { flame } from './flame.ts';
import { importFiles } from './import.ts';
import { info } from './info.ts';
import { library } from './library.ts';
import { merge } from './merge.ts';
import { serve } from './serve.ts';
import { sql } from './sql.ts';

/** All commands, in the order of the general help. */
export const commands: readonly Command[] = [
  info,
  explain,
  confirm,
  compare,
  flame,
  sql,
  benchmark,
  exportFile,
  check,
  capture,
  captures,
  clean,
  merge,
  importFiles,
  library,
  serve,
];
