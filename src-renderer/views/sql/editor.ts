import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { SQLite, type SQLNamespace, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { StatementTable } from '../../../src-main/shared/answers/statement.ts';

export interface EditorOptions {
  readonly text: string;
  readonly label: string;
  onChange(text: string): void;
  /** Before the editor's own keys; whether the key was taken. */
  onKey(event: KeyboardEvent): boolean;
}

export interface Editor {
  readonly text: string;
  /** What can be completed. */
  offer(tables: readonly StatementTable[]): void;
  /** Writes where the cursor is, a space before it where words would run together, and goes on from there. */
  insert(word: string): void;
  /** Another text in place of all; undone as one step. */
  replace(text: string): void;
  focus(): void;
  destroy(): void;
}

/** By the page's own colours, in both themes. */
const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--fg)', backgroundColor: 'var(--panel)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--fg)', padding: '6px 0' },
  '.cm-gutters': {
    border: 'none',
    color: 'var(--muted)',
    backgroundColor: 'var(--panel-2)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--border-strong)',
    borderRadius: '4px',
    color: 'var(--fg)',
    backgroundColor: 'var(--panel)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--accent-fg)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': {
    color: 'inherit',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '4px 8px', fontFamily: 'var(--font)' },
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--synthetic)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.comment], color: 'var(--muted)', fontStyle: 'italic' },
]);

function completions(tables: readonly StatementTable[]): SQLNamespace {
  return Object.fromEntries(
    tables.map(({ name, doc, columns }) => [
      name,
      {
        self: { label: name, type: 'type', info: doc },
        children: columns.map((column) => ({
          label: column.name,
          type: 'property',
          detail: column.unit,
          info: column.doc,
        })),
      },
    ]),
  );
}

function language(tables: readonly StatementTable[]) {
  return sql({ dialect: SQLite, schema: completions(tables), upperCaseKeywords: true });
}

/**
 * An editor of SQL in `root`. In a shadow root CodeMirror keeps its styles in a constructed style sheet, which the page's
 * content security policy allows; in the document it would write a style element, which is refused.
 */
export function createEditor(root: ShadowRoot, options: EditorOptions): Editor {
  const schema = new Compartment();
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        Prec.highest(keymap.of([{ any: (_, event) => options.onKey(event) }])),
        lineNumbers(),
        history(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        schema.of(language([])),
        syntaxHighlighting(colours),
        look,
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': options.label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    offer: (tables) => view.dispatch({ effects: schema.reconfigure(language(tables)) }),
    insert(word) {
      const { from, to } = view.state.selection.main;
      const before = view.state.sliceDoc(Math.max(0, from - 1), from);
      const insert = /\w/.test(before) ? ` ${word}` : word;
      const anchor = from + insert.length;
      view.dispatch({ changes: { from, to, insert }, selection: { anchor }, scrollIntoView: true });
      view.focus();
    },
    replace(text) {
      const to = view.state.doc.length;
      view.dispatch({ changes: { from: 0, to, insert: text }, selection: { anchor: text.length } });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
