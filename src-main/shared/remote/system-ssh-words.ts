/** What to do where only the system's ssh can connect, as the form of a host and the command line call it. */
export const USE_SYSTEM_SSH =
  'choose “this machine’s ssh” for this host (on the command line: --system-ssh)';
