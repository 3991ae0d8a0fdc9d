import type { LoopKind } from '../answers/loop-kind.ts';

/** Whose time is judged: most jobs train. */
export function loopOwner({ infers, serves, loopUnknown }: LoopKind): string {
  if (serves) return 'the server';
  if (infers) return 'the inference loop';
  return loopUnknown ? 'the process' : 'the training loop';
}

const TRAINING = /\b(t)he training (?:loop|process|thread)(?!\w)/gi;
/** Only training goes through its data again and again. */
const EPOCH = /\b(an )?epoch(s?)\b(?!\))/g;
const BEFORE_TRAINING = /\b(?:before|ahead of) training\b/g;

/** A server has requests: what has to be there before them. */
const FIRST_STEP = /\bbefore the first step\b/g;

/** A text about the training that most jobs do, as one about `owner`. */
export function inWords(text: string, owner: string): string {
  const told = text
    .replace(TRAINING, (_, first: string) => `${first}${owner.slice(1)}`)
    .replace(BEFORE_TRAINING, 'beforehand')
    .replace(EPOCH, (_, one: string | undefined, several: string) =>
      several === ''
        ? `${one === undefined ? '' : 'a '}pass over the data`
        : 'passes over the data',
    );
  if (owner === loopOwner({ serves: true }))
    return told.replace(FIRST_STEP, 'before the first request');
  return owner === loopOwner({ infers: true }) ? ofBatches(told) : told;
}

/** What infers goes through batches, and may get them from anything: its steps are these. */
function ofBatches(text: string): string {
  return text
    .replaceAll('the mean step of', 'the mean batch of')
    .replace(/\b(a) faster DataLoader would/gi, (_, first: string) =>
      first === 'A' ? 'Faster input would' : 'faster input would',
    );
}
