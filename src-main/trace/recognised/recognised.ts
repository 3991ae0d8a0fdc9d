/** How a file begins. */
export interface Head {
  readonly bytes: Buffer;
  /** The same as text: as UTF-8 where it is that. */
  readonly text: string;
  /** Of the JSON that it begins; none where it is none. */
  readonly keys: ReadonlySet<string>;
}

/** What a file may be that is known and can't be opened. */
export interface Recognised {
  /** With its article: “an Nsight Systems report”. */
  readonly is: string;
  /** Goes on behind a comma: that it can't be read. Promises nothing. */
  readonly but?: string;
  /** Goes on behind a colon: what to do instead. */
  readonly instead: string;
  /** Set where it is no trace or profile of anything. */
  readonly isNoTrace?: true;
  isIn?(head: Head): boolean;
  /** The same of a database, by the names of its tables in lower case. */
  hasTables?(tables: ReadonlySet<string>): boolean;
  /** A file that nothing else is known of may be this by its name; the sentence then says so. */
  readonly name?: RegExp;
}

export const NOT_YET = "which Stalltrace can't read yet";
export const NOT_READ = "which Stalltrace can't read";
export const RECORD = 'record the job with `stalltrace capture`';
/** The formats that are read: each importer's. */
export const CHOOSE_A_TRACE =
  'choose a Stalltrace trace, a .stalltrace file, an Ingero .db, an Nsight Systems SQLite export, a trace by the PyTorch profiler or a Chrome trace';
