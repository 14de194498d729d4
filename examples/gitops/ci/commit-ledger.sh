#!/usr/bin/env bash
# Commits the ledger to BRANCH and pushes it; after an interrupted apply its journal too, never the lock.
# Usage: ci/commit-ledger.sh BRANCH. Does nothing when nothing changed, so it may run twice.
set -euo pipefail
branch=$1
export GIT_AUTHOR_NAME=tether GIT_AUTHOR_EMAIL=tether@acme.example
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL

for file in tether.ledger.json tether.ledger.json.journal; do
  # Also when it is gone: a journal that was folded in is deleted from the branch.
  if [[ -e $file ]] || git ls-files --error-unmatch -- "$file" >/dev/null 2>&1; then
    git add --all -- "$file"
  fi
done
git diff --cached --quiet || git commit --quiet -m 'Record what was applied [skip ci]'

# Somebody may merge meanwhile. Only this job writes these two files, so the rebase has no conflicts.
for _ in 1 2 3 4 5; do
  git fetch --quiet origin "$branch"
  if [[ $(git rev-list --count FETCH_HEAD..HEAD) -eq 0 ]]; then exit 0; fi
  git rebase --quiet FETCH_HEAD
  if git push --quiet origin "HEAD:refs/heads/$branch"; then exit 0; fi
done
echo "the ledger could not be pushed to $branch: save tether.ledger.json* from this run before the next apply" >&2
exit 1
