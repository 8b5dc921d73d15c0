/** The fields of a form, and their values. */

export interface Field {
  readonly name: string;
  readonly label: string;
  /** `tags`: any number of tags. `file`: its bytes in base64. */
  readonly kind: 'text' | 'email' | 'password' | 'color' | 'lines' | 'choice' | 'switch' | 'tags' | 'file';
  readonly isRequired?: boolean;
  /** Values of a choice, the first one as default. */
  readonly options?: readonly string[];
  readonly hint?: string;
  /** Suggested values of a text field, with descriptions. */
  readonly suggestions?: readonly { readonly value: string; readonly about: string }[];
  /** Initial value of a text, or of a choice. */
  readonly initial?: string;
  /** Initial state of a switch. Default: off. */
  readonly isOn?: boolean;
  /** Ids of the tags that are chosen at first. */
  readonly chosen?: readonly string[];
  /** Whether the browser must not keep what the user enters; always so for passwords and files. */
  readonly isSecret?: boolean;
}

/** Values of a form by the names of its fields; lists of ids for tags. An empty text is undefined. */
export interface Values {
  text(name: string): string | undefined;
  /** @throws Error if the field is empty */
  needed(name: string): string;
  isOn(name: string): boolean;
  tags(): readonly { readonly id: string }[];
}
