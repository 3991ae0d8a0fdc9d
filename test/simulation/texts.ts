import type { Frame } from '../../src-main/shared/model/stacks.ts';
import { StackBuilder } from '../../src-main/trace/build/stacks.ts';

/** Names and stacks, each kept once. */
export class Texts {
  readonly names: string[] = [];
  readonly sources: string[] = [];
  readonly stacks = new StackBuilder();
  readonly #positions = new Map<string, number>();

  name(source: string, text: string): number {
    const key = `${source}\n${text}`;
    let position = this.#positions.get(key);
    if (position === undefined) {
      position = this.names.push(text) - 1;
      this.sources.push(source);
      this.#positions.set(key, position);
    }
    return position;
  }

  /** A stack from lines `symbol @ file:line` (Python) or `symbol @ library` (native), leaf first. */
  stack(lines: string): number {
    const key = `stack\n${lines}`;
    let position = this.#positions.get(key);
    if (position === undefined) {
      const frames = lines
        .trim()
        .split('\n')
        .map((line) => parseFrame(line.trim()));
      position = this.stacks.add(frames);
      this.#positions.set(key, position);
    }
    return position;
  }
}

function parseFrame(text: string): Frame {
  const [symbol = '', place = ''] = text.split(' @ ');
  const python = /^(.*\.py):(\d+)$/.exec(place);
  if (python === null) return { symbol, file: place, language: 'native' };
  return { symbol, file: python[1] ?? '', line: Number(python[2]), language: 'python' };
}
