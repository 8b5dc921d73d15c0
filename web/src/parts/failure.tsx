/** A message about a failure; nothing for an empty text. */
export function Failure({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <p class="failure" role="alert">
      {text}
    </p>
  );
}
