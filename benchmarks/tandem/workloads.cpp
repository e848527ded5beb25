#include "workloads.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "timing.hpp"

namespace tandem::bench {
namespace {

using Count = std::int64_t;

struct Workload {
  const char* name;
  /// Returns what is run, its inputs made.
  std::function<std::function<Array()>(Count n)> make;
};

Array uniform(const Shape& shape, std::uint64_t stream = 0) {
  return random::uniform(shape, {.low = 0.1, .high = 1.0, .stream = stream, .dtype = float32}).eval();
}

const Workload workloads[] = {
    {"normalized rows",
     [](Count n) {
       const Array x = uniform({n / 64, 64});
       return [=] { return x / sqrt(sum(x * x, {.axis = 1, .keepdims = true})); };
     }},
    {"standard scores of columns",
     [](Count n) {
       const Array x = uniform({n / 16, 16});
       return [=] { return (x - mean(x, {.axis = 0})) / std(x, {.axis = 0}); };
     }},
    {"distances to centres, nearest",
     [](Count n) {
       const Array x = uniform({n / 32, 32}), centres = uniform({8, 32}, 1);
       return [=] {
         const Array products = matmul(x, centres.T());
         return argmin(sum(centres * centres, {.axis = 1}) - 2 * products, {.axis = 1});
       };
     }},
    {"logistic regression, a step",
     [](Count n) {
       const Array x = uniform({n / 32, 32}), y = (uniform({n / 32}, 1) < 0.5).astype(float32).eval(), w = uniform({32}, 2);
       return [=] {
         const Array p = 1 / (1 + exp(-matmul(x, w)));
         return w - 0.1 * matmul(x.T(), p - y) / double(n / 32);
       };
     }},
    {"two dense layers",
     [](Count n) {
       const Array x = uniform({n / 128, 128}), a = uniform({128, 256}, 1), b = uniform({256, 64}, 2);
       return [=] { return matmul(maximum(matmul(x, a), 0), b); };
     }},
    {"attention",
     [](Count n) {
       const Count rows = std::max<Count>(16, std::min<Count>(2048, n / 1024));
       const Array q = uniform({4, rows, 64}), k = uniform({4, rows, 64}, 1), v = uniform({4, rows, 64}, 2);
       return [=] { return matmul(softmax(matmul(q, matrix_transpose(k)) * 0.125, {.axis = -1}), v); };
     }},
    {"heat, five steps",
     [](Count n) {
       const Count edge = Count(std::max(8.0, std::sqrt(double(n))));
       const Array start = uniform({edge, edge});
       return [=] {
         Array u = start;
         const Index inner = slice(1, -1);
         for (int i = 0; i < 5; ++i) {
           Array next = u;
           next(inner, inner) = 0.25 * (u(slice(0, -2), inner) + u(slice(2, none), inner) + u(inner, slice(0, -2)) +
                                        u(inner, slice(2, none)));
           u = next;
         }
         return u;
       };
     }},
    {"option prices by simulation",
     [](Count n) {
       return [=] {
         const Array z = random::normal({n}, {.seed = 3, .dtype = float32});
         return mean(maximum(100 * exp(0.03 + 0.2 * z) - 105, 0));
       };
     }},
    {"Black and Scholes",
     [](Count n) {
       const Array s = (uniform({n}) * 100).eval(), t = uniform({n}, 1);
       return [=] {
         const Array root = 0.3 * sqrt(t), d = (log(s / 50) + 0.06 * t) / root;
         return s * 0.5 * erfc(-d * 0.7071) - 50 * exp(-0.02 * t) * 0.5 * erfc((root - d) * 0.7071);
       };
     }},
    {"pi by darts",
     [](Count n) {
       return [=] {
         const Array x = random::uniform({n}, {.seed = 1}), y = random::uniform({n}, {.seed = 2});
         return 4.0 * mean((x * x + y * y < 1).astype(float64));
       };
     }},
    {"covariance and factor",
     [](Count n) {
       const Array x = uniform({n / 64, 64});
       return [=] {
         const Array centred = x - mean(x, {.axis = 0});
         return linalg::cholesky(matmul(centred.T(), centred) / double(n / 64) + 0.1 * eye(64, {}, {.dtype = float32}));
       };
     }},
    {"least squares by normal equations",
     [](Count n) {
       const Array x = uniform({n / 16, 16}), y = uniform({n / 16, 1}, 1);
       return [=] { return linalg::solve(matmul(x.T(), x) + eye(16, {}, {.dtype = float32}), matmul(x.T(), y)); };
     }},
    {"low-pass filter",
     [](Count n) {
       const Array x = uniform({n}), mask = (arange(n / 2 + 1) < n / 8).astype(float32).eval();
       return [=] { return fft::irfft(fft::rfft(x) * mask); };
     }},
    {"ranks",
     [](Count n) {
       const Array x = uniform({n});
       return [=] { return argsort(argsort(x)); };
     }},
    {"largest tenth",
     [](Count n) {
       const Array x = uniform({n});
       return [=] { return sum(x(x > quantile(x, 0.9))); };
     }},
    {"drawdown",
     [](Count n) {
       const Array x = uniform({n});
       return [=] {
         const Array path = cumulative_sum(x - 0.5);
         return max(cumulative_max(path) - path);
       };
     }},
    {"table lookup",
     [](Count n) {
       const Array table = uniform({1000}), i = random::integers({n}, 0, 1000).eval();
       return [=] { return table(i) * 2; };
     }},
    {"polynomial",
     [](Count n) {
       const Array x = uniform({n}).astype(float64).eval();
       return [=] { return ((((1.5 * x + 2) * x - 0.3) * x + 0.7) * x - 1) * x + 0.2; };
     }},
    {"waves",
     [](Count n) {
       const Array x = uniform({n});
       return [=] { return sin(x) * cos(2 * x) + 0.5 * sin(3 * x); };
     }},
    {"softplus, doubles",
     [](Count n) {
       const Array x = uniform({n}).astype(float64).eval();
       return [=] { return mean(log1p(exp(x))); };
     }},
    {"pairwise distances",
     [](Count n) {
       const Count points = Count(std::max(4.0, std::sqrt(double(n))));
       const Array x = uniform({points, 1, 3}), y = uniform({1, points, 3}, 1);
       return [=] { return sqrt(sum((x - y) * (x - y), {.axis = 2})); };
     }},
    {"clipped image",
     [](Count n) {
       const Array x = uniform({n / 3, 3});
       return [=] { return clip(pow(x, 1 / 2.2) * 255, 0, 255).astype(uint8); };
     }},
};

/// Seconds of a run: the best of a few.
double measured_seconds(const Device& device, const std::function<Array()>& run) {
  return time_call(device, run, 0, 0.01, 0.5).fastest;
}

}  // namespace

double predicted_seconds(const CostModel& model, const profile::Report& report, const std::string& device,
                         double* unknown) {
  double sum = 0;
  for (const profile::Load& load : report.loads) {
    if (load.device != device) continue;
    if (const auto seconds = model.seconds(load))
      sum += *seconds * double(load.calls);
    else if (unknown)
      *unknown += load.device_seconds;
  }
  return sum;
}

std::vector<Prediction> check_predictions(const CostModel& model, const Device& device) {
  std::vector<Prediction> list;
  for (const Workload& workload : workloads)
    for (const Count n : {Count{6'000}, Count{300'000}, Count{6'000'000}}) {
      const std::function<Array()> run = workload.make(n);
      run().eval();
      profile::Report report;
      {
        const profile::Scope scope;
        run().eval();
        report = scope.report();
      }
      list.push_back({workload.name + (" " + std::to_string(n)), measured_seconds(device, run),
                      predicted_seconds(model, report, device.name())});
    }
  return list;
}

}  // namespace tandem::bench
