/**
 * xterm.js and CodeMirror write their styles into `<style>` elements, which the content security policy of the service forbids
 * as inline styles. This file redirects these styles into style sheets of the document, which the policy allows. The option
 * `documentOverride` of xterm.js 6.0 is not enough, because its viewport always uses the document of the window.
 */

/** Runs `open`; every `<style>` element that it creates becomes a style sheet of the document. */
export function withStyleSheets<T>(open: () => T): T {
  const { createElement } = Document.prototype;
  const create = (tag: string) => (tag === 'style' ? sheetElement() : createElement.call(document, tag));
  Object.defineProperty(document, 'createElement', { value: create, configurable: true });
  try {
    return open();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

/** An element whose text becomes a style sheet of the document while it exists. */
function sheetElement(): HTMLElement {
  const element = Document.prototype.createElement.call(document, 'span');
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, 'textContent', { set: (text: string) => sheet.replaceSync(text) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}
