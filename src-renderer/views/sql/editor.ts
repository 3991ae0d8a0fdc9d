import {
  autocompletion,
  type CompletionContext,
  closeBrackets,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { SQLDialect, type SQLNamespace, sql } from '@codemirror/lang-sql';
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

/** What a SELECT of SQLite is made of: https://www.sqlite.org/lang_select.html; other words would only be in the way. */
const dialect = SQLDialect.define({
  keywords:
    'all and as asc between by case cast collate cross current desc distinct else end escape except exclude exists filter first following from full glob group having in inner intersect is isnull join last left like limit materialized natural not notnull null nulls offset on or order outer over partition preceding range recursive regexp right rows select then ties unbounded union using values when where window with',
  types: 'integer real text blob numeric',
  builtin:
    'abs avg ceil coalesce count dense_rank first_value floor format group_concat ifnull iif instr json_each lag last_value lead length lower max min ntile nullif percent_rank pow printf rank replace round row_number sign sqrt substr sum total trim typeof upper',
  operatorChars: '*+-%<>!=&|~/',
  identifierQuotes: '`"[',
  specialVar: '@:?$',
  caseInsensitiveIdentifiers: true,
});

/** Columns of the tables that the statement names, or of all views: a SELECT names its columns first. */
function columnSource(tables: readonly StatementTable[]) {
  return (context: CompletionContext) => {
    const word = context.matchBefore(/\w+/);
    if (word === null || context.matchBefore(/\.\w*/) !== null) return null;
    const named = new Set(context.state.doc.toString().toLowerCase().match(/\w+/g));
    const read = tables.filter(({ name }) => named.has(name.toLowerCase()));
    const offered = read.length > 0 ? read : tables.filter(({ kind }) => kind === 'view');
    const columns = new Map(
      offered.flatMap((table) => table.columns.map((column) => [column.name, column])),
    );
    const options = [...columns.values()].map(({ name, unit, doc }) => ({
      ...{ label: name, type: 'property', detail: unit, info: doc, boost: 10 },
    }));
    return { from: word.from, options, validFor: /^\w*$/ };
  };
}

function language(tables: readonly StatementTable[]) {
  const support = sql({ dialect, schema: completions(tables), upperCaseKeywords: true });
  return [support, dialect.language.data.of({ autocomplete: columnSource(tables) })];
}

/**
 * What is typed over a selection. Chromium would keep the look of what it replaces in a style attribute, which the page's
 * content security policy refuses, and says in the console.
 */
const typesOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || isComposing || empty) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), {
        userEvent: 'input.type',
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/** What is done by a key of the app leaves no list of completions over its result. */
function takesKey({ onKey }: EditorOptions) {
  return (view: EditorView, event: KeyboardEvent) => {
    const isTaken = onKey(event);
    if (isTaken) closeCompletion(view);
    return isTaken;
  };
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
        Prec.highest(keymap.of([{ any: takesKey(options) }])),
        typesOver,
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
        EditorView.contentAttributes.of({ 'aria-label': options.label, tabindex: '0' }),
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
