"""Random calls with NumPy's answers, replayed by Tandem.
Usage: python3 numpy_replay.py PROGRAM [--seed N] [--cases N] [--only FUNCTION] [--keep FILE] [--pending P] [--eager]
The folder replay draws the calls; a function that is new needs a call there and one in numpy_replay.cpp, which says how
calls are written and compared. Exit code 77 without NumPy."""
import argparse
import os
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("NPY_PROMOTION_STATE", "weak")  # NumPy 1.24 promotes as NumPy 2 then
sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError:
    print("SKIPPED: python3 has no NumPy")
    sys.exit(77)
if np.lib.NumpyVersion(np.__version__) < "1.24.0":
    print(f"SKIPPED: NumPy {np.__version__} promotes by value")
    sys.exit(77)

from replay import calls, elementwise, fourier, indexing, linalg, shapes, statistics
from replay.generator import Generator

# Each with how often it is drawn.
SECTIONS = [section for module in (elementwise, indexing, calls, shapes, statistics, linalg, fourier)
            for section in module.SECTIONS]

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--cases", type=int, default=8000)
parser.add_argument("--only", help="a function: no other calls are written")
parser.add_argument("--keep", help="write the calls to this file and keep it")
parser.add_argument("--pending", type=float, default=0.1, help="how many of the arrays are still to be computed")
parser.add_argument("--eager", action="store_true", help="again with TANDEM_EAGER=1: every bit must be the same")
arguments = parser.parse_args()

generator = Generator(arguments.seed, arguments.only, arguments.pending)
weights = np.array([weight for _, weight in SECTIONS], "f8")
warnings.simplefilter("ignore")
with np.errstate(all="ignore"):
    for section in generator.random.choice(len(SECTIONS), arguments.cases, p=weights / weights.sum()):
        SECTIONS[section][0](generator)
with tempfile.TemporaryDirectory() as folder:
    path = arguments.keep or os.path.join(folder, "calls")
    with open(path, "wb") as file:
        file.write(generator.output)
    print(f"NumPy {np.__version__}, seed {arguments.seed}: {generator.count} calls", flush=True)
    command = [arguments.program, path] + ([os.path.join(folder, "hashes")] if arguments.eager else [])
    status = subprocess.run(command).returncode
    if arguments.eager and status == 0:
        status = subprocess.run(command, env={**os.environ, "TANDEM_EAGER": "1"}).returncode
    sys.exit(status)
