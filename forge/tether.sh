#!/usr/bin/env bash
# One command of Tether in a pipeline: tether.sh validate|plan|apply|drift. The action and the GitLab component give it TETHER_FOLDER,
# TETHER_FLAGS, TETHER_EXPECT and TETHER_OUT. It holds the token of the service and never one of the forge. In the folder TETHER_OUT it leaves what
# main.mjs tells the forge: output.txt, report.json, report.md, digest, exit-code, and what of a ledger could not be pushed.
set -euo pipefail
command=$1

rm -rf "$TETHER_OUT"
mkdir -p "$TETHER_OUT"
if [[ $command == plan && -z ${TETHER_TOKEN:-}${TETHER_TOKEN_FILE:-}${TFE_TOKEN:-} ]]; then
  echo 'No token, so no plan: pull requests of forks and of dependency bots get none.'
  exit 0
fi

arguments=("$command" --no-color)
if [[ $command != validate ]]; then
  arguments+=(--report "json=$TETHER_OUT/report.json" --report "markdown=$TETHER_OUT/report.md")
fi
if [[ $command == apply ]]; then
  arguments+=(--yes)
  # An empty TETHER_EXPECT is a digest that no plan has.
  if [[ $TETHER_EXPECT != any ]]; then arguments+=(--expect "$TETHER_EXPECT"); fi
fi
read -ra flags <<<"${TETHER_FLAGS:-}"

# Names in manifests and at the service are other people's text: GitHub must not read commands in them.
guard=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
if [[ -n ${GITHUB_ACTIONS:-} ]]; then echo "::stop-commands::$guard"; fi
code=0
tether "${arguments[@]}" ${flags[@]+"${flags[@]}"} -- "$TETHER_FOLDER" 2>&1 | tee "$TETHER_OUT/output.txt" || code=$?
if [[ -n ${GITHUB_ACTIONS:-} ]]; then echo "::$guard::"; fi

echo "$code" >"$TETHER_OUT/exit-code"
if [[ $command == plan && $code == 0 ]]; then
  node -p 'JSON.parse(fs.readFileSync(process.argv[1])).digest' "$TETHER_OUT/report.json" >"$TETHER_OUT/digest"
fi
if [[ $command == apply && -d .git/tether ]]; then cp -R .git/tether "$TETHER_OUT/ledger"; fi
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  {
    echo "digest=$(cat "$TETHER_OUT/digest" 2>/dev/null || true)"
    # For the artifact: what its name may hold.
    echo "name=tether-$command-$(printf %s "$TETHER_FOLDER" | tr -c 'A-Za-z0-9._' -)"
  } >>"$GITHUB_OUTPUT"
fi
exit "$code"
