/** Calls about what a space has besides devices and messages: users, keys, variables, connectors and firmware. */
import type { FirmwareImage, FirmwareUpdate, NewFirmwareImage } from './firmware-types.js';
import { everyPage, type Requests } from './requests.js';
import type {
  Connector,
  ConnectorPreview,
  ConnectorUpdate,
  Delivery,
  DeliveryQuery,
  Invitation,
  Key,
  KeyWithSecret,
  NewConnector,
  NewKey,
  NewSpace,
  NewUser,
  NewVariable,
  PageQuery,
  Role,
  Space,
  SpaceUpdate,
  User,
  Variable,
  VariableQuery,
} from './types.js';

/** The half of a client that looks after its space. */
export class SpaceClient {
  protected readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  /** A page of the spaces that the key or the login opens. */
  spaces(query: PageQuery = {}): Promise<readonly Space[]> {
    return this.requests.get('/v2/spaces', { ...query });
  }

  /** Needs a login. */
  createSpace(space: NewSpace): Promise<Space> {
    return this.requests.post('/v2/spaces', space);
  }

  space(): Promise<Space> {
    return this.requests.get(this.requests.space);
  }

  updateSpace(update: SpaceUpdate): Promise<Space> {
    return this.requests.put(this.requests.space, update);
  }

  /** Needs a login, and a space without devices. */
  deleteSpace(): Promise<void> {
    return this.requests.delete(this.requests.space);
  }

  /** A page of users: 100, unless the query says otherwise. */
  users(query: PageQuery = {}): Promise<readonly User[]> {
    return this.requests.get(`${this.requests.space}/users`, { ...query });
  }

  inviteUser(user: NewUser): Promise<Invitation> {
    return this.requests.post(`${this.requests.space}/users/invite`, user);
  }

  user(id: string): Promise<User> {
    return this.requests.get(this.requests.item('users', id));
  }

  updateUser(id: string, update: { readonly role?: Role; readonly name?: string | null }): Promise<User> {
    return this.requests.put(this.requests.item('users', id), update);
  }

  deleteUser(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('users', id));
  }

  /** A page of API keys: 100, unless the query says otherwise. */
  keys(query: PageQuery = {}): Promise<readonly Key[]> {
    return this.requests.get(`${this.requests.space}/keys`, { ...query });
  }

  createKey(key: NewKey): Promise<KeyWithSecret> {
    return this.requests.post(`${this.requests.space}/keys`, key);
  }

  key(id: string): Promise<Key> {
    return this.requests.get(this.requests.item('keys', id));
  }

  updateKey(id: string, update: Partial<NewKey>): Promise<Key> {
    return this.requests.put(this.requests.item('keys', id), update);
  }

  deleteKey(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('keys', id));
  }

  /** Gives the key a new secret; the old one ends at once. */
  rotateKey(id: string): Promise<KeyWithSecret> {
    return this.requests.post(`${this.requests.item('keys', id)}/rotate`);
  }

  /** A page of variables: 100, unless the query says otherwise. */
  variables(query: VariableQuery = {}): Promise<readonly Variable[]> {
    return this.requests.get(`${this.requests.space}/variables`, { ...query });
  }

  createVariable(variable: NewVariable): Promise<Variable> {
    return this.requests.post(`${this.requests.space}/variables`, variable);
  }

  variable(id: string): Promise<Variable> {
    return this.requests.get(this.requests.item('variables', id));
  }

  /** @throws ApiError 423 when it is locked */
  updateVariable(id: string, update: Partial<Omit<NewVariable, 'device_id'>>): Promise<Variable> {
    return this.requests.put(this.requests.item('variables', id), update);
  }

  /** @throws ApiError 423 when it is locked */
  deleteVariable(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('variables', id));
  }

  lockVariable(id: string): Promise<Variable> {
    return this.requests.post(`${this.requests.item('variables', id)}/lock`);
  }

  unlockVariable(id: string): Promise<Variable> {
    return this.requests.post(`${this.requests.item('variables', id)}/unlock`);
  }

  /** A page of connectors, in order of creation. */
  connectors(query: PageQuery = {}): Promise<readonly Connector[]> {
    return this.requests.get(`${this.requests.space}/connectors`, { ...query });
  }

  connector(id: string): Promise<Connector> {
    return this.requests.get(this.requests.item('connectors', id));
  }

  createConnector(connector: NewConnector): Promise<Connector> {
    return this.requests.post(`${this.requests.space}/connectors`, connector);
  }

  /** One that is disabled drops what it has not delivered yet. */
  updateConnector(id: string, update: ConnectorUpdate): Promise<Connector> {
    return this.requests.put(this.requests.item('connectors', id), update);
  }

  deleteConnector(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('connectors', id));
  }

  /** What the connector, or the script given here in the place of its own, would send for a message. Nothing is sent. */
  previewConnector(id: string, messageId: string, transformation?: string): Promise<ConnectorPreview> {
    const script = transformation === undefined ? {} : { transformation };
    return this.requests.post(`${this.requests.item('connectors', id)}/preview`, { message_id: messageId, ...script });
  }

  /** A page of what a connector had to deliver, newest first. */
  deliveries(connectorId: string, query: DeliveryQuery = {}): Promise<readonly Delivery[]> {
    return this.requests.get(`${this.requests.item('connectors', connectorId)}/deliveries`, { ...query });
  }

  /** All of it, page by page as it is consumed. */
  allDeliveries(connectorId: string, query: Omit<DeliveryQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Delivery> {
    return everyPage((offset) => this.deliveries(connectorId, { ...query, limit: 500, ...offset }));
  }

  delivery(connectorId: string, id: string): Promise<Delivery> {
    return this.requests.get(`${this.requests.item('connectors', connectorId)}/deliveries/${encodeURIComponent(id)}`);
  }

  createFirmwareImage(image: NewFirmwareImage): Promise<FirmwareImage> {
    return this.requests.post(`${this.requests.space}/firmware/images`, image);
  }

  /** Updates to it that are under way fail. */
  deleteFirmwareImage(id: string): Promise<void> {
    return this.requests.delete(`${this.requests.space}/firmware/images/${encodeURIComponent(id)}`);
  }

  /** Queues an update of a device to an image. @throws ApiError 409 while another one is under way */
  updateFirmware(deviceId: string, firmwareId: string): Promise<FirmwareUpdate> {
    return this.requests.post(`${this.requests.item('devices', deviceId)}/firmware`, { firmware_id: firmwareId });
  }

  firmwareUpdate(id: string): Promise<FirmwareUpdate> {
    return this.requests.get(this.requests.item('firmware', id));
  }
}
