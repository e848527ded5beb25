#include <cmath>

#include "yardstick.hpp"

namespace tandem::bench {
namespace {

using Arrays = std::vector<Array>;

/// One input: float arrays uniform in [0.1, 2), integers in [0, 1,000,000).
struct Input {
  DType dtype;
  Shape shape;
};

std::function<Arrays()> inputs(std::vector<Input> list) {
  return [list] {
    Arrays arrays;
    for (const Input& input : list) {
      const std::uint64_t stream = arrays.size();
      if (is_integer(input.dtype))
        arrays.push_back(random::integers(input.shape, 0, 1'000'000, {.stream = stream, .dtype = input.dtype}));
      else
        arrays.push_back(random::uniform(input.shape, {.low = 0.1, .high = 2.0, .stream = stream, .dtype = input.dtype}));
    }
    return arrays;
  };
}

Array gelu(const Array& x) { return 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }

/// Price of a European call; the normal distribution by Abramowitz & Stegun 7.1.26.
Array black_scholes(const Array& spot, const Array& strike, const Array& years) {
  const double rate = 0.02, volatility = 0.3;
  const Array deviation = volatility * sqrt(years);
  const Array d1 = (log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
  const Array d2 = d1 - deviation;
  const auto cdf = [](const Array& x) {
    const Array z = abs(x);
    const Array u = 1.0 / (1.0 + 0.2316419 * z);
    const Array p =
        u * (0.319381530 + u * (-0.356563782 + u * (1.781477937 + u * (-1.821255978 + u * 1.330274429))));
    const Array q = 0.3989422804 * exp(-0.5 * z * z) * p;
    return where(x > 0, 1.0 - q, q);
  };
  return spot * cdf(d1) - strike * exp(-rate * years) * cdf(d2);
}

Array softmax_rows(const Array& x) {
  Array e = exp(x - max(x, {.axis = 1, .keepdims = true}));
  Array total = sum(e, {.axis = 1, .keepdims = true});
  return std::move(e) / std::move(total);
}

}  // namespace

std::vector<Workload> yardstick_workloads(bool small) {
  const std::int64_t n = small ? 10'000'000 : 100'000'000;
  const std::int64_t m = small ? 3'000 : 10'000;
  const double dn = double(n), mm = double(m) * double(m);
  std::vector<Workload> list;
  const auto add_row = [&](std::string name, std::vector<Input> in, std::function<Array(const Arrays&)> call, double bytes,
                           double flops, int loops = 1) {
    list.push_back({std::move(name), inputs(std::move(in)), std::move(call), bytes, flops, loops});
  };
  const Input f32_n{float32, {n}}, f64_half{float64, {n / 2}}, f32_mm{float32, {m, m}};

  // Elementwise
  add_row("add_f32", {f32_n, f32_n}, [](const Arrays& a) { return a[0] + a[1]; }, 12 * dn, dn);
  add_row("axpy_f32", {f32_n, f32_n}, [](const Arrays& a) { return a[0] * 2.5 + a[1]; }, 12 * dn, 2 * dn);
  const auto hypot_chain = [](const Arrays& a) { return sqrt(a[0] * a[0] + a[1] * a[1]) * 2.0 + 1.0; };
  add_row("hypot_chain_f32", {f32_n, f32_n}, hypot_chain, 12 * dn, 6 * dn);
  add_row("exp_f32", {f32_n}, [](const Arrays& a) { return exp(a[0]); }, 8 * dn, dn);
  add_row("exp_f64", {f64_half}, [](const Arrays& a) { return exp(a[0]); }, 8 * dn, dn / 2);
  add_row("leaky_relu_f32", {f32_n}, [](const Arrays& a) { return where(a[0] > 1.0, a[0], a[0] * 0.1); }, 8 * dn, dn);
  add_row("gelu_f32", {f32_n}, [](const Arrays& a) { return gelu(a[0]); }, 8 * dn, 8 * dn);
  const auto options = [](const Arrays& a) { return black_scholes(a[0], a[1], a[2]); };
  const Input f32_q{float32, {n / 4}}, f64_q{float64, {n / 4}};
  add_row("black_scholes_f32", {f32_q, f32_q, f32_q}, options, 4 * dn, 15 * dn);
  add_row("black_scholes_f64", {f64_q, f64_q, f64_q}, options, 8 * dn, 15 * dn);
  const auto scale = [](const Arrays& a) { return a[0] * a[1] + 1.0; };
  add_row("bcast_row_f32", {f32_mm, {float32, {m}}}, scale, 8 * mm, 2 * mm);
  add_row("bcast_col_f32", {f32_mm, {float32, {m, 1}}}, scale, 8 * mm, 2 * mm);
  add_row("add_transposed_f32", {f32_mm, f32_mm}, [](const Arrays& a) { return a[0] + a[1].T(); }, 12 * mm, mm);

  // Reductions
  add_row("sum_f32", {f32_n}, [](const Arrays& a) { return sum(a[0]); }, 4 * dn, dn);
  add_row("sum_f64", {f64_half}, [](const Arrays& a) { return sum(a[0]); }, 4 * dn, dn / 2);
  add_row("max_f32", {f32_n}, [](const Arrays& a) { return max(a[0]); }, 4 * dn, dn);
  add_row("argmax_f32", {f32_n}, [](const Arrays& a) { return argmax(a[0]); }, 4 * dn, dn);
  add_row("sum_axis0_f32", {f32_mm}, [](const Arrays& a) { return sum(a[0], {.axis = 0}); }, 4 * mm, mm);
  add_row("sum_axis1_f32", {f32_mm}, [](const Arrays& a) { return sum(a[0], {.axis = 1}); }, 4 * mm, mm);
  const Input tall{float32, {n / 10, 10}};
  add_row("sum_tall_axis0_f32", {tall}, [](const Arrays& a) { return sum(a[0], {.axis = 0}); }, 4 * dn, dn);
  add_row("sum_tall_axis1_f32", {tall}, [](const Arrays& a) { return sum(a[0], {.axis = 1}); }, 4 * dn, dn);
  add_row("sumsq_diff_f32", {f32_n, f32_n}, [](const Arrays& a) { return sum((a[0] - a[1]) * (a[0] - a[1])); }, 8 * dn,
          3 * dn);
  const Input rows{float32, {n / 1000, 1000}};
  add_row("l2_normalize_rows_f32", {rows},
          [](const Arrays& a) { return a[0] / (sqrt(sum(a[0] * a[0], {.axis = 1, .keepdims = true})) + 1e-8); }, 8 * dn,
          3 * dn);
  add_row("softmax_rows_f32", {rows}, [](const Arrays& a) { return softmax_rows(a[0]); }, 8 * dn, 5 * dn);
  add_row("var_axis0_f32", {f32_mm}, [](const Arrays& a) { return var(a[0], {.axis = 0}); }, 4 * mm, 3 * mm);

  add_row("cumsum_f32", {f32_n}, [](const Arrays& a) { return cumulative_sum(a[0]); }, 8 * dn, dn);

  // Products
  const auto product = [](const Arrays& a) { return matmul(a[0], a[1]); };
  std::vector<std::int64_t> sizes{256, 1024, 4096};
  if (!small) sizes.push_back(10'000);
  for (const std::int64_t s : sizes) {
    const double d = double(s);
    add_row("matmul_" + std::to_string(s) + "_f32", {{float32, {s, s}}, {float32, {s, s}}}, product, 12 * d * d, 2 * d * d * d);
  }
  const std::int64_t s = small ? 2048 : 8192;
  const double d = double(s);
  add_row("matmul_" + std::to_string(s) + "_f64", {{float64, {s, s}}, {float64, {s, s}}}, product, 24 * d * d, 2 * d * d * d);
  const Input square_2048{float32, {2048, 2048}};
  add_row("matmul_bt_2048_f32", {square_2048, square_2048}, [](const Arrays& a) { return matmul(a[0], a[1].T()); },
          12.0 * 2048 * 2048, 2.0 * 2048 * 2048 * 2048);
  const Input batch{float32, {512, 128, 128}};
  add_row("matmul_batched_f32", {batch, batch}, product, 12.0 * 512 * 128 * 128, 2.0 * 512 * 128 * 128 * 128);
  add_row("matvec_f32", {f32_mm, {float32, {m}}}, product, 4 * mm, 2 * mm);

  // Linear algebra and transforms
  const auto system = [](const Arrays& a) { return linalg::solve(a[0], a[1]); };
  add_row("solve_2000_f64", {{float64, {2000, 2000}}, {float64, {2000, 10}}}, system, 0, 2.0 * 2000 * 2000 * 2000 / 3);
  add_row("svd_500_f64", {{float64, {500, 500}}}, [](const Arrays& a) { return linalg::svd(a[0]).S; }, 0, 0);
  const struct {
    const char* name;
    Array (*call)(const Arrays&);
  } factorizations[] = {{"solve", [](const Arrays& a) { return linalg::solve(a[0], a[1]); }},
                        {"inv", [](const Arrays& a) { return linalg::inv(a[0]); }},
                        {"det", [](const Arrays& a) { return linalg::det(a[0]); }},
                        {"cholesky", [](const Arrays& a) { return linalg::cholesky(a[0]); }},
                        {"qr", [](const Arrays& a) { return linalg::qr(a[0]).R; }},
                        {"svd", [](const Arrays& a) { return linalg::svd(a[0]).S; }},
                        {"eigh", [](const Arrays& a) { return linalg::eigh(a[0]).eigenvalues; }}};
  for (const std::int64_t order : {2, 8, 32}) {
    // Symmetric where one triangle is read, and positive definite.
    const auto matrices = [order](const Shape& stack) {
      return [order, stack] {
        Shape square = stack, column = stack;
        for (const std::int64_t length : {order, order}) square.push_back(length);
        for (const std::int64_t length : {order, std::int64_t{1}}) column.push_back(length);
        Arrays in = inputs({{float32, square}, {float32, column}})();
        in[0] = (in[0] + 2.0 * double(order) * eye(order, {}, {.dtype = float32})).eval();
        return in;
      };
    };
    for (const auto& [name, call] : factorizations) {
      const std::string suffix = name + ("_" + std::to_string(order)) + "_f32";
      list.push_back({"many_" + suffix, matrices({10'000}), call, 0, 0});
      list.push_back({"small_" + suffix, matrices({}), call, 0, 0, 100});
    }
  }
  add_row("fft_f32", {{float32, {1 << 22}}}, [](const Arrays& a) { return fft::rfft(a[0]); }, 0, 0);

  // Order and data movement
  add_row("sort_f32", {{float32, {n / 10}}}, [](const Arrays& a) { return sort(a[0]); }, 0, 0);
  add_row("argsort_f32", {{float32, {n / 10}}}, [](const Arrays& a) { return argsort(a[0]); }, 0, 0);
  add_row("sort_i64", {{int64, {n / 10}}}, [](const Arrays& a) { return sort(a[0]); }, 0, 0);
  add_row("unique_i32", {{int32, {n / 10}}}, [](const Arrays& a) { return unique_values(a[0]); }, 0, 0);
  add_row("mask_select_f32", {f32_n}, [](const Arrays& a) { return a[0](a[0] > 1.0); }, 6 * dn, 0);
  add_row("take_f32", {f32_n, {int64, {n / 4}}}, [](const Arrays& a) { return a[0](a[1]); }, 4 * dn, 0);
  add_row("transpose_copy_f32", {f32_mm}, [](const Arrays& a) { return a[0].T().contiguous(); }, 8 * mm, 0);
  add_row("strided_copy_f32", {f32_n}, [](const Arrays& a) { return a[0](slice(none, none, 2)).contiguous(); }, 4 * dn, 0);
  const Input f32_half{float32, {n / 2}};
  add_row("concat_f32", {f32_half, f32_half}, [](const Arrays& a) { return concat({a[0], a[1]}); }, 8 * dn, 0);

  // Random numbers
  add_row("uniform_f32", {}, [n](const Arrays&) { return random::uniform({n}, {.dtype = float32}); }, 4 * dn, 0);
  add_row("normal_f32", {}, [n](const Arrays&) { return random::normal({n}, {.dtype = float32}); }, 4 * dn, 0);

  // Transfers between ordinary host memory and a device of its own
  if (const Device device; !device.shares_host_memory()) {
    const auto on_host = [](std::int64_t count) {
      return [count] { return Arrays{full({count}, 1.5, {.dtype = float32, .device = "cpu"}).eval()}; };
    };
    const std::int64_t many = small ? 64'000'000 : 256'000'000;
    const auto upload = [device](const Arrays& a) { return a[0].to(device); };
    list.push_back({"h2d_pageable", on_host(many), upload, 4.0 * double(many), 0});
    list.push_back({"d2h_pageable", [many] { return Arrays{full({many}, 1.5, {.dtype = float32}).eval()}; },
                    [](const Arrays& a) { return a[0].to("cpu"); }, 4.0 * double(many), 0});
    list.push_back({"h2d_small", on_host(100), upload, 400, 0, 100});
  }

  // Small arrays: what one call costs
  const Input tiny{float32, {100}};
  add_row("small_add_f32", {tiny, tiny}, [](const Arrays& a) { return a[0] + a[1]; }, 0, 0, 1000);
  add_row("small_chain_f32", {tiny, tiny}, hypot_chain, 0, 0, 1000);
  add_row("small_sum_f32", {tiny}, [](const Arrays& a) { return sum(a[0]); }, 0, 0, 1000);
  add_row("small_matmul_f32", {{float32, {16, 16}}, {float32, {16, 16}}}, product, 0, 0, 1000);
  add_row("view_slice_f32", {{float32, {100, 100}}},
          [](const Arrays& a) { return a[0](slice(10, 20), slice(none, none, 2)); }, 0, 0, 1000);
  return list;
}

}  // namespace tandem::bench
