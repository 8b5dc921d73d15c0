/**
 * Families of resources on the administration page. A family, such as the tags, has a table, a form for new resources, and
 * actions.
 */
import type { ComponentChildren, ComponentType } from 'preact';
import type { DeviceCloudClient } from '../../../../src/client/client.js';
import type { Tag } from '../../../../src/client/types.js';
import type { Field, Values } from '../../parts/fields.js';

/** Data that every section needs in addition to its own resources. */
export interface Surroundings {
  readonly client: DeviceCloudClient;
  /** All tags of the space. */
  readonly tags: readonly Tag[];
  /** Whether the user has the rights to make changes. */
  readonly isAdmin: boolean;
}

export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => ComponentChildren;
}

export interface ItemAction<T> {
  readonly title: string;
  /** @returns a text that is shown once, such as a secret */
  readonly run: (item: T, surroundings: Surroundings) => Promise<string | undefined>;
  /** A question that the user must confirm first. */
  readonly confirm?: (item: T) => string;
  /** Whether the action is offered for the item. Default: always. */
  readonly fits?: (item: T) => boolean;
}

/** A form with which an item can be changed. */
export interface Change<T> {
  readonly fields: (item: T) => readonly Field[];
  readonly save: (item: T, values: Values, surroundings: Surroundings) => Promise<void>;
  /** Whether the item can be changed now. Default: always. */
  readonly fits?: (item: T) => boolean;
}

export interface Family<T extends { readonly id: string }> {
  readonly load: (surroundings: Surroundings) => Promise<readonly T[]>;
  readonly nameOf: (item: T) => string;
  readonly columns: readonly Column<T>[];
  /** Form for a new resource; absent if none can be created. */
  readonly form?: {
    readonly title: string;
    readonly fields: readonly Field[];
    /** @returns a text that is shown once, such as a secret */
    readonly create: (values: Values, surroundings: Surroundings) => Promise<string | undefined>;
  };
  readonly change?: Change<T>;
  readonly actions?: readonly ItemAction<T>[];
  /** Component with details of an item that the user has opened. */
  readonly detail?: ComponentType<{
    readonly item: T;
    readonly surroundings: Surroundings;
    readonly reload: () => void;
  }>;
  /** Text of an empty list. */
  readonly empty: string;
}
