/** Figures about the structure of the project, for the test of their limits and for `npm run figures`. */
import { moduleOf, pathsIn, target, textOf } from './sources.js';

/** A row of "Adding things" in docs/ARCHITECTURE.md. */
interface Addition {
  readonly name: string;
  /** Files and folders that every such addition changes, and that neither the compiler nor a test finds. */
  readonly always: number;
  /** The same with those that only some additions change: what the sentences with "if" or with a kind of the row name. */
  readonly most: number;
}

/** A file, or a folder with a file for each kind. The folder in "in `folder/`:" is only the beginning of paths. */
const PLACE = /(?<!\bin )`([\w./-]+\.(?:ts|tsx|yaml|css|mjs)|[\w/-]+\/)`|`([\w./-]+\.(?:ts|tsx|yaml|css|mjs))`/g;

export function additions(): readonly Addition[] {
  const page = textOf('docs/ARCHITECTURE.md');
  const rows = page.slice(page.indexOf('\n## Adding things')).matchAll(/^\| (?!---|to add)(.+?) \| (.+?) \| .* \|$/gm);
  return [...rows].map(([, name = '', places = '']) => {
    const [begin = ''] = places.split(/[.:;] (?:If|For|An?|The|Downlinks) /);
    return { name, always: placesIn(begin), most: placesIn(places) };
  });
}

function placesIn(text: string): number {
  return new Set([...text.matchAll(PLACE)].map(([, one, other]) => one ?? other)).size;
}

export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)] ?? 0;
}

/** Number of lines below which a file with a single importer is a crumb. */
const CRUMB = 16;
const IMPORT = /\b(?:from|import)\(?\s*'(\.[^']+)'/g;

/** Short files that only one file imports: their text can stand there. Files of threads and the main files have no importer. */
export function crumbs(): readonly string[] {
  const paths = pathsIn('src', '.ts');
  const importers = new Map<string, Set<string>>();
  for (const path of [...paths, ...pathsIn('src', '.mjs')]) {
    for (const [, from = ''] of textOf(path).matchAll(IMPORT)) {
      const imported = target(path, from) ?? '';
      importers.set(imported, (importers.get(imported) ?? new Set()).add(path));
    }
  }
  return paths.filter((path) => importers.get(path)?.size === 1 && textOf(path).split('\n').length <= CRUMB);
}

interface Named {
  readonly module: string;
  readonly file: string;
  readonly name: string;
}

const CLASS = /^(?:export )?(?:default )?(?:abstract )?class /;
const FUNCTION =
  /^(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+)(?:: [^=]+)? = (?:async )?(?:<[^>]*>)?(?:\([^=;]*\)|\w+)(?:: [^=]+)? =>/;
const METHOD = /^ {2}(?:(?:public|private|protected|static|override|async|abstract) )*\*?#?(\w+)(?:<[^(]*>)?\((?!.*;$)/;

/** Functions at the top of their files, and methods of classes. The formatter leaves only these forms. */
export function functions(): readonly Named[] {
  return pathsIn('src', '.ts').flatMap((file) => {
    const found: Named[] = [];
    let inClass = false;
    for (const line of textOf(file).split('\n')) {
      if (CLASS.test(line)) inClass = true;
      else if (line === '}') inClass = false;
      const [, declared, assigned] = FUNCTION.exec(line) ?? [];
      const [, method] = (inClass && METHOD.exec(line)) || [];
      const name = declared ?? assigned ?? method;
      if (name !== undefined && name !== 'constructor') found.push({ module: moduleOf(file), file, name });
    }
    return found;
  });
}

export function beginsWithVerb(name: string): boolean {
  // `planOf` is the plan of something; a function that plans would be `planRun`.
  return VERBS.has(/^[a-z]+/.exec(name)?.[0] ?? '') && !/^[a-z]+Of(?![a-z])/.test(name);
}

/** Fewest fields that a declaration has to share with a type of the API to count as its second declaration. */
const SHARED = 3;

/**
 * Types that declare a type of the API a second time: most of their fields are those of one schema in src/contract, and one of
 * these is in snake_case, as only the API writes names; or they list the words of one of its enumerations.
 */
export function secondDeclarations(): readonly string[] {
  const contract = pathsIn('src/contract', '.ts').map(textOf).join('\n');
  const schemas = [
    ...contract.matchAll(
      /^(?:export )?const \w+ = Type\.Object\([\s\S]*?^\);|^(?:export )?const \w+ = \{[\s\S]*?^\};/gm,
    ),
  ];
  const fields = schemas.map(([text]) => new Set(fieldsIn(text)));
  const lists = [...contract.matchAll(/^(?:export )?const \w+ = \[('[^\]]+)\] as const;/gm)].map(([, words = '']) =>
    listIn(words),
  );
  const paths = [...pathsIn('src', '.ts'), ...pathsIn('web/src', '.ts'), ...pathsIn('web/src', '.tsx')];
  return paths
    .filter((path) => !path.startsWith('src/contract/'))
    .flatMap((path) => {
      const text = textOf(path);
      const declared = [...text.matchAll(/^(?:export )?(?:interface|type) (\w+)[^;{]*\{[\s\S]*?^\}/gm)];
      const objects = declared.filter(([body]) => {
        const own = fieldsIn(body);
        return fields.some((schema) => {
          const shared = own.filter((name) => schema.has(name));
          return shared.length >= SHARED && 2 * shared.length > own.length && shared.some((name) => name.includes('_'));
        });
      });
      const unions = [
        ...text.matchAll(/^(?:export )?(?:type|const) (\w+)[^=;]*=\s*\[?((?:\|?\s*'[\w-]+'\s*,?\s*){3,})/gm),
      ];
      const enumerations = unions.filter(([, , words = '']) => lists.includes(listIn(words)));
      return [...objects, ...enumerations].map(([, name = '']) => `${path}: ${name}`);
    });
}

function fieldsIn(text: string): readonly string[] {
  return [...text.matchAll(/^ +(?:readonly )?(\w+)\??:/gm)].map(([, name = '']) => name);
}

/** The words of a list, sorted, as one text. */
function listIn(text: string): string {
  return [...text.matchAll(/'([\w-]+)'/g)]
    .map(([, word = '']) => word)
    .sort()
    .join(' ');
}

/** Verbs that begin names here; `is`, `has` and the like begin those of predicates. */
const VERBS: ReadonlySet<string> = new Set(
  `is has are can may does exists contains needs agrees matches overlaps knows carries uses wants fits keeps leaves belongs
  accept acknowledge acquire act activate add admit adopt advance agree alert announce answer append apply arm arrange ask
  assemble assign attach attempt attend authenticate await beat begin bind boot build calculate call cancel capture carry
  catch change charge check choose claim classify clean clear click close collect combine commit compare compile complain
  complete compute confirm configure connect contain convert copy count cover create cut decide decode decrement define delay
  delete deliver derive describe destroy detach determine discard dismiss dispatch dissolve divide download drain draw drop
  edit emit encode encrypt end engage enqueue enroll ensure enter erase escape estimate evaluate examine exchange execute
  exemplify expand expect expire explain extend extract fail feed fetch fill filter find finish fire fit flatten flush fold
  follow forget fork format free freeze gather generate get give greet grow guard halt handle hash hear hide hold ignore
  include increment index inject insert insist interfere interrupt introduce invite issue join judge keep kill lay learn
  leave let lift limit list listen load locate lock log look lose lower make map mark mask match measure merge migrate mix
  modify move name narrow normalise note notify number obey observe offer open operate order pack pad paint parse pass pause
  peek perform permit persist pick pin place plan play plot poke poll pop populate post postpone predict prepare prepend
  present press prevent preview print process protect prove provision prune pull push put query queue quote raise rank reach
  react read readdress rebase reboot recalibrate receive reconnect reconsider record recover redeem redirect reduce refer
  refill refine refresh refuse register reject release relate remember remove rename render reopen repeat replace replay
  reply report request require resample reseal reserve reset resolve rest restart restore resume retain retry return reveal
  revert reword roll rotate round route run sample save say scale scan schedule scrub seal search select send separate serve
  set settle shift shorten show shrink shut sign simulate skip sleep sort spend split spread start state stay steer stop store
  strike strip subscribe substitute subtract suffer suggest sum summarise suspend switch take tally tear tell test throw tidy
  time total touch trace track transform translate transmit trim trust try tune turn unbind unlock unpack unprotect unqueue
  unseal update upload use validate verify visit wait wake walk warn watch wear weigh widen withdraw word wrap write
  yield`.split(/\s+/),
);
