import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AlarmHeap } from '../../src/kernel/alarm-heap.js';

it('an alarm heap returns alarms in the order of a stable sort, however pushes and pops are mixed', () => {
  const push = fc.record({ due: fc.oneof(fc.nat(5), fc.double({ min: 0, noNaN: true })) });
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 2, arbitrary: push }, fc.constant('pop' as const))), (operations) => {
      const heap = new AlarmHeap();
      let model: { readonly due: number; readonly slot: number }[] = [];
      operations.forEach((operation, slot) => {
        if (operation !== 'pop') {
          heap.push(operation.due, slot);
          model = [...model, { due: operation.due, slot }].toSorted((a, b) => a.due - b.due);
        } else if (model.length > 0) {
          expect(heap.pop()).toBe(model.shift()?.slot);
        }
        expect(heap.size).toBe(model.length);
        expect(heap.nextDue).toBe(model[0]?.due ?? Number.POSITIVE_INFINITY);
      });
      for (const { slot } of model) expect(heap.pop()).toBe(slot);
    }),
    { numRuns: 300 },
  );
});

it('an alarm heap keeps the order of its alarms when its arrays grow', () => {
  const heap = new AlarmHeap();
  const dues = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 613);
  dues.forEach((due, slot) => {
    heap.push(due, slot);
  });
  const expected = dues.map((due, slot) => ({ due, slot })).toSorted((a, b) => a.due - b.due);
  expect(Array.from(expected, () => heap.pop())).toEqual(expected.map(({ slot }) => slot));
});

it('an alarm heap is empty after it was cleared, and can be filled again', () => {
  const heap = new AlarmHeap();
  heap.push(1, 0);
  heap.clear();
  expect([heap.size, heap.nextDue]).toEqual([0, Number.POSITIVE_INFINITY]);
  heap.push(3, 7);
  expect(heap.pop()).toBe(7);
});

it('an alarm heap retains the selected alarms in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(4), (dues, remainder) => {
      const heap = new AlarmHeap();
      dues.forEach((due, slot) => {
        heap.push(due, slot);
      });
      const keep = (slot: number): boolean => slot % 5 !== remainder;
      heap.retain(keep);
      heap.push(10, dues.length);
      const expected = [...dues, 10]
        .map((due, slot) => ({ due, slot }))
        .filter(({ slot }) => slot === dues.length || keep(slot))
        .toSorted((a, b) => a.due - b.due);
      expect(Array.from(expected, () => heap.pop())).toEqual(expected.map(({ slot }) => slot));
      expect(heap.size).toBe(0);
    }),
    { numRuns: 300 },
  );
});
