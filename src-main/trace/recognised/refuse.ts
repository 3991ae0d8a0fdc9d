import { fail, type Result } from '../../shared/rpc/result.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { jsonKeys } from '../content/json-keys.ts';
import { unpackedName } from '../content/packing.ts';
import { allRecognised } from './all-recognised.ts';
import { CHOOSE_A_TRACE, type Head, type Recognised } from './recognised.ts';

/** Says what a file is that no importer reads, and what to do instead, by how it begins. */
export function refuseContent(bytes: Buffer, fileName: string): Result<never, TraceFileError> {
  const head = headOf(bytes);
  const known = allRecognised.find(({ isIn }) => isIn?.(head));
  if (known !== undefined) return refuse(known, `“${fileName}”`);
  const detail = `first bytes ${bytes.toString('hex', 0, 16)}`;
  const named = allRecognised.find(({ name }) => name?.test(unpackedName(fileName)));
  if (named !== undefined) return refuse(named, `By its name, “${fileName}”`, detail);
  const message = `“${fileName}” is in no format that Stalltrace knows: ${CHOOSE_A_TRACE}.`;
  return fail('file-not-a-trace', message, detail);
}

/** The same of a database, by its tables; undefined where it is an unknown one. */
export function refuseDatabase(
  tables: ReadonlySet<string>,
  fileName: string,
): Result<never, TraceFileError> | undefined {
  const known = allRecognised.find(({ hasTables }) => hasTables?.(tables));
  return known && refuse(known, `“${fileName}”`);
}

function refuse(
  { is, but, instead, isNoTrace }: Recognised,
  subject: string,
  detail?: string,
): Result<never, TraceFileError> {
  const what = but === undefined ? is : `${is}, ${but}`;
  return fail(
    isNoTrace ? 'file-not-a-trace' : 'file-unsupported',
    `${subject} is ${what}: ${instead}.`,
    detail,
  );
}

function headOf(bytes: Buffer): Head {
  // A character that the end of the head cuts in two is none that is wrong.
  const text = bytes.toString('utf8').replace(/\ufffd{1,3}$/, '');
  return { bytes, text, keys: jsonKeys(text) };
}
