/** Names of things in the cloud that a scenario gives or refers to. */
import { text } from '../../input/checks.js';

/** A name such as that of a tag. The cloud would remove blanks at its ends, and have another name than the scenario. */
export const cloudName = text(
  /^\S([\s\S]*\S)?$/,
  'a name without blanks at its beginning and end, which the cloud would remove',
);
