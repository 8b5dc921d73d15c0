/** A terminal with an input line. This file contains xterm.js and is loaded when a terminal is opened. */
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'preact/hooks';
import { withStyleSheets } from '../../platform/style-sheets.js';
import { theme } from '../../theme.js';
import { LineEditor } from './line-editor.js';

const COLOURS = {
  dark: { background: '#14181d', foreground: '#e6e9ec', cursor: '#7cc0ff', red: '#ff9a94', brightBlack: '#a3adb8' },
  light: { background: '#ffffff', foreground: '#1b2127', cursor: '#0b5cad', red: '#b0231b', brightBlack: '#56616c' },
} as const;

interface TerminalBoxProps {
  /** Lines that the arrow keys recall, oldest first. The editor adds new lines. */
  readonly history: string[];
  /** The line that the user is typing. */
  readonly typed: { line: string };
  /** Called when the terminal is ready. */
  readonly opened: (editor: LineEditor) => void;
  /** Called for each line. */
  readonly enter: (line: string) => void;
  /** Words that can follow at the end of a line. */
  readonly complete: (line: string) => Promise<readonly string[]>;
}

export function TerminalBox(props: TerminalBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [terminal, setTerminal] = useState<Terminal>();
  useEffect(() => {
    const { current: element } = box;
    if (!element) return;
    const created = open(element, latest);
    setTerminal(created.terminal);
    latest.current.opened(created.editor);
    return created.close;
  }, []);
  useEffect(() => {
    if (terminal) terminal.options.theme = COLOURS[theme.value];
  }, [terminal, theme.value]);
  return (
    <div>
      <div class="remote" role="group" aria-label="Terminal">
        {/* This element must have no padding, because xterm.js uses its whole width for the columns and the scroll bar. */}
        <div class="screen" ref={box} />
      </div>
      <p class="dim">Arrow keys recall lines. Shift+Tab leaves the terminal backwards, Esc and Tab forwards.</p>
    </div>
  );
}

function open(element: HTMLElement, props: { readonly current: TerminalBoxProps }) {
  const terminal = new Terminal({
    ...{ cursorBlink: false, convertEol: false, scrollback: 2000, fontSize: 13, screenReaderMode: true },
    theme: COLOURS[theme.value],
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  withStyleSheets(() => terminal.open(element));
  fit.fit();
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(element);
  const editor = new LineEditor({
    history: props.current.history,
    typed: props.current.typed,
    columns: () => terminal.cols,
    write: (text) => terminal.write(text),
    enter: (line) => props.current.enter(line),
    complete: (line) => props.current.complete(line),
  });
  terminal.onData((keys) => editor.type(keys));
  // TAB completes words. After Esc it moves the focus instead, so that keyboard users can leave the terminal.
  let leaves = false;
  terminal.attachCustomKeyEventHandler(({ type, key, shiftKey }) => {
    if (key === 'Tab' && (leaves || shiftKey)) return false;
    if (type === 'keydown') leaves = key === 'Escape';
    return true;
  });
  const close = () => {
    observer.disconnect();
    terminal.dispose();
  };
  return { terminal, editor, close };
}
