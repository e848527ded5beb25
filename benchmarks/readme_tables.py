#!/usr/bin/env python3
"""Writes the measured tables of README.md from benchmarks/results: readme_tables.py TANDEM [--check].

TANDEM is the command; with --check nothing is written and the exit status is 1 if README.md differs.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
CPU, GPU, BENCH = "cpu-16core-2026-12-03.json", "h200-2026-12-03.json", "bench-h200-2026-12-03.json"

YARDSTICK = [
    ("add_f32", "`a + b`"), ("hypot_chain_f32", "`sqrt(a*a + b*b)*2 + 1`"), ("exp_f32", "`exp(a)`"),
    ("gelu_f32", "GELU, 8 operations"), ("black_scholes_f32", "Black-Scholes, 2.5 x 10^7 options"),
    ("bcast_row_f32", "`a * row + 1`, 10,000 x 10,000"), ("add_transposed_f32", "`a + b.T`, 10,000 x 10,000"),
    ("sum_f32", "`sum(a)`"), ("max_f32", "`max(a)`"), ("argmax_f32", "`argmax(a)`"),
    ("sum_axis0_f32", "`sum(a, {.axis = 0})`, 10,000 x 10,000"),
    ("sum_tall_axis0_f32", "`sum(a, {.axis = 0})`, 10^7 x 10"),
    ("softmax_rows_f32", "softmax of 10^5 rows of 1,000"),
    ("var_axis0_f32", "`var(a, {.axis = 0})`, 10,000 x 10,000"), ("cumsum_f32", "`cumulative_sum(a)`"),
    ("matmul_4096_f32", "`matmul(a, b)`, 4,096 x 4,096"), ("solve_2000_f64", "`linalg::solve`, 2,000 float64"),
    ("svd_500_f64", "`linalg::svd`, 500 float64"), ("fft_f32", "`fft::rfft`, 2^22 float32"),
    ("sort_f32", "`sort(a)`, 10^7"), ("argsort_f32", "`argsort(a)`, 10^7"), ("mask_select_f32", "`a(mask)`"),
    ("take_f32", "`take`, 2.5 x 10^7 of 10^8"), ("transpose_copy_f32", "a copy of `a.T`, 10,000 x 10,000"),
    ("uniform_f32", "uniform random numbers"), ("normal_f32", "normal random numbers"),
]


def rows(name):
    """{(peer, workload): milliseconds} of a file of results."""
    return {(r["peer"], r["workload"]): r["seconds"] * 1e3 for r in json.loads((RESULTS / name).read_text())["rows"]}


def three_digits(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def beside(times, ours, peers, workload):
    """How many times faster than the best of the peers."""
    found = [times[peer, workload] for peer in peers if (peer, workload) in times]
    return f"{min(found) / times[ours, workload]:.2f}" if found else ""


def yardstick():
    cpu, gpu = rows(CPU), rows(GPU)
    lines = ["| | CPU, ms | x the better of NumPy, PyTorch | GPU, ms | x the better of CuPy, PyTorch |", "|---|---|---|---|---|"]
    for workload, label in YARDSTICK:
        lines.append("| {} | {} | {} | {} | {} |".format(
            label, three_digits(cpu["tandem-cpu", workload]), beside(cpu, "tandem-cpu", ("numpy", "torch-cpu"), workload),
            three_digits(gpu["tandem-cuda", workload]), beside(gpu, "tandem-cuda", ("cupy", "torch-cuda"), workload)))
    return "\n".join(lines)


def break_even(tandem):
    text = subprocess.run([tandem, "bench", "--from", str(RESULTS / BENCH)], check=True, capture_output=True, text=True).stdout
    return "```\n" + text[text.index("break-even"):].rstrip() + "\n```"


def main():
    tandem = sys.argv[1]
    readme = ROOT / "README.md"
    text = before = readme.read_text()
    for name, table in (("yardstick", yardstick()), ("break-even", break_even(tandem))):
        begin, end = f"<!-- {name}: benchmarks/readme_tables.py -->\n", f"<!-- end of {name} -->"
        head, rest = text.split(begin)
        text = head + begin + table + "\n" + end + rest.split(end, 1)[1]
    if "--check" in sys.argv:
        sys.exit("README.md differs from benchmarks/results; run benchmarks/readme_tables.py" if text != before else 0)
    readme.write_text(text)


main()
