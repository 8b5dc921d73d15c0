/** Keeps what the user enters until it is sent (model/inputs.ts). */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { session } from '../api/session.js';
import { type Entered, inputs } from '../model/inputs.js';
import { address, route } from '../route.js';

/** The name under which a form of this page is kept, in the open space. @param name unique on the page */
export function useFormName(name: string): string {
  const first = useRef<string | undefined>(undefined);
  const { page, rest } = route.peek();
  first.current ??= [session.peek()?.space.id, address(page, ...rest), name].join(' ');
  return first.current;
}

/**
 * A text like that of `useState`. Its initial value is not kept.
 * @param name unique on the page
 */
export function useKept<T extends string = string>(
  name: string,
  initial: NoInfer<T>,
): readonly [text: T, set: (text: T) => void] {
  const form = useFormName(name);
  // The cast is safe because only this function writes the text.
  const [text, setText] = useState((inputs.get(form)?.get(name) as T | undefined) ?? initial);
  const set = (next: T) => {
    setText(next);
    inputs.put(form, new Map(next === initial ? [] : [[name, next]]));
  };
  return [text, set];
}

interface KeptForm {
  readonly form: { readonly current: HTMLFormElement | null };
  /** Whether the form shows what the user has entered before. */
  readonly isBack: boolean;
  /** Keeps the present input. */
  readonly keep: () => void;
  readonly forget: () => void;
}

/**
 * Restores the input of a form with uncontrolled fields.
 * @param name from {@link useFormName} @param isKept by the name of a field
 */
export function useKeptForm(name: string, isKept: (field: string) => boolean): KeptForm {
  const form = useRef<HTMLFormElement>(null);
  const [isBack, setBack] = useState(false);
  useLayoutEffect(() => {
    const entered = inputs.get(name);
    if (!entered || !form.current) return;
    restore(form.current, entered);
    setBack(true);
  }, []);
  return {
    form,
    isBack,
    keep: () => {
      if (form.current) inputs.put(name, enteredIn(form.current, isKept));
    },
    forget: () => {
      inputs.forget(name);
      setBack(false);
    },
  };
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function controlsOf(form: HTMLFormElement): readonly Control[] {
  // The cast is safe because forms made from fields have only such elements, buttons and field sets.
  return ([...form.elements] as Control[]).filter(({ name = '' }) => name !== '');
}

/** A check box has its value in its name, because several may have the same name. */
function nameOf(control: Control): string {
  return control.type === 'checkbox' ? `${control.name} ${control.value}` : control.name;
}

function enteredIn(form: HTMLFormElement, isKept: (field: string) => boolean): Entered {
  const entered = new Map<string, string | boolean>();
  for (const control of controlsOf(form)) {
    if (!isKept(control.name)) continue;
    if (control instanceof HTMLSelectElement) {
      const [first] = control.options;
      const initial = [...control.options].find(({ defaultSelected }) => defaultSelected) ?? first;
      if (control.value !== initial?.value) entered.set(nameOf(control), control.value);
    } else if (control instanceof HTMLInputElement && control.type === 'checkbox') {
      if (control.checked !== control.defaultChecked) entered.set(nameOf(control), control.checked);
    } else if (control.value !== control.defaultValue) entered.set(nameOf(control), control.value);
  }
  return entered;
}

function restore(form: HTMLFormElement, entered: Entered): void {
  for (const control of controlsOf(form)) {
    const value = entered.get(nameOf(control));
    if (typeof value === 'string') control.value = value;
    else if (value !== undefined && control instanceof HTMLInputElement) control.checked = value;
  }
}
