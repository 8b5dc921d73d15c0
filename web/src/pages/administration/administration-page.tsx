/** Resources of the space other than devices and messages, such as tags, connectors and users. */
import type { ComponentType } from 'preact';
import { readAll } from '../../api/lists.js';
import { current } from '../../api/session.js';
import { Failure } from '../../parts/failure.js';
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
  readonly content: ComponentType<{ readonly surroundings: Surroundings }>;
}

const TABS: readonly [Tab, ...Tab[]] = [
  tab('spaces', 'Spaces', SPACES),
  tab('tags', 'Tags', TAGS),
  tab('connectors', 'Connectors', CONNECTORS),
  tab('variables', 'Variables', VARIABLES),
  tab('images', 'Firmware images', IMAGES),
  tab('updates', 'Firmware updates', UPDATES),
  tab('keys', 'Keys', KEYS),
  tab('users', 'Users', USERS),
  tab('audit', 'Audit log', AUDIT),
];

function tab<T extends { readonly id: string }>(key: string, title: string, family: Family<T>): Tab {
  return { key, title, content: ({ surroundings }) => <Records family={family} surroundings={surroundings} /> };
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
      <nav class="tabs" aria-label="Kinds of resources">
        {TABS.map((each) => (
          <a
            key={each.key}
            href={address('administration', each.key)}
            {...(each === shown && { 'aria-current': 'page' as const })}
          >
            {each.title}
          </a>
        ))}
      </nav>
      {!isAdmin && <p class="dim">Your role in this space permits only reading.</p>}
      <Failure text={failure} />
      {tags && <Content key={shown.key} surroundings={{ client, tags, isAdmin }} />}
    </div>
  );
}
