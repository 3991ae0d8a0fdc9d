/** A file can't be read as a trace, or not written. */
export const EXIT_FAILURE = 1;
/** The command line is wrong. */
export const EXIT_USAGE = 2;
/** Ended by SIGINT, as shells report it. */
export const EXIT_INTERRUPTED = 130;
