/** Names of things in the cloud that a scenario gives or refers to. */
import { isName } from '../../contract/limits.js';
import { complain, refine, text } from '../../input/checks.js';

const trimmed = text(
  /^\S([\s\S]*\S)?$/,
  'a name without blanks at its beginning and end, which the cloud would remove',
);

/** A name such as that of a tag. The cloud would remove blanks at its ends, and have another name than the scenario. */
export const cloudName = refine(trimmed, (name, node, problems) =>
  isName(name) ? name : complain(node, problems, 'a name of 1 to 64 printable characters'),
);
