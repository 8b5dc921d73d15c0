/** JSON of accounts, their logins and the audit log in the REST API (cloud API gaps, 3.1). */
import type { IsoTime } from './types.js';

export interface PasswordChange {
  /** The present password. */
  readonly password: string;
  readonly new_password: string;
}

/** A valid login of an account. */
export interface Login {
  readonly id: string;
  /** The only space that the login opens; null if it opens all spaces of the account. */
  readonly space_id: string | null;
  readonly created_at: IsoTime;
  readonly expires_at: IsoTime;
  /** IP address from which the login was made; null if it is not known. */
  readonly from: string | null;
  /** Whether the request used this login. */
  readonly current: boolean;
}

/** A change in a space, or a successful or failed login of a member. Entries are deleted only together with their space. */
export interface AuditEntry {
  readonly id: string;
  readonly at: IsoTime;
  /** Null for a failed login, whose caller is not authenticated. */
  readonly actor_type: 'user' | 'key' | null;
  readonly actor_id: string | null;
  /** Operation of the API, such as `updateKey`; or `loginFailed`. */
  readonly action: string;
  /** Id of the resource that was created, changed or deleted, or of the account; null if neither has an id. */
  readonly target_id: string | null;
  /** IP address of the caller. */
  readonly from: string;
}
