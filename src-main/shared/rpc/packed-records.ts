/**
 * A hundred thousand records that are much alike, such as tracks, as little JSON: a column for each key, in which every value
 * is a form and a number (`tid 71` is the form `tid …` with 71), and what goes on in even steps is said once.
 */

/** How a value is made of its number: the number itself, a text and the number, or a value that has none. */
type Form = readonly ['number'] | readonly ['text', string] | readonly ['value', unknown];

/** Whole numbers as [step, times, step, times, …] from 0. */
type Steps = readonly number[];

interface PackedColumn {
  readonly key: string;
  readonly forms: readonly Form[];
  /** Of each record the index of its form; -1 = it does not have the key. */
  readonly form: Steps;
  readonly number: Steps;
}

export interface PackedRecords {
  readonly length: number;
  readonly columns: readonly PackedColumn[];
}

const ABSENT = -1;

function packSteps(values: Iterable<number>): number[] {
  const steps: number[] = [];
  let before = 0;
  for (const value of values) {
    const step = value - before;
    before = value;
    const times = steps.at(-1);
    if (times !== undefined && steps.at(-2) === step) steps[steps.length - 1] = times + 1;
    else steps.push(step, 1);
  }
  return steps;
}

function* unpackSteps(steps: Steps): Generator<number> {
  let value = 0;
  for (let at = 0; at < steps.length; at += 2)
    for (let times = steps[at + 1] ?? 0; times > 0; times--) {
      value += steps[at] ?? 0;
      yield value;
    }
}

/** Smaller by far than a step between two of them may be. */
const MOST = 2 ** 51;
const isPlain = (value: number) =>
  Number.isInteger(value) && Math.abs(value) < MOST && !Object.is(value, -0);

/** A value as its form and its number. */
function splitValue(value: unknown): readonly [form: Form, number: number] {
  if (typeof value === 'number' && isPlain(value)) return [['number'], value];
  if (typeof value !== 'string') return [['value', value], 0];
  const digits = /(?:0|[1-9]\d{0,14})$/.exec(value)?.[0];
  return digits === undefined || !isPlain(Number(digits))
    ? [['value', value], 0]
    : [['text', value.slice(0, -digits.length)], Number(digits)];
}

function packColumn(key: string, records: readonly object[]): PackedColumn {
  const places = new Map<string, number>();
  const forms: Form[] = [];
  const numbers: number[] = [];
  let last = 0;
  const form = records.map((record) => {
    const value = (record as Record<string, unknown>)[key];
    // In steps from the one before: what is absent makes none.
    if (value === undefined) {
      numbers.push(last);
      return ABSENT;
    }
    const [own, number] = splitValue(value);
    last = number;
    numbers.push(number);
    const name = JSON.stringify(own);
    const place = places.get(name) ?? forms.push(own) - 1;
    places.set(name, place);
    return place;
  });
  return { key, forms, form: packSteps(form), number: packSteps(numbers) };
}

/** What JSON makes of the records, packed: a key without a value is absent. */
export function packRecords(records: readonly object[]): PackedRecords {
  const keys = new Set(records.flatMap((record) => Object.keys(record)));
  return { length: records.length, columns: [...keys].map((key) => packColumn(key, records)) };
}

/** What `packRecords` was given. */
export function unpackRecords({ length, columns }: PackedRecords): object[] {
  const records = Array.from({ length }, (): Record<string, unknown> => ({}));
  for (const { key, forms, form, number } of columns) {
    const numbers = unpackSteps(number);
    let at = 0;
    for (const place of unpackSteps(form)) {
      const own = numbers.next().value as number;
      const record = records[at++];
      if (place !== ABSENT && record !== undefined) record[key] = joinValue(forms[place], own);
    }
  }
  return records;
}

function joinValue(form: Form | undefined, number: number): unknown {
  if (form?.[0] === 'text') return `${form[1]}${number}`;
  return form?.[0] === 'value' ? form[1] : number;
}
