import type { NamedFunction } from '../../shared/answers/stretch.ts';
import { frameAt, type Stacks } from '../../shared/model/stacks.ts';
import { cleanText } from '../../shared/text/text.ts';

/** `evaluate` of `evaluate.<locals>.<listcomp>`: whose code it is. */
export function ownerName(symbol: string): string {
  return symbol.replace(/\.<locals>\.<(listcomp|setcomp|dictcomp|genexpr|lambda)>.*$/, '');
}

/** The function of frame number `frame`. */
export function namedFunction(stacks: Stacks, frame: number): NamedFunction {
  const { symbol, file = '' } = frameAt(stacks, frame);
  return {
    name: cleanText(ownerName(symbol), 80),
    file: cleanText(file.slice(file.lastIndexOf('/') + 1), 60),
  };
}

/** `save_model (train.py:51)`: of frame number `frame`. */
export function placeText(stacks: Stacks, frame: number): string {
  const { name, file } = namedFunction(stacks, frame);
  const line = stacks.frames.line[frame];
  const where = line < 0 ? file : `${file}:${line}`;
  return where === '' ? name : `${name} (${where})`;
}
