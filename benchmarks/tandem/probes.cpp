#include "probes.hpp"

#include <algorithm>
#include <memory>

#include "cases.hpp"
#include "dispatch/program/ops.hpp"

namespace tandem::bench {
namespace {

using Arrays = std::vector<Array>;
using Count = std::int64_t;

Array numbers(const Shape& shape, DType dtype, double low, double high, std::uint64_t stream = 0) {
  const Array unit = random::uniform(shape, {.stream = stream, .dtype = float32});
  if (is_bool(dtype)) return (unit < 0.5).eval();
  if (is_integer(dtype)) return (unit * 1e6).astype(dtype).eval();
  return (unit * (high - low) + low).astype(dtype).eval();
}

/// A row of ops.def and its public function.
struct Operation {
  detail::OpRow row;
  Array (*call)(const Array* x);
};
#define CALL_1(f) [](const Array* x) { return tandem::f(x[0]); }
#define CALL_2(f) [](const Array* x) { return tandem::f(x[0], x[1]); }
#define CALL_3(f) [](const Array* x) { return tandem::f(x[0], x[1], x[2]); }
#define CALL_4(f) [](const Array* x) { return tandem::f(x[0], x[1], x[2], x[3]); }
const Operation operations[] = {
#define TD_OP(name, arity, types, result, expression, low, high, ulp, doc) \
  {detail::op_rows[TD_OP_##name], CALL_##arity(name)},
#include <tandem/ops.def>
};

class Probes {
 public:
  std::vector<Probe> list;

  void add(std::string name, std::function<Arrays()> make, std::function<Array(const Arrays&)> call,
           bool small = false) {
    list.push_back({std::move(name), std::move(make), std::move(call), small});
  }

  /// What programs cost that do nothing but go through memory.
  void passes() {
    for (Count n = 16; n <= Count{1} << 26; n *= 4)
      add("copy", vector(n, float32), [](const Arrays& a) { return a[0].copy(); });
    for (const Count n : {64, 512, 4096})
      add("copy of a transpose", [n] { return Arrays{numbers({n, n}, float32, 0.5, 1.5)}; },
          [](const Arrays& a) { return a[0].T().copy(); });
    for (Count n = 256; n <= Count{1} << 24; n *= 16)
      for (const Count length : {Count{4}, Count{32}, Count{256}, Count{4096}, n}) {
        if (length > n) continue;
        const auto rows = [=] { return Arrays{numbers({n / length, length}, float32, 0.5, 1.5)}; };
        const auto columns = [=] { return Arrays{numbers({length, n / length}, float32, 0.5, 1.5)}; };
        add("sum of rows", rows, [](const Arrays& a) { return sum(a[0], {.axis = 1}); });
        add("squares of rows", rows, [](const Arrays& a) { return sum(a[0] * a[0], {.axis = 1}); });
        if (length == n) continue;
        add("sum of columns", columns, [](const Arrays& a) { return sum(a[0], {.axis = 0}); });
        add("squares of columns", columns, [](const Arrays& a) { return sum(a[0] * a[0], {.axis = 0}); });
        add("variance of rows", rows, [](const Arrays& a) { return var(a[0], {.axis = 1}); });
      }
  }

  /// Rows that a broadcast makes.
  void broadcasts() {
    for (const Count n : {16, 256, 2048})
      for (const Count length : {3, 64}) {
        if (n * n * length > (Count{1} << 24)) continue;
        add("squares of differences",
            [=] { return Arrays{numbers({n, 1, length}, float32, 0, 1), numbers({1, n, length}, float32, 0, 1, 1)}; },
            [](const Arrays& a) { return sum((a[0] - a[1]) * (a[0] - a[1]), {.axis = 2}); });
      }
  }

  /// What each operation costs an element, of float32 and float64: three of them in one program, so that memory does
  /// not hide them. Their arguments come from the middle of the domain; sums keep them apart, whose cost is measured first.
  void operations_of(DType dtype) {
    for (const Count n : {cached_elements, many_elements}) {
      add("additions", vector(n, dtype), [](const Arrays& a) {
        Array x = a[0];
        for (int i = 0; i < 8; ++i) x = x + a[0];
        return x;
      });
      add("multiplications", vector(n, dtype), [](const Arrays& a) {
        Array x = a[0];
        for (int i = 0; i < 8; ++i) x = x * a[0];
        return x;
      });
      for (const Operation& one : operations) {
        if (!(one.row.types & detail::type_set(dtype))) continue;
        const bool chains = one.row.result == detail::TD_SAME;
        const Operation* const operation = &one;
        const double low = std::max(one.row.low, std::min(-2.0, one.row.high - 4)),
                     high = std::min(one.row.high, std::max(2.0, low + 4));
        add(one.row.name,
            [=] {
              Arrays in;
              for (int i = 0; i < operation->row.arity; ++i)
                in.push_back(numbers({n}, operand_dtype(*operation, i, dtype), low, high, std::uint64_t(i)));
              return in;
            },
            [=](const Arrays& a) {
              const Array once = operation->call(a.data());
              if (!chains) return once;
              Arrays again = a;
              Array total = once;
              for (int i = 0; i < 2; ++i) {
                again.back() = again.back() * 0.5 + (low + high) / 4;
                total = total + operation->call(again.data());
              }
              return total;
            },
            n == cached_elements);
      }
    }
    // How the cost of an operation changes with the number of elements.
    for (Count n = 256; n <= Count{1} << 24; n *= 4)
      add("tanh of many", vector(n, dtype), [](const Arrays& a) { return tanh(tanh(tanh(a[0]))); });
  }

  void casts() {
    for (const auto& [from, to] : {std::pair{float32, float64}, {float64, float32}, {int32, float32}, {int64, float64},
                                   {float32, int32}, {bool_, float32}, {float16, float32}, {float32, float16}})
      for (const Count n : {cached_elements, many_elements})
        add("cast", vector(n, from), [to = to](const Arrays& a) { return a[0].astype(to); }, n == cached_elements);
  }

  void products() {
    for (const DType dtype : {float32, float64}) {
      for (const Count n : {16, 64, 128, 256, 512, 1024, 2048, 4096})
        product("squares", dtype, {n, n}, {n, n});
      for (const Count n : {8, 32, 128})
        product("stacks", dtype, {(Count{1} << 18) / (n * n), n, n}, {(Count{1} << 18) / (n * n), n, n});
      for (const Count n : {256, 1024, 4096}) {
        product("matrix and vector", dtype, {n, n}, {n, 1});
        product("matrix and columns", dtype, {n, n}, {n, 16});
        product("outer", dtype, {n, 16}, {16, n});
      }
      for (const Count n : {200, 8'000, 200'000}) {
        product("rows and vector", dtype, {n, 24}, {24, 1});
        product("columns and vector", dtype, {24, n}, {n, 1});
        product("rows and matrix", dtype, {n, 24}, {24, 12});
        product("few and few", dtype, {24, n}, {n, 24});
        product("layer", dtype, {n, 192}, {192, 96});
      }
    }
  }

  void factorizations() {
    for (const DType dtype : {float32, float64}) {
      for (const auto& [count, n] : std::initializer_list<std::pair<Count, Count>>{
               {1, 8}, {1, 64}, {1, 256}, {1, 1024}, {1000, 4}, {1000, 16}, {16, 128}}) {
        const auto matrices = [=, count = count, n = n] {
          const Array x = numbers({count, n, n}, dtype, 0.1, 1.0);
          return Arrays{(matmul(x, matrix_transpose(x)) + double(n) * eye(n, {}, {.dtype = dtype})).eval(),
                        numbers({count, n, 1}, dtype, 0.1, 1.0, 1)};
        };
        add("cholesky", matrices, [](const Arrays& a) { return linalg::cholesky(a[0]); });
        add("solve", matrices, [](const Arrays& a) { return linalg::solve(a[0], a[1]); });
        add("determinant", matrices, [](const Arrays& a) { return linalg::det(a[0]); });
        add("inverse", matrices, [](const Arrays& a) { return linalg::inv(a[0]); });
        add("qr", matrices, [](const Arrays& a) { return linalg::qr(a[0]).R; });
        if (count * n * n > 500 * 500) continue;
        add("singular values", matrices, [](const Arrays& a) { return linalg::svdvals(a[0]); });
        add("svd", matrices, [](const Arrays& a) { return linalg::svd(a[0]).S; });
        add("eigenvalues, symmetric", matrices, [](const Arrays& a) { return linalg::eigvalsh(a[0]); });
        add("eigenvectors, symmetric", matrices, [](const Arrays& a) { return linalg::eigh(a[0]).eigenvalues; });
      }
    }
  }

  void order() {
    for (const DType dtype : {float32, float64, int64}) {
      for (const Shape& shape : lines()) {
        const auto make = [=] { return Arrays{numbers(shape, dtype, 0.0, 1.0)}; };
        add("sort", make, [](const Arrays& a) { return sort(a[0]); });
        add("argsort", make, [](const Arrays& a) { return argsort(a[0]); });
        add("running sums", make, [](const Arrays& a) { return cumulative_sum(a[0], {.axis = -1}); });
        add("running maxima", make, [](const Arrays& a) { return cumulative_max(a[0], {.axis = -1}); });
        if (dtype != int64) add("median", make, [](const Arrays& a) { return quantile(a[0], 0.5, {.axis = -1}); });
      }
    }
    for (const Count n : {Count{100}, Count{10'000}, Count{1'000'000}})
      for (const Count m : {Count{1000}, Count{1'000'000}})
        add("searchsorted",
            [=] { return Arrays{sort(numbers({n}, float32, 0, 1)).eval(), numbers({m}, float32, 0, 1, 1)}; },
            [](const Arrays& a) { return searchsorted(a[0], a[1]); });
  }

  void movement() {
    for (const DType dtype : {float32, float64})
      for (const Count n : {Count{100}, Count{10'000}, Count{1'000'000}, Count{8'000'000}}) {
        for (const Count together : {1, 64}) {
          if (n * together > 16'000'000) continue;
          const auto lookups = [=](Count places) {
            return [=] {
              const auto shape = [=](Count rows) { return together == 1 ? Shape{rows} : Shape{rows, together}; };
              return Arrays{numbers(shape(places), dtype, 0, 1),
                            random::integers({n}, 0, places, {.stream = 1, .dtype = int64}).eval(),
                            numbers(shape(n), dtype, 0, 1, 2)};
            };
          };
          const auto make = lookups(n);
          add("take", make, [](const Arrays& a) { return a[0](a[1]); });
          add("take from few", lookups(1000), [](const Arrays& a) { return a[0](a[1]); });
          add("put", make, [](const Arrays& a) {
            Array x = a[0];
            x(a[1]) = a[2];
            return x;
          });
          if (together == 1)
            add("add at", make, [](const Arrays& a) {
              Array x = a[0];
              add_at(x, {a[1]}, a[2]);
              return x;
            });
        }
        add("select", [=] { return Arrays{numbers({n}, dtype, 0, 1), numbers({n}, bool_, 0, 1, 1)}; },
            [](const Arrays& a) { return a[0](a[1]); });
      }
    for (const Count n : {Count{10'000}, Count{4'000'000}})
      add("nonzero", [=] { return Arrays{numbers({n}, bool_, 0, 1)}; },
          [](const Arrays& a) { return nonzero(a[0])[0]; });
  }

  void transforms() {
    for (const DType dtype : {float32, float64})
      for (const Shape& shape : {Shape{1 << 10}, Shape{1 << 14}, Shape{1 << 18}, Shape{1 << 22},
                                 Shape{1 << 10, 1 << 10}, Shape{100, 1000}, Shape{1 << 14, 64}}) {
        const auto make = [=] { return Arrays{numbers(shape, dtype, 0, 1)}; };
        const auto make_complex = [=] { return Arrays{numbers(shape, complex_dtype(dtype), 0, 1)}; };
        add("rfft", make, [](const Arrays& a) { return fft::rfft(a[0]); });
        add("fft", make_complex, [](const Arrays& a) { return fft::fft(a[0]); });
        if (shape.size() == 2) add("fft2", make_complex, [](const Arrays& a) { return fft::fftn(a[0]); });
      }
  }

  void distributions() {
    for (Count n = 64; n <= Count{1} << 24; n *= 64) {
      for (const DType dtype : {float32, float64}) {
        add("uniform", nothing, [=](const Arrays&) { return random::uniform({n}, {.dtype = dtype}); });
        add("normal", nothing, [=](const Arrays&) { return random::normal({n}, {.dtype = dtype}); });
        add("exponential", nothing, [=](const Arrays&) { return random::exponential({n}, {.dtype = dtype}); });
        add("gamma", nothing, [=](const Arrays&) { return random::gamma({n}, 2.0, {.dtype = dtype}); });
      }
      add("integers", nothing, [=](const Arrays&) { return random::integers({n}, 0, 1000); });
      add("poisson", nothing, [=](const Arrays&) { return random::poisson({n}, 4.0); });
    }
  }

  void transfers() {
    for (Count n = 1; n <= Count{1} << 25; n *= 8) {
      const auto here = std::make_shared<std::vector<float>>(std::size_t(n), 1.5f);
      add("to the device", nothing, [=](const Arrays&) { return array(*here); });
      add("to the host", vector(n, float32), [=](const Arrays& a) {
        a[0].copy_to(std::span<float>(*here));
        return a[0];
      });
    }
  }

 private:
  static Arrays nothing() { return {}; }
  static std::function<Arrays()> vector(Count n, DType dtype) {
    return [=] { return Arrays{numbers({n}, dtype, 0.5, 1.5)}; };
  }
  static std::vector<Shape> lines() {
    return {{100}, {10'000}, {1'000'000}, {4'000'000}, {1000, 1000}, {100'000, 16}, {100, 10'000}};
  }
  static DType operand_dtype(const Operation& operation, int i, DType dtype) {
    return std::string(operation.row.name) == "where" && i == 0 ? bool_ : dtype;
  }
  void product(const char* name, DType dtype, const Shape& a, const Shape& b) {
    add(std::string("matmul: ") + name, [=] { return Arrays{numbers(a, dtype, 0, 1), numbers(b, dtype, 0, 1, 1)}; },
        [](const Arrays& in) { return matmul(in[0], in[1]); });
  }
};

}  // namespace

std::vector<Probe> probes() {
  Probes all;
  all.passes();
  all.broadcasts();
  all.transfers();
  all.products();
  all.movement();
  all.order();
  all.distributions();
  all.operations_of(float32);
  all.transforms();
  all.factorizations();
  all.operations_of(float64);
  all.casts();
  return std::move(all.list);
}

}  // namespace tandem::bench
