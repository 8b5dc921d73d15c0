#!/bin/sh
# Runs a scenario with several seeds, compares the runs with those in ghostfleet/before/run if there are any, and writes
# ghostfleet/summary.md. The action (action.yml) and the template for GitLab (gitlab.yml) run this script.
#
# Environment: SCENARIO, SEEDS, GHOSTFLEET_VERSION, and FAIL_IF with one condition of `compare --fail-if` a line.
# Exit code: that of the run; if the run has passed, 3 if a condition is met and 4 if one has too little data. Without
# conditions, a difference is only shown. Runs that cannot be compared are no failure: the scenario may have changed.
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

if [ -d ghostfleet/before/run ] && [ -f ghostfleet/run/seeds.json ]; then
  set --
  while IFS= read -r condition; do
    [ -n "$condition" ] && set -- "$@" --fail-if "$condition"
  done <<END
${FAIL_IF:-}
END
  ghostfleet compare ghostfleet/before/run ghostfleet/run --markdown ghostfleet/comparison.md "$@" 2> ghostfleet/error.txt
  compared=$?
  cat ghostfleet/error.txt >&2
  if [ -f ghostfleet/comparison.md ]; then
    cat ghostfleet/comparison.md >> ghostfleet/summary.md
  else
    { printf 'Not compared:\n\n'; sed 's/^/    /' ghostfleet/error.txt; } >> ghostfleet/summary.md
  fi
  if [ "$code" = 0 ] && [ "$#" -gt 0 ] && [ -f ghostfleet/comparison.md ]; then code=$compared; fi
fi
exit "$code"
