/** What demo.test.ts and demo.long.test.ts share. */

/** The cookie of a session with control of the run. @param link printed by the demo */
export async function signIn(link: string): Promise<{ readonly cookie: string; readonly space: string }> {
  const { origin, hash } = new URL(link);
  const signedIn = await fetch(`${origin}/console/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#token=', '') }),
  });
  const { space_id: space } = JSON.parse(await signedIn.text());
  return { cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '', space };
}
