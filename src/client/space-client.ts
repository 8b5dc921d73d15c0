/** Methods for the resources of a space other than devices, tags and messages (cloud C-21, C-32 to C-39). */
import { AccountClient } from './account-client.js';
import { pathPart } from './http.js';
import { everyPage } from './requests.js';
import type {
  Connector,
  ConnectorPreview,
  ConnectorUpdate,
  Delivery,
  DeliveryQuery,
  FirmwareImage,
  FirmwareUpdate,
  Invitation,
  Key,
  KeyWithSecret,
  NewConnector,
  NewFirmwareImage,
  NewKey,
  NewSpace,
  NewUser,
  NewVariable,
  PageQuery,
  Space,
  SpaceUpdate,
  User,
  Variable,
  VariableQuery,
} from './types.js';

/** Base class of the client: spaces, users, keys, variables, connectors and firmware. */
export class SpaceClient extends AccountClient {
  /** A page of the spaces that the key or the login opens. Default: the first 100 in order of id. */
  spaces(query: PageQuery = {}): Promise<readonly Space[]> {
    return this.requests.list('/v2/spaces', { ...query });
  }

  /** Creates a space, whose owner is the account of the login. @throws ApiError 403 with an API key */
  createSpace(space: NewSpace): Promise<Space> {
    return this.requests.post('/v2/spaces', space);
  }

  /** The space of this client. */
  space(): Promise<Space> {
    return this.requests.get(this.requests.space);
  }

  /**
   * Changes the given fields of the space.
   * @throws ApiError 403 if the space has an owner and another caller sets `owner_id`
   */
  updateSpace(update: SpaceUpdate): Promise<Space> {
    return this.requests.put(this.requests.space, update);
  }

  /**
   * Deletes the space.
   * @throws ApiError 403 with an API key, or if another account owns the space; 409 if the space has devices
   */
  deleteSpace(): Promise<void> {
    return this.requests.delete(this.requests.space);
  }

  /** A page of users. Default: the first 100. */
  users(query: PageQuery = {}): Promise<readonly User[]> {
    return this.requests.list(`${this.requests.space}/users`, { ...query });
  }

  /**
   * Invites a user. No mail is sent: pass on the token of the result.
   * @throws ApiError 409 if the space already has a user or an invitation with this address
   */
  inviteUser(user: NewUser): Promise<Invitation> {
    return this.requests.post(`${this.requests.space}/users/invite`, user);
  }

  /** @throws ApiError 404 if the space has no such user */
  user(id: string): Promise<User> {
    return this.requests.get(this.requests.item('users', id));
  }

  /**
   * Changes the given fields.
   * @throws ApiError 409 if the space would lose its last admin, or its owner would lose the role `admin`
   */
  updateUser(id: string, update: Partial<Omit<NewUser, 'email'>>): Promise<User> {
    return this.requests.put(this.requests.item('users', id), update);
  }

  /** Ends a membership; the account is kept. @throws ApiError 409 for the last admin and for the owner */
  deleteUser(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('users', id));
  }

  /** A page of API keys, oldest first. Default: the first 100. */
  keys(query: PageQuery = {}): Promise<readonly Key[]> {
    return this.requests.list(`${this.requests.space}/keys`, { ...query });
  }

  /** Creates an API key. The result contains the secret, which is not returned again. */
  createKey(key: NewKey): Promise<KeyWithSecret> {
    return this.requests.post(`${this.requests.space}/keys`, key);
  }

  /** @throws ApiError 404 if the space has no such key */
  key(id: string): Promise<Key> {
    return this.requests.get(this.requests.item('keys', id));
  }

  /** Changes the given fields; `tags` replaces the whole set. @throws ApiError 404 if the space has no such key */
  updateKey(id: string, update: Partial<NewKey>): Promise<Key> {
    return this.requests.put(this.requests.item('keys', id), update);
  }

  /** Deletes a key; it becomes invalid immediately. @throws ApiError 404 if the space has no such key */
  deleteKey(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('keys', id));
  }

  /** Replaces the secret of a key; the old secret becomes invalid immediately. */
  rotateKey(id: string): Promise<KeyWithSecret> {
    return this.requests.post(`${this.requests.item('keys', id)}/rotate`);
  }

  /** A page of variables. Default: the first 100. */
  variables(query: VariableQuery = {}): Promise<readonly Variable[]> {
    return this.requests.list(`${this.requests.space}/variables`, { ...query });
  }

  /** @throws ApiError 409 if a variable with this name exists for the same device and environment */
  createVariable(variable: NewVariable): Promise<Variable> {
    return this.requests.post(`${this.requests.space}/variables`, variable);
  }

  /** @throws ApiError 404 if the space has no such variable */
  variable(id: string): Promise<Variable> {
    return this.requests.get(this.requests.item('variables', id));
  }

  /** @throws ApiError 423 if the variable is locked */
  updateVariable(id: string, update: Partial<Omit<NewVariable, 'device_id'>>): Promise<Variable> {
    return this.requests.put(this.requests.item('variables', id), update);
  }

  /** @throws ApiError 423 if the variable is locked */
  deleteVariable(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('variables', id));
  }

  /** Locks a variable: changes and deletion are rejected with 423 until it is unlocked. */
  lockVariable(id: string): Promise<Variable> {
    return this.requests.post(`${this.requests.item('variables', id)}/lock`);
  }

  /** Unlocks a variable. */
  unlockVariable(id: string): Promise<Variable> {
    return this.requests.post(`${this.requests.item('variables', id)}/unlock`);
  }

  /** A page of connectors, oldest first. Default: the first 100. */
  connectors(query: PageQuery = {}): Promise<readonly Connector[]> {
    return this.requests.list(`${this.requests.space}/connectors`, { ...query });
  }

  /** @throws ApiError 404 if the space has no such connector */
  connector(id: string): Promise<Connector> {
    return this.requests.get(this.requests.item('connectors', id));
  }

  /** @throws ApiError 409 if the space already has a connector with this name */
  createConnector(connector: NewConnector): Promise<Connector> {
    return this.requests.post(`${this.requests.space}/connectors`, connector);
  }

  /**
   * Changes the given fields. Disabling a connector drops its pending deliveries.
   * @param version the `version` that the connector must have; left out, the change replaces changes of others
   * @throws ApiError 409 if the name is taken; 412 if the connector has another version, because others changed it
   */
  updateConnector(id: string, update: ConnectorUpdate, version?: number): Promise<Connector> {
    const condition = version === undefined ? {} : { 'if-match': `"${version}"` };
    return this.requests.put(this.requests.item('connectors', id), update, condition);
  }

  /** Deletes a connector and drops its pending deliveries. @throws ApiError 404 if the space has no such connector */
  deleteConnector(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('connectors', id));
  }

  /**
   * Previews the request that a connector would send for a message. Nothing is sent.
   * @param transformation script to run instead of the connector's own
   * @throws ApiError 400 if the space has no such message
   */
  async previewConnector(id: string, messageId: string, transformation?: string): Promise<ConnectorPreview> {
    const script = transformation === undefined ? {} : { transformation };
    const body = { message_id: messageId, ...script };
    return (await this.requests.ask('POST', `${this.requests.item('connectors', id)}/preview`, {
      body,
    })) as ConnectorPreview;
  }

  /** A page of a connector's deliveries, newest first. Default: the newest 100. */
  deliveries(connectorId: string, query: DeliveryQuery = {}): Promise<readonly Delivery[]> {
    return this.requests.list(`${this.requests.item('connectors', connectorId)}/deliveries`, { ...query });
  }

  /** All deliveries that match, newest first. The pages of 500 are requested as the generator is consumed. */
  allDeliveries(connectorId: string, query: Omit<DeliveryQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Delivery> {
    return everyPage(this.requests.item('connectors', connectorId), (offset) =>
      this.deliveries(connectorId, { ...query, limit: 500, ...offset }),
    );
  }

  /** @throws ApiError 404 if the connector has no such delivery */
  delivery(connectorId: string, id: string): Promise<Delivery> {
    return this.requests.get(`${this.requests.item('connectors', connectorId)}/deliveries/${pathPart(id)}`);
  }

  /** A page of firmware images, oldest first. Default: the first 100. */
  firmwareImages(query: PageQuery = {}): Promise<readonly FirmwareImage[]> {
    return this.requests.list(`${this.requests.space}/firmware-images`, { ...query });
  }

  /** Uploads a firmware image. @throws ApiError 400 if neither the image nor `version` states the version */
  createFirmwareImage(image: NewFirmwareImage): Promise<FirmwareImage> {
    return this.requests.post(`${this.requests.space}/firmware-images`, image);
  }

  /** Deletes an image; unfinished updates to it fail. */
  deleteFirmwareImage(id: string): Promise<void> {
    return this.requests.delete(`${this.requests.space}/firmware-images/${pathPart(id)}`);
  }

  /** Schedules an update of a device to an image. @throws ApiError 409 if the device has another unfinished update */
  updateFirmware(deviceId: string, firmwareId: string): Promise<FirmwareUpdate> {
    return this.requests.post(`${this.requests.item('devices', deviceId)}/firmware`, { firmware_id: firmwareId });
  }

  /** A page of firmware updates of all devices, or of the device with `device_id`. Default: the first 100. */
  firmwareUpdates(query: PageQuery & { readonly device_id?: string } = {}): Promise<readonly FirmwareUpdate[]> {
    return this.requests.list(`${this.requests.space}/firmware`, { ...query });
  }

  /** @throws ApiError 404 if the space has no such firmware update */
  firmwareUpdate(id: string): Promise<FirmwareUpdate> {
    return this.requests.get(this.requests.item('firmware', id));
  }
}
