/** The parameters of a profile, indexed for lookups. A layout is built once and shared by all devices of the profile. */
import type {
  HexParameter,
  HiddenSpec,
  IntParameter,
  ModuleSpec,
  ParameterSpec,
  ParameterValue,
} from '../../profile/parameters.js';
import type { FamilyName } from '../../profile/profile.js';

export interface ConfigLayout {
  /** Family of the firmware, which decides how it reads values. */
  readonly family: FamilyName;
  /** In the order of registration, which is the order of `config show`. */
  readonly modules: readonly ConfigModule[];
  /** Finds a module by its shell word; undefined when the device type has no such module. */
  module(name: string): ConfigModule | undefined;
  /** Finds a parameter; undefined when the device type has no such module or parameter. */
  find(module: string, name: string): ConfigItem | undefined;
}

export interface ConfigModule {
  readonly name: string;
  readonly prefix: string;
  /** The settings that `<module> config show` prints: the parameters, then the tag slots. */
  readonly items: readonly ConfigItem[];
  /** Only the slots for BLE tag addresses; empty in all modules except `tag`. */
  readonly slots: readonly ConfigItem[];
  /** A list with its own commands; its entries are not in `items`. */
  readonly list?: ConfigList | undefined;
  /** Items that `config show` omits, unless the parameter `unless` has the value `is`. */
  readonly hidden?:
    | { readonly items: readonly ConfigItem[]; readonly unless: ConfigItem; readonly is: string }
    | undefined;
}

/** A list of numbers with a fixed number of entries; 0 marks an empty entry. */
export interface ConfigList {
  readonly name: string;
  readonly items: readonly ConfigItem[];
}

/** One stored setting of a device type. */
export interface ConfigItem {
  /** Shell word of the parameter's module. */
  readonly module: string;
  /** Name in the settings storage: `app-clime/interval-report`. */
  readonly key: string;
  readonly spec: ParameterSpec;
  /** The default as the device stores it: single precision for float. */
  readonly default: ParameterValue;
}

/** Builds the layout for the modules of a profile. */
export function configLayout(specs: readonly ModuleSpec[], family: FamilyName = 'chester'): ConfigLayout {
  const modules = specs.map(arrange);
  const byName = new Map(
    modules.map((module) => [
      module.name,
      { module, items: new Map(module.items.map((item) => [item.spec.name, item])) },
    ]),
  );
  return {
    family,
    modules,
    module: (name) => byName.get(name)?.module,
    find: (module, name) => byName.get(module)?.items.get(name),
  };
}

function arrange(module: ModuleSpec): ConfigModule {
  const item = (spec: ParameterSpec, stored = spec.name): ConfigItem => ({
    module: module.name,
    key: `${module.prefix}/${stored}`,
    spec,
    default: spec.type === 'float' ? Math.fround(spec.default) : spec.default,
  });
  const slots = Array.from({ length: module.slots ?? 0 }, (_, n) => item(slot(n), `addr-${n}`));
  const parameters = module.parameters.map((spec) => item(spec));
  const hidden = module.hidden && hide(module.hidden, parameters);
  const list = module.list && {
    name: module.list.name,
    items: Array.from({ length: module.list.capacity }, (_, n) => item(place(`${module.list?.name}-${n}`))),
  };
  return {
    name: module.name,
    prefix: module.prefix,
    items: [...parameters, ...slots],
    slots,
    list,
    hidden,
  };
}

function hide({ parameters, unless }: HiddenSpec, items: readonly ConfigItem[]): ConfigModule['hidden'] {
  const decides = items.find(({ spec }) => spec.name === unless.parameter);
  const hidden = items.filter(({ spec }) => parameters.includes(spec.name));
  return decides && { items: hidden, unless: decides, is: unless.is };
}

/** The parameter that stores one entry of a list. */
function place(name: string): IntParameter {
  return { name, type: 'int', min: 0, max: 2_147_483_647, default: 0, help: 'An entry of a list.' };
}

/** A slot prints as `tag config devices addr <n> <hex>`, as if its name had spaces (shell S-16). */
function slot(n: number): HexParameter {
  return { name: `devices addr ${n}`, type: 'hex', size: 6, default: '000000000000', help: 'Address of a BLE tag.' };
}
