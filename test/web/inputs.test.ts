/** What the browser keeps of forms that are not sent yet. */
import { expect, it } from 'vitest';
import { Inputs } from '../../web/src/model/inputs.js';

function storage() {
  const texts = new Map<string, string>();
  const set = (key: string, text: string | undefined) =>
    void (text === undefined ? texts.delete(key) : texts.set(key, text));
  return { texts, store: { get: (key: string) => texts.get(key), set } };
}

const named = (name: string) => new Map([['name', name]]);

it('the input of a form is there after a reload, until the form is sent', () => {
  const { texts, store } = storage();
  new Inputs(store).put(
    'new tag',
    new Map<string, string | boolean>([
      ['name', 'attic'],
      ['tags __proto__', true],
    ]),
  );
  const reloaded = new Inputs(store);
  expect([...(reloaded.get('new tag') ?? [])]).toEqual([
    ['name', 'attic'],
    ['tags __proto__', true],
  ]);
  reloaded.forget('new tag');
  expect([reloaded.get('new tag'), texts.size]).toEqual([undefined, 0]);
});

it('a form whose input is as at the beginning is forgotten', () => {
  const inputs = new Inputs(storage().store);
  inputs.put('new tag', named('attic'));
  inputs.put('new tag', new Map());
  expect(inputs.get('new tag')).toBeUndefined();
});

it('of more than 50 forms, the one that was changed longest ago is forgotten', () => {
  const inputs = new Inputs(storage().store);
  for (let n = 0; n < 50; n++) inputs.put(`form ${n}`, named('x'));
  inputs.put('form 0', named('again'));
  inputs.put('form 50', named('x'));
  expect([inputs.get('form 0'), inputs.get('form 1'), inputs.get('form 2')]).toEqual([
    named('again'),
    undefined,
    named('x'),
  ]);
});

it('a user who signs out leaves nothing', () => {
  const { texts, store } = storage();
  const inputs = new Inputs(store);
  inputs.put('new tag', named('attic'));
  inputs.forgetAll();
  expect([inputs.get('new tag'), texts.size]).toEqual([undefined, 0]);
});

it.each(['', '{}', '[1]', 'null'])('a stored text of another kind is ignored: %j', (text) => {
  const { texts, store } = storage();
  texts.set('ghostfleet.inputs', text);
  expect(new Inputs(store).get('new tag')).toBeUndefined();
});
