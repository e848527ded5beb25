# `tandem replay` on a call that the layer parity recorded shows the difference, and agreement without the faulty backend.
# Usage: sh replay_command.sh TANDEM FAULTS_TEST FOLDER_OF_THE_FAULTY_BACKEND
set -e
export TANDEM_BACKEND_DIR="$3" FAULT=matmul.c
file=$(TANDEM_BACKEND=faulty TANDEM_LAYERS=parity "$2" --probe=writes_a_file)
trap 'rm -f "$file"' EXIT
text=$("$1" replay "$file") && exit 1 # they differ
echo "$text"
echo "$text" | grep -q '^they differ: matmul: c at (1, 1)'
"$1" replay "$file" --backend reference --parity cpu | grep '^reference and cpu agree$'
"$1" replay "$2" 2>&1 | grep 'is no recorded call$'
