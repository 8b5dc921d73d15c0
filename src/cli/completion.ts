/**
 * `ghostfleet completion`: scripts that let a shell complete command lines. The scripts run `ghostfleet --complete WORD…`, with
 * the words up to the cursor; `complete.ts` answers.
 */
import { EXIT } from '../kernel/errors.js';
import { defineCommand } from './command.js';

/** The line of the answer that asks for the names of files. */
export const FILES = ':files';

const SCRIPTS = {
  bash: `# eval "$(ghostfleet completion bash)" in ~/.bashrc
_ghostfleet() {
  local line file current="\${COMP_WORDS[COMP_CWORD]}"
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  # Names of folders may mean something to the shell, so they are quoted, and the words that are typed are not.
  while IFS= read -r line; do
    if [[ $line == ${FILES} ]]; then
      compopt -o filenames
      while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
    else
      printf -v line %q "\${line%%$'\\t'*}"
      COMPREPLY+=("$line")
    fi
  done < <("$1" --complete "\${words[@]//\\\\/}" 2>/dev/null)
}
complete -F _ghostfleet ghostfleet
`,
  zsh: `#compdef ghostfleet
# eval "$(ghostfleet completion zsh)" in ~/.zshrc, after compinit
_ghostfleet() {
  local line files about
  local -a candidates
  for line in \${(f)"$("\${words[1]}" --complete "\${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    if [[ $line == ${FILES} ]]; then
      files=1
    else
      about="\${line#*$'\\t'}"
      candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}\${about:+:$about}")
    fi
  done
  (( $#candidates )) && _describe ghostfleet candidates
  [[ -n $files ]] && _files
}
compdef _ghostfleet ghostfleet
`,
  fish: `# ghostfleet completion fish > ~/.config/fish/completions/ghostfleet.fish
function __ghostfleet_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] --complete $words[2..] "$current" 2>/dev/null)
        if test "$line" = ${FILES}
            __fish_complete_path "$current"
        else
            printf '%s\\n' $line
        end
    end
end
complete -c ghostfleet -f -a '(__ghostfleet_complete)'
`,
} as const;

export const completion = defineCommand<{ readonly shell: keyof typeof SCRIPTS }>(
  (parser) => parser.positional('shell', { choices: Object.keys(SCRIPTS), demandOption: true, describe: 'your shell' }),
  async ({ shell }, { out }) => {
    out.write(SCRIPTS[shell]);
    return EXIT.fine;
  },
);
