/** The table of commands, which the desktop's menu reads too. */
export * from '../../src-main/shared/commands.ts';
