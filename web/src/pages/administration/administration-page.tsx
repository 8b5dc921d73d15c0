/** Resources of the space other than devices and messages, such as tags, connectors and users. */
import type { ComponentType } from 'preact';
import { readAll } from '../../api/lists.js';
import { current } from '../../api/session.js';
import { Failure } from '../../parts/failure.js';
import { Links } from '../../parts/links.js';
import { useLoad } from '../../parts/load.js';
import { address, route } from '../../route.js';
import { KEYS, SPACES, USERS } from './accounts.js';
import { AUDIT } from './audit.js';
import { CONNECTORS } from './connectors.js';
import { TAGS, VARIABLES } from './data.js';
import type { Family, Surroundings } from './family.js';
import { IMAGES, UPDATES } from './firmware.js';
import { Records } from './records.js';

interface Tab {
  readonly key: string;
  readonly title: string;
  /** What the resources are for. */
  readonly about: string;
  readonly content: ComponentType<{ readonly surroundings: Surroundings }>;
}

const TABS: readonly [Tab, ...Tab[]] = [
  tab('spaces', 'Spaces', 'A space has its own devices, users and keys. You see the spaces of your account.', SPACES),
  tab(
    'tags',
    'Tags',
    'A tag groups devices: filters, connectors and lines of the terminal can be for all devices of a tag.',
    TAGS,
  ),
  tab(
    'connectors',
    'Connectors',
    'A connector sends messages of devices to your own service, as a request that its script makes.',
    CONNECTORS,
  ),
  tab(
    'variables',
    'Variables',
    'Variables are values for the scripts of connectors. A secure one is never shown again.',
    VARIABLES,
  ),
  tab('images', 'Firmware images', 'A firmware image is a file that devices can download over the air.', IMAGES),
  tab(
    'updates',
    'Firmware updates',
    'An update sends an image to a device, in pieces, at the contacts of the device.',
    UPDATES,
  ),
  tab('keys', 'Keys', 'A program signs in with a key. A key can be read-only, and can end at a time.', KEYS),
  tab('users', 'Users', 'People who can sign in to this space.', USERS),
  tab('audit', 'Audit log', 'Who changed what in this space.', AUDIT),
];

function tab<T extends { readonly id: string }>(key: string, title: string, about: string, family: Family<T>): Tab {
  return { key, title, about, content: ({ surroundings }) => <Records family={family} surroundings={surroundings} /> };
}

export function AdministrationPage() {
  const { client, space } = current();
  const [key] = route.value.rest;
  const shown = TABS.find((each) => each.key === key) ?? TABS[0];
  const Content = shown.content;
  // Tags are read again when another section is opened, so that its forms offer a tag that was just created.
  const { value: tags, failure } = useLoad(() => readAll((page) => client.tags(page)), [shown.key]);
  const isAdmin = space.user_role === 'admin';
  return (
    <div class="page">
      <h1>Administration</h1>
      <Links class="tabs" label="Kinds of resources" current={shown.key}>
        {TABS.map((each) => (
          <a
            key={each.key}
            href={address('administration', each.key)}
            {...(each === shown && { 'aria-current': 'page' as const })}
          >
            {each.title}
          </a>
        ))}
      </Links>
      <p class="about dim">{shown.about}</p>
      {!isAdmin && <p class="dim">Your role in this space permits only reading.</p>}
      <Failure text={failure} />
      {tags && <Content key={shown.key} surroundings={{ client, tags, isAdmin }} />}
    </div>
  );
}
