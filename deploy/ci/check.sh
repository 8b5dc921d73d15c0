#!/bin/sh
# Runs a scenario with several seeds, compares the runs with those in ghostfleet/before/run if there are any, and writes
# ghostfleet/summary.md. The action (action.yml) and the template for GitLab (gitlab.yml) run this script.
#
# Environment: SCENARIO, SEEDS, GHOSTFLEET_VERSION (a version on npm, or a package file: file:ghostfleet-1.2.3.tgz), and FAIL_IF
# with one condition of `compare --fail-if` a line.
# Exit code: that of the run; if the run has passed, 2 if a condition is wrong, 3 if one is met, and 4 if one has too little
# data. Without conditions, a difference is only shown. Runs that cannot be compared are no failure: the scenario may have
# changed.
set -u

ghostfleet() {
  npx --yes "ghostfleet@${GHOSTFLEET_VERSION:-latest}" "$@"
}

mkdir -p ghostfleet
rm -f ghostfleet/run.md ghostfleet/comparison.md
: > ghostfleet/summary.md

ghostfleet run "$SCENARIO" --seeds "${SEEDS:-10}" --out ghostfleet/run --markdown ghostfleet/run.md
code=$?
[ -f ghostfleet/run.md ] && cat ghostfleet/run.md >> ghostfleet/summary.md

set --
while IFS= read -r condition; do
  case $condition in *[![:space:]]*) set -- "$@" --fail-if "$condition" ;; esac
done <<END
${FAIL_IF:-}
END

if [ "$code" = 0 ] && [ "$#" -gt 0 ]; then
  # Runs can be compared with themselves, so only wrong conditions fail here: also before there are runs to compare with.
  ghostfleet compare ghostfleet/run ghostfleet/run --force "$@" > ghostfleet/error.txt 2>&1
  code=$?
  if [ "$code" = 0 ] || [ "$code" = 4 ]; then
    code=0
  else
    cat ghostfleet/error.txt >&2
    { printf 'The conditions cannot be checked:\n\n'; sed 's/^/    /' ghostfleet/error.txt; } >> ghostfleet/summary.md
    exit "$code"
  fi
fi

if [ -d ghostfleet/before/run ] && [ -f ghostfleet/run/seeds.json ]; then
  ghostfleet compare ghostfleet/before/run ghostfleet/run --markdown ghostfleet/comparison.md "$@" 2> ghostfleet/error.txt
  compared=$?
  cat ghostfleet/error.txt >&2
  if [ -f ghostfleet/comparison.md ]; then
    cat ghostfleet/comparison.md >> ghostfleet/summary.md
  else
    { printf 'Not compared:\n\n'; sed 's/^/    /' ghostfleet/error.txt; } >> ghostfleet/summary.md
  fi
  if [ "$code" = 0 ] && [ "$#" -gt 0 ] && [ "$compared" != 2 ]; then code=$compared; fi
fi
exit "$code"
