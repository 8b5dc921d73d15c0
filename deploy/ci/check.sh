#!/bin/sh
# Runs a scenario with several seeds, compares the runs with those in FOLDER/before/run if there are any, and writes
# FOLDER/summary.md. The action (action.yml) and the template for GitLab (gitlab.yml) run this script.
#
# Environment: SCENARIO, SEEDS, GHOSTFLEET_VERSION (a version on npm, or a package file: file:ghostfleet-1.2.3.tgz), FAIL_IF with
# one condition of `compare --fail-if` a line, and FOLDER (default: ghostfleet; each scenario of a job needs one of its own).
# Exit code: that of the run; if the run has passed, 2 if a condition is wrong, 3 if one is met, and 4 if one has too little
# data. Without conditions, a difference is only shown. Runs that cannot be compared are no failure: the scenario may have
# changed.
set -u

ghostfleet() {
  npx --yes "ghostfleet@${GHOSTFLEET_VERSION:-latest}" "$@"
}

folder=${FOLDER:-ghostfleet}
mkdir -p "$folder"
rm -f "$folder/run.md" "$folder/comparison.md"
: > "$folder/summary.md"

ghostfleet run "$SCENARIO" --seeds "${SEEDS:-10}" --out "$folder/run" --markdown "$folder/run.md"
code=$?
[ -f "$folder/run.md" ] && cat "$folder/run.md" >> "$folder/summary.md"

set --
while IFS= read -r condition; do
  case $condition in *[![:space:]]*) set -- "$@" --fail-if "$condition" ;; esac
done <<END
${FAIL_IF:-}
END

if [ "$code" = 0 ] && [ "$#" -gt 0 ]; then
  # Runs can be compared with themselves, so only wrong conditions fail here: also before there are runs to compare with.
  ghostfleet compare "$folder/run" "$folder/run" --force "$@" > "$folder/error.txt" 2>&1
  code=$?
  if [ "$code" = 0 ] || [ "$code" = 4 ]; then
    code=0
  else
    cat "$folder/error.txt" >&2
    { printf 'The conditions cannot be checked:\n\n'; sed 's/^/    /' "$folder/error.txt"; } >> "$folder/summary.md"
    exit "$code"
  fi
fi

if [ -d "$folder/before/run" ] && [ -f "$folder/run/seeds.json" ]; then
  ghostfleet compare "$folder/before/run" "$folder/run" --markdown "$folder/comparison.md" "$@" 2> "$folder/error.txt"
  compared=$?
  cat "$folder/error.txt" >&2
  if [ -f "$folder/comparison.md" ]; then
    cat "$folder/comparison.md" >> "$folder/summary.md"
  else
    { printf 'Not compared:\n\n'; sed 's/^/    /' "$folder/error.txt"; } >> "$folder/summary.md"
  fi
  if [ "$code" = 0 ] && [ "$#" -gt 0 ] && [ "$compared" != 2 ]; then code=$compared; fi
fi
exit "$code"
