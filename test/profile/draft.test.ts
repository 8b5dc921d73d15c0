import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draftProfile } from '../../src/profile/draft.js';
import { loadUserFiles } from '../../src/profile/library.js';
import { readProfile } from '../../src/profile/read.js';

it('a name with line breaks and escapes in a history does not change the structure of a drafted profile', () => {
  const session = { type: 'session', body: { fw_name: 'A\u001b[31m: x\n y\u2028z' } };
  const text = draftProfile({ name: 'well', family: 'chester', history: [session] });
  expect(readProfile(text, 'well.yaml', loadUserFiles('well.yaml')).identity.fwName).toBe('A [31m: x y z');
});

describe('a profile drafted from observed values', () => {
  const draft = (values: readonly number[], line = 'app config x 1') => {
    const reports = values.map((value) => ({ type: 'data', body: { probe: { value } } }));
    const history = [{ type: 'config', body: [line] }, ...reports];
    const text = draftProfile({ name: 'well', family: 'hio', history });
    return readProfile(text, 'well.yaml', loadUserFiles('well.yaml'));
  };
  const rangeOf = (values: readonly number[]) => {
    const found = draft(values).sensors.find(({ name }) => name === 'probe')?.quantities[0];
    return [found?.min, found?.max];
  };

  it.each([[[49.12345, 49.12349]], [[0.0002, 0.0004]], [[20.0004, 20.0006]], [[1e-7, 2e-7]], [[-5, 5.5]]])(
    'keeps the range of %j',
    (values) => {
      expect(rangeOf(values)).toEqual(values);
    },
  );

  it('keeps a range of rounded values within the observed one', () => {
    expect(rangeOf([0.1, 0.33389])).toEqual([0.1, 0.333]);
    expect(rangeOf([20.1234, 21])).toEqual([20.124, 21]);
  });

  it('is valid for all values that a history may have', () => {
    const value = fc.double({ min: -1e12, max: 1e12, noNaN: true });
    const near = fc.tuple(value, fc.constantFrom(0, 1e-300, 1e-16, 1e-9, 1e-4, 0.3)).map(([at, by]) => [at, at + by]);
    fc.assert(
      fc.property(near, (values) => {
        const [min = 0, max = 0] = rangeOf(values);
        expect(min).toBeLessThan(max);
      }),
      { numRuns: 30 },
    );
  });

  it.each(['5000000.5', '-5000000.5', `"${'x'.repeat(90)}"`, '1'.repeat(90)])(
    'is valid for the parameter %s',
    (value) => {
      expect(() => draft([1, 2], `app config x ${value}`)).not.toThrow();
    },
  );
});
