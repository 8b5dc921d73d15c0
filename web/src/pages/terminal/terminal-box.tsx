/** A terminal with a line to enter. This file is loaded with xterm.js when a terminal is opened. */
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'preact/hooks';
import { withStyleSheets } from '../../platform/style-sheets.js';
import { theme } from '../../theme.js';
import { LineEditor, type Screen } from './line-editor.js';

const COLOURS = {
  dark: { background: '#14181d', foreground: '#e6e9ec', cursor: '#7cc0ff', red: '#ff9a94' },
  light: { background: '#ffffff', foreground: '#1b2127', cursor: '#0b5cad', red: '#b0231b' },
} as const;

interface TerminalBoxProps {
  readonly prompt: string;
  /** Called when the terminal is ready. */
  readonly opened?: (screen: Screen) => void;
  /** Called for each line. */
  readonly enter: (line: string, screen: Screen) => void;
  /** Words that can follow at the end of a line. Default: TAB does nothing. */
  readonly complete?: (line: string) => Promise<readonly string[]>;
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
    latest.current.opened?.(created.editor);
    return created.close;
  }, []);
  useEffect(() => {
    if (terminal) terminal.options.theme = COLOURS[theme.value];
  }, [terminal, theme.value]);
  return (
    <>
      <div class="remote" ref={box} role="group" aria-label="Terminal" />
      <p class="dim">Shift+Tab leaves the terminal.</p>
    </>
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
  const editor = new LineEditor(props.current.prompt, {
    write: (text) => terminal.write(text),
    enter: (line) => props.current.enter(line, editor),
    complete: async (line) => (await props.current.complete?.(line)) ?? [],
  });
  terminal.onData((keys) => editor.type(keys));
  const close = () => {
    observer.disconnect();
    terminal.dispose();
  };
  return { terminal, editor, close };
}
