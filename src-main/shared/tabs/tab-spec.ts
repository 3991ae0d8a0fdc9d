/** What is known of a tab of an investigation without its component, which is in src-renderer/views/tabs/. */
export interface TabSpec {
  /** In addresses, saved views and `.stalltrace` files: it never changes. */
  readonly id: string;
  /** Above the tab. */
  readonly label: string;
  /** In menus and in the palette; its words stand in sentences as well. */
  readonly title: string;
  /** As of a command: `KeyboardEvent.code` with modifiers. */
  readonly keys: readonly string[];
  /** When its component exists: what it costs to build is weighed against what it would forget. */
  readonly mounted: 'always' | 'once-shown' | 'while-shown';
  /** Whether a bookmark brings one back to it; any other is for the timeline. */
  readonly bookmarked?: true;
}
