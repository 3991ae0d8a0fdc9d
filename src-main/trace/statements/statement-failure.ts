import type { DatabaseSync } from 'node:sqlite';
import { describeThrown, fail, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';

export type StatementError = 'statement-wrong' | 'statement-too-large';

/** Primary result codes, https://www.sqlite.org/rescode.html. */
const SQLITE_NOMEM = 7;
const SQLITE_TOOBIG = 18;
const SQLITE_AUTH = 23;

/** One sentence for what SQLite threw at `statement`; throws what is none of its errors. */
export function statementFailure(
  database: DatabaseSync,
  statement: string,
  thrown: unknown,
): Result<never, StatementError> {
  const code = errcodeOf(thrown);
  const said = describeThrown(thrown);
  if (code === undefined) throw thrown;
  if (code === SQLITE_NOMEM || code === SQLITE_TOOBIG) {
    const message =
      'The statement needs more memory than it may use: sort or group fewer rows, or add a LIMIT.';
    return fail('statement-too-large', message, said);
  }
  if (code === SQLITE_AUTH || /^(not authorized|access to |attempt to write)/.test(said)) {
    const message = 'Only SELECT is possible: a statement reads the trace and changes nothing.';
    return fail('statement-wrong', message, said);
  }
  const sentence = `The statement is wrong${placeOf(database, statement, said)}: ${cleanText(said, 300)}.`;
  return fail('statement-wrong', sentence, said);
}

function errcodeOf(thrown: unknown): number | undefined {
  const isSqlite =
    thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number';
  return isSqlite ? (thrown.errcode as number) & 0xff : undefined;
}

/** ` at line 2, column 5`, where the word that SQLite names stands; empty where it names none. */
function placeOf(database: DatabaseSync, statement: string, said: string): string {
  const near = /^near "([\s\S]+)": syntax error$/.exec(said)?.[1];
  const named = near ?? /^no such \w+: (?:.*\.)?([^.]+)$/.exec(said)?.[1];
  if (named === undefined) return '';
  const offset = placesOf(statement, named).find(
    (at) =>
      near === undefined || failsWithin(database, statement.slice(0, at + named.length), said),
  );
  if (offset === undefined) return '';
  const before = statement.slice(0, offset).split('\n');
  return ` at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

function placesOf(statement: string, named: string): number[] {
  const places: number[] = [];
  const text = statement.toLowerCase();
  const wanted = named.toLowerCase();
  for (
    let at = text.indexOf(wanted);
    at >= 0 && places.length < 100;
    at = text.indexOf(wanted, at + 1)
  ) {
    const around = `${text[at - 1] ?? ' '}${text[at + wanted.length] ?? ' '}`;
    // Not in the middle of a longer word.
    if (!/^\w/.test(wanted) || !/\w/.test(around)) places.push(at);
  }
  return places;
}

/** SQLite stops at the first wrong word: a statement that ends there has the same error. */
function failsWithin(database: DatabaseSync, start: string, said: string): boolean {
  try {
    database.prepare(start);
    return false;
  } catch (thrown) {
    return describeThrown(thrown) === said;
  }
}
