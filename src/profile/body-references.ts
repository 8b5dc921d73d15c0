/** References of a body to the other sections of its profile: sensors, quantities, event lists, keys of the decoder. */
import { type Check, complain } from '../input/checks.js';
import type { LocatedNode, Problems, ScalarNode } from '../input/document.js';
import { quote } from '../input/problems.js';
import type { Codec, CodecField } from '../protocol/codec.js';
import { expectIndex } from './checks.js';
import type { ModuleSpec } from './parameters.js';
import type { EventListSpec, SensorSpec } from './profile.js';
import { expectQuantityRef } from './read-sensors.js';

/** The sections to which a body refers. A section with errors is undefined, and references to it are accepted unchecked. */
export interface BodyParts {
  readonly decoder: Codec | undefined;
  readonly modules: readonly ModuleSpec[] | undefined;
  readonly sensors: readonly SensorSpec[] | undefined;
  readonly eventLists: readonly EventListSpec[] | undefined;
  /** Whether the device type has a receiver. */
  readonly receives: boolean;
}

/** The key of a list that names the sensors to which its entries belong. */
export const EACH = '$each';

/** The sensors of the enclosing list, as indices; undefined outside of lists. */
export type Each = readonly number[] | undefined;

/** Resolves references. For an invalid reference, a method notes a problem and returns undefined. */
export class BodyReferences {
  readonly parts: BodyParts;
  readonly problems: Problems;
  readonly #decoder: Codec;
  /** Sensors named in the `$if` of the enclosing maps: a device that writes these maps has them. */
  readonly given = new Set<number>();

  constructor(parts: BodyParts, decoder: Codec, problems: Problems) {
    this.parts = parts;
    this.problems = problems;
    this.#decoder = decoder;
  }

  /** The paths of all keys of the decoder. */
  get paths(): readonly string[] {
    return this.#decoder.keys.map(({ path }) => path);
  }

  /** The key of the decoder with this path; undefined if there is none. */
  findField(path: string): CodecField | undefined {
    return this.#decoder.keys[this.#decoder.numbers.get(path) ?? -1];
  }

  /** The index of a sensor that an entry inside of `each` may use. */
  findSensor(node: ScalarNode, each: Each): number | undefined {
    const sensor = this.anySensor(node, this.problems);
    return sensor === undefined ? undefined : this.#checkBelongs(sensor, sensor, node, each);
  }

  /** The check that reads the name of any sensor as its index. */
  get anySensor(): Check<number> {
    const names = this.parts.sensors?.map(({ name }) => name);
    return expectIndex(names, 'a sensor');
  }

  /** A quantity of a sensor that an entry inside of `each` may use. */
  findQuantity(node: ScalarNode, each: Each): { readonly sensor: number; readonly quantity: number } | undefined {
    const at = expectQuantityRef(this.parts.sensors)(node, this.problems);
    return at && this.#checkBelongs(at, at.sensor, node, each);
  }

  /** The index of an event list of a sensor that an entry inside of `each` may use. */
  findEventList(node: ScalarNode, each: Each): number | undefined {
    const lists = this.parts.eventLists;
    const names = lists?.map(({ name }) => name);
    const list = expectIndex(names, 'an event list')(node, this.problems);
    if (list === undefined) return undefined;
    const spec = lists?.[list];
    return spec ? this.#checkBelongs(list, spec.sensor, node, each) : list;
  }

  refuse(node: LocatedNode, wanted: string): undefined {
    return complain(node, this.problems, wanted);
  }

  #checkBelongs<T>(value: T, sensor: number, node: ScalarNode, each: Each): T | undefined {
    return this.#belongs(sensor, each) ? value : this.refuse(node, this.#describeWanted(each));
  }

  /**
   * Whether a value may refer to a sensor. Inside a list of one kind of sensor, it may refer to this sensor. Outside of lists,
   * it may refer to a sensor with a count of 1, if every device has the sensor or `$if` of an enclosing map names it.
   */
  #belongs(sensor: number, each: Each): boolean {
    const spec = this.parts.sensors?.[sensor];
    if (spec === undefined) return true;
    if (each === undefined) return spec.count === 1 && (spec.present === undefined || this.given.has(sensor));
    return each.length === 1 && each[0] === sensor;
  }

  #describeWanted(each: Each): string {
    if (each === undefined)
      return `about a sensor that every device has exactly once; use a list with "${EACH}" for others`;
    const names = each.map((sensor) => quote(this.parts.sensors?.[sensor]?.name));
    return `about the sensor of this list, ${names.join(' or ')}; the list must have only one kind of sensor for this`;
  }
}
