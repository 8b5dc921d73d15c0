/** Methods for the account of a login, and for the audit log of the space (cloud C-20). */
import { pathPart } from './http.js';
import { everyPage, type Requests } from './requests.js';
import type { AuditEntry, Login, PageQuery, PasswordChange, Token } from './types.js';

/** The account of the login, and the audit log. With an API key, the methods for the account reject with 403. */
export class AccountClient {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /** Ends this client's login, that of the token its own was made with, and all tokens made with them, at once. */
  async logout(): Promise<void> {
    await this.requests.ask('POST', '/v2/auth/logout');
  }

  /**
   * Changes the password of the account and ends all its logins, including that of this client. Create another client with the
   * token of the result.
   * @param change `new_password`: 8 to 256 characters
   * @throws ApiError 403 `wrong-password` if the present password is wrong; 429 `login-limit` after too many wrong ones
   */
  async changePassword(change: PasswordChange): Promise<Token> {
    return (await this.requests.ask('POST', '/v2/auth/password', { body: change })) as Token;
  }

  /** A page of the valid logins of the account, oldest first, without their tokens. Default: the first 100. */
  logins(query: PageQuery = {}): Promise<readonly Login[]> {
    return this.requests.list('/v2/auth/logins', { ...query });
  }

  /** Ends a login of the account. @throws ApiError 404 if the account has no such login */
  endLogin(id: string): Promise<void> {
    return this.requests.delete(`/v2/auth/logins/${pathPart(id)}`);
  }

  /**
   * A page of the audit log of the space, newest first. Default: the newest 100.
   * @throws ApiError 403 if the caller is not an admin
   */
  audit(query: PageQuery = {}): Promise<readonly AuditEntry[]> {
    return this.requests.list(`${this.requests.space}/audit`, { ...query });
  }

  /** The whole audit log, newest first. The pages of 500 are requested as the generator is consumed. */
  wholeAudit(): AsyncGenerator<AuditEntry> {
    return everyPage(`${this.requests.space}/audit`, (offset) => this.audit({ limit: 500, ...offset }));
  }
}
