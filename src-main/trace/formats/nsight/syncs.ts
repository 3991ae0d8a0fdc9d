import type { Cell } from '../../sqlite/row-query.ts';
import { type ExportTables, integerOr, processIn, within } from './export-tables.ts';
import { NOT_KNOWN } from './strings.ts';

const MAX_U32 = 2 ** 32 - 1;
const LOW_BITS = 0xffff;

/** Where CUPTI notes waits for a GPU, and what says which call waited. */
export const SYNCS = 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION';
export const SYNC_CALL = ['correlationId', processIn('globalPid')] as const;

/**
 * What waited for a GPU. The types of waits mean different things from version to version of Nsight Systems: the call of
 * the same process and number says it.
 */
export class ExportSyncs {
  /** Of each process by correlation id; empty until the call is met. */
  readonly #names = new Map<number, Map<number, string>>();
  /** By the low bits of a correlation id, whether any wait has such: of a million calls few are looked for. */
  readonly #mayWait = new Uint8Array(2 ** 16);

  constructor(tables: ExportTables) {
    for (const { count, cells } of tables.pages(SYNCS, SYNC_CALL)) {
      const [correlation, pid] = cells;
      for (let at = 0; at < count; at++) {
        const process = integerOr(pid[at], 0);
        const own = this.#names.get(process) ?? new Map<number, string>();
        const number = within(correlation[at], MAX_U32, 0);
        this.#mayWait[number & LOW_BITS] = 1;
        this.#names.set(process, own.set(number, ''));
      }
    }
  }

  noteCall(pid: Cell | undefined, correlation: number, name: string): void {
    if (this.#mayWait[correlation & LOW_BITS] === 0) return;
    const own = this.#names.get(integerOr(pid, 0));
    if (own?.get(correlation) === '') own.set(correlation, name);
  }

  nameOf(pid: Cell | undefined, correlation: Cell | undefined): string {
    const own = this.#names.get(integerOr(pid, 0));
    return own?.get(within(correlation, MAX_U32, 0)) || NOT_KNOWN;
  }
}
