/** The sign-in: with an API key, or with a user account. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { logIn, signIn, signInNotice } from '../api/session.js';
import { Failure } from '../parts/failure.js';
import { useRequest } from '../parts/request.js';

type Way = 'key' | 'account';

export function SignIn() {
  const [way, setWay] = useState<Way>('key');
  const { isBusy, failure, run } = useRequest();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    // The cast is safe because the handler belongs to a form.
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: string) => String(fields.get(name) ?? '').trim();
    void run(() =>
      way === 'key' ? signIn(field('key')) : logIn(field('email'), String(fields.get('password') ?? '')),
    );
  }

  return (
    <main class="sign-in">
      <h1>ghostfleet</h1>
      <p>The console of the device cloud. Sign in to see your devices.</p>
      <fieldset class="ways">
        <legend>Sign in with</legend>
        <Choice way="key" chosen={way} choose={setWay} text="API key" />
        <Choice way="account" chosen={way} choose={setWay} text="account" />
      </fieldset>
      <form onSubmit={submit}>
        {way === 'key' ? (
          <label>
            API key
            <input ref={first} name="key" type="password" required autoComplete="off" spellcheck={false} />
          </label>
        ) : (
          <>
            <label>
              E-mail address
              <input name="email" type="email" required autoComplete="username" />
            </label>
            <label>
              Password
              <input name="password" type="password" required autoComplete="current-password" />
            </label>
          </>
        )}
        <Failure text={failure || signInNotice.value} />
        <button type="submit" class="primary" aria-disabled={isBusy}>
          Sign in
        </button>
      </form>
      <p class="dim">
        <code>ghostfleet serve</code> prints an API key at its first start. <code>ghostfleet demo</code> prints an
        address that signs in by itself.
      </p>
    </main>
  );
}

interface ChoiceProps {
  readonly way: Way;
  readonly chosen: Way;
  readonly choose: (way: Way) => void;
  readonly text: string;
}

function Choice({ way, chosen, choose, text }: ChoiceProps) {
  return (
    <label>
      <input type="radio" name="way" checked={way === chosen} onChange={() => choose(way)} /> {text}
    </label>
  );
}
