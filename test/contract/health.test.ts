import { describe, expect, it } from 'vitest';
import { findHealth, noteConfig, noteContact, type Rhythm } from '../../src/contract/health.js';
import { hours, minutes, seconds } from '../../src/kernel/time.js';

const NEW: Rhythm = { lastContact: null, contactEvery: null, contactGaps: null };
const T0 = 1_767_225_600_000;

/** The rhythm after contacts with these gaps, in minutes. */
function rhythmAfter(gaps: readonly number[], from = noteContact(NEW, T0)): Rhythm {
  return gaps.reduce((rhythm, gap) => noteContact(rhythm, (rhythm.lastContact ?? 0) + minutes(gap)), from);
}

describe('the health of a device', () => {
  const of = (contactEvery: number | null, silence: number) =>
    findHealth({ lastContact: T0, contactEvery }, T0 + silence);

  it('is on time until one and a half intervals and ten minutes have passed, silent when three contacts are missing', () => {
    expect(of(minutes(30), minutes(55))).toBe('on_time');
    expect(of(minutes(30), minutes(55) + 1)).toBe('late');
    expect(of(minutes(30), minutes(115))).toBe('late');
    expect(of(minutes(30), minutes(115) + 1)).toBe('silent');
  });

  it('follows the interval of the device: two hours are too long for one, and nothing for another', () => {
    expect(of(minutes(5), hours(2))).toBe('silent');
    expect(of(hours(1), hours(2))).toBe('late');
    expect(of(hours(24), hours(2))).toBe('on_time');
    expect(of(hours(24), hours(36))).toBe('on_time');
  });

  it('is that of the longest interval while the interval is not known, and never seen without a contact', () => {
    expect(of(null, hours(36))).toBe('on_time');
    expect(of(null, hours(37))).toBe('late');
    expect(findHealth(NEW, T0)).toBe('never_seen');
  });

  it('is on time if the clock of the service was set back', () => {
    expect(of(minutes(30), -hours(5))).toBe('on_time');
  });
});

describe('the rhythm of a device', () => {
  it('is learned from its contacts', () => {
    expect(rhythmAfter([]).contactEvery).toBeNull();
    expect(rhythmAfter([29, 31, 30]).contactEvery).toBe(minutes(30));
  });

  it('survives one outage, and one click on the button', () => {
    expect(rhythmAfter([30, 30, 600, 30]).contactEvery).toBe(minutes(30));
    expect(rhythmAfter([30, 30, 5, 25, 30, 30]).contactEvery).toBe(minutes(30));
  });

  it('follows a change of the interval after two contacts', () => {
    expect(rhythmAfter([15, 15, 60]).contactEvery).toBe(minutes(15));
    expect(rhythmAfter([15, 15, 60, 60]).contactEvery).toBe(minutes(60));
  });

  it.each([
    ['two', [5, 55]],
    ['two', [10, 50]],
    ['three', [5, 10, 45]],
    ['four', [2, 2, 2, 54]],
  ])(
    'is learned from the long gaps of a device that sends %s messages each hour: it is not late again and again',
    (_, gaps) => {
      let rhythm = rhythmAfter(gaps);
      const found = Array.from({ length: 20 }, () => gaps).flatMap((hour) =>
        hour.map((gap) => {
          const health = findHealth(rhythm, (rhythm.lastContact ?? 0) + minutes(gap));
          rhythm = rhythmAfter([gap], rhythm);
          return health;
        }),
      );
      expect(found.slice(2 * gaps.length).filter((health) => health !== 'on_time')).toEqual([]);
      expect(rhythm.contactEvery).toBe(minutes(Math.max(...gaps)));
    },
  );

  it('becomes shorter again as soon as at most one of the latest eight gaps is long', () => {
    expect(rhythmAfter([60, 60, 60, ...Array<number>(7).fill(10)]).contactEvery).toBe(minutes(10));
  });

  it('does not count contacts in the same minute: a session, its configuration, and polls after a report', () => {
    expect(rhythmAfter([0.1, 0.5, 0.2]).contactEvery).toBeNull();
    expect(rhythmAfter([30, 0.2, 30, 0.2, 30]).contactEvery).toBe(minutes(30));
  });

  it('is the configured interval of reports, or of polls if they are more frequent', () => {
    expect(noteConfig(NEW, ['app config interval-report 1800', 'app config interval-poll 0'])).toMatchObject({
      contactEvery: minutes(30),
    });
    expect(noteConfig(NEW, ['app config interval-poll 60', 'app config interval-report 1800'])).toMatchObject({
      contactEvery: seconds(60),
    });
    expect(noteConfig(NEW, ['app config interval-report 0', 'app config interval-poll 28800'])).toMatchObject({
      contactEvery: hours(8),
    });
  });

  it('is a day if the device reports a longer one, which cannot be configured', () => {
    const { contactEvery } = noteConfig(NEW, [`app config interval-report ${'9'.repeat(400)}`]);
    expect(contactEvery).toBe(hours(24));
  });

  it('stays the configured one, whatever the contacts are', () => {
    const configured = { ...NEW, ...noteConfig(NEW, ['app config interval-report 900']) };
    expect(rhythmAfter([600, 600, 600], noteContact(configured, T0))).toMatchObject({ contactEvery: minutes(15) });
  });

  it('is learned again after a configuration without intervals', () => {
    const configured = { ...NEW, ...noteConfig(NEW, ['app config interval-report 900']) };
    const changed = { ...configured, ...noteConfig(configured, ['app config mode none']) };
    expect(rhythmAfter([45, 45], noteContact(changed, T0)).contactEvery).toBe(minutes(45));
    const learned = rhythmAfter([45, 45]);
    expect(noteConfig(learned, ['lte config apn x']).contactEvery).toBe(minutes(45));
  });
});
