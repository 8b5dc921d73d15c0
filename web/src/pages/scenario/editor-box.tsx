/** The editor. This file contains CodeMirror and is loaded when the page is opened. */
import { autocompletion, type CompletionContext, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyField, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { EditorState, type Text } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';
import type { ScenarioCheck, ScenarioWords } from '../../../../src/control/scenarios.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { withStyleSheets } from '../../platform/style-sheets.js';
import { completionsAt } from './completion.js';

/** Time between the last key press and the check of the text, in ms. */
const DELAY = 400;

/** Number of completions in the list: as many as fit without scrolling. The arrow keys show further ones. */
const LISTED = 12;

/** A position that the editor has to show. Every request has a new object, so that the same position can be shown again. */
export interface Target {
  readonly line: number;
  readonly column: number;
}

/** The states of the drafts that were shown before, with what the user can undo in them, by id. */
const KEPT = new Map<string, unknown>();
const FIELDS = { history: historyField };

interface EditorBoxProps {
  /** Of the draft. */
  readonly id: string;
  /** Initial text. Later values have no effect, because the editor itself has the present text. */
  readonly text: string;
  readonly change: (text: string) => void;
  readonly check: (text: string) => Promise<ScenarioCheck['problems']>;
  readonly words: ScenarioWords | undefined;
  readonly target: Target | undefined;
}

export function EditorBox(props: EditorBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const { current: parent } = box;
    if (!parent) return;
    const view = withStyleSheets(() => open(parent, latest));
    editor.current = view;
    forceLinting(view);
    const { id } = latest.current;
    return () => {
      KEPT.set(id, view.state.toJSON(FIELDS));
      view.destroy();
    };
  }, []);
  useEffect(() => {
    const { current: view } = editor;
    if (!view || !props.target) return;
    view.dispatch({ selection: { anchor: offsetOf(view.state.doc, props.target) }, scrollIntoView: true });
    view.focus();
  }, [props.target]);
  return <div class="editor" ref={box} />;
}

function open(parent: HTMLElement, props: { readonly current: EditorBoxProps }): EditorView {
  const { id, text: doc } = props.current;
  const config = {
    doc,
    extensions: [
      ...[lineNumbers(), lintGutter(), history(), drawSelection(), highlightActiveLine(), closeBrackets(), yaml()],
      ...[EditorView.lineWrapping, EditorState.tabSize.of(2), COLOURS, syntaxHighlighting(HIGHLIGHTS)],
      EditorView.contentAttributes.of({ 'aria-label': 'Scenario in YAML', spellcheck: 'false', tabindex: '0' }),
      // No key map for TAB, which moves the focus as on every page.
      keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
      autocompletion({
        override: [(context) => complete(context, props.current.words)],
        ...{ icons: false, maxRenderedOptions: LISTED },
      }),
      linter((view) => lint(view.state.doc, props.current.check), { delay: DELAY }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) props.current.change(update.state.doc.toString());
      }),
    ],
  };
  const kept = KEPT.get(id);
  const before = kept === undefined ? undefined : EditorState.fromJSON(kept, config, FIELDS);
  // Another window may have changed the draft meanwhile.
  const state = before?.doc.toString() === doc ? before : EditorState.create(config);
  return new EditorView({ parent, state });
}

function complete(context: CompletionContext, words: ScenarioWords | undefined) {
  if (!words || (!context.explicit && !context.matchBefore(/[\w.-]+/))) return null;
  const found = completionsAt(context.state.doc.toString(), context.pos, words);
  return found ? { from: found.from, options: [...found.options], validFor: /^[\w.-]*$/ } : null;
}

async function lint(doc: Text, check: EditorBoxProps['check']): Promise<readonly Diagnostic[]> {
  const problems = await check(doc.toString());
  return problems.map((problem) => {
    const from = offsetOf(doc, problem);
    const line = doc.lineAt(from);
    const [word = ''] = /^[^\s,:{}[\]]+/.exec(line.text.slice(from - line.from)) ?? [];
    const to = Math.min(line.to, from + Math.max(1, word.length));
    return { from, to, severity: 'error', message: printableLine(problem.message) };
  });
}

/** Offset of a position; the nearest offset if the text has become shorter. */
function offsetOf(doc: Text, { line: number, column }: Target): number {
  const line = doc.line(Math.max(1, Math.min(doc.lines, number)));
  return Math.min(line.to, line.from + Math.max(0, column - 1));
}

/** The theme of the editor uses the colours of the page, which change with the theme of the page. */
const COLOURS = EditorView.theme({
  '&': { backgroundColor: 'var(--raised)', color: 'var(--text)', height: '100%', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--link)' },
  '.cm-scroller': { fontFamily: 'ui-monospace, "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--dim)', border: '0' },
  '.cm-activeLine': { backgroundColor: 'transparent', boxShadow: 'inset 2px 0 0 var(--line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--hover)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--ground)', color: 'var(--text)', border: '1px solid var(--line)' },
  // The list does not scroll: it never has the focus, so the keyboard could not scroll it.
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: 'none', overflow: 'visible' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--strong)',
    color: 'var(--on-strong)',
  },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
});

const HIGHLIGHTS = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--link)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--dim)', fontStyle: 'italic' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.labelName, tags.typeName, tags.keyword], color: 'var(--late)' },
]);
