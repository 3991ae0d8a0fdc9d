/** Beside a database, no trace of its own. */
const BESIDE = /^\.|-(wal|shm|journal)$/;

/** Whether a file of a folder may be a trace, by its name. */
export const mayBeTrace = (name: string): boolean => !BESIDE.test(name);

/** rank2 before rank10. */
export const naturally = new Intl.Collator('en', { numeric: true }).compare;
