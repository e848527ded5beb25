// The CUDA kernels of scan, gather and scatter on the host, threads as fibers, and the plans that they follow: compared
// with the reference backend bit by bit. Those of QR factors: compared with what they stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "emulator/kernels.h"

#include "backends/reference/verbs.hpp"
#include "gather_device.cuh"
#include "qr_device.cuh"
#include "scan_device.cuh"

namespace tandem::test {
namespace {

using namespace tandem::cuda;

using Ints = std::vector<std::int64_t>;

class CudaKernels : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers do not follow fibers";
#endif
  }
};

/// Runs body() in each thread of the blocks.
void launch(std::int64_t blocks, Index threads, std::function<void()> body) {
  Blocks& machine = Blocks::instance();
  machine.failure.clear();
  machine.run([](void* context) { (*static_cast<std::function<void()>*>(context))(); }, &body, threads, blocks);
  ASSERT_EQ(machine.failure, "");
}

template <class T> constexpr td_dtype dtype_of = TD_FLOAT32;
template <> constexpr td_dtype dtype_of<double> = TD_FLOAT64;
template <> constexpr td_dtype dtype_of<scalar::i64> = TD_INT64;
template <> constexpr td_dtype dtype_of<scalar::c128> = TD_COMPLEX128;

Ints row_major(const Ints& shape) {
  Ints strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}
std::int64_t product(const Ints& shape) {
  std::int64_t n = 1;
  for (std::int64_t length : shape) n *= length;
  return n;
}
td_view view(void* data, td_dtype dtype, const Ints& shape, const Ints& strides) {
  return {data, dtype, int(shape.size()), shape.data(), strides.data()};
}

// ---- scan ----

template <class T>
std::vector<T> random_elements(std::int64_t n) {
  std::mt19937 engine(static_cast<unsigned>(n));
  std::vector<T> elements(static_cast<std::size_t>(n));
  for (T& x : elements) {
    const double value = (double(engine() % 2001) - 1000) / 64;
    if constexpr (std::is_same_v<T, scalar::c128>) x = {value, double(engine() % 7)};
    else x = T(value);
  }
  return elements;
}

/// The kernels, chosen as scan_kernels.cu chooses them.
template <class Row, class T>
void run_scan(const ScanPlan& plan, const T* x, T* out) {
  std::vector<unsigned long long> words(std::size_t(plan.strands() * plan.places * plan.width * Board<T>::parts));
  unsigned long long next = 0;
  const Board<T> board{words.data(), &next};
  const std::int64_t tiles = plan.strands() * plan.tiles;
  if (plan.inner > 1) {
    launch(tiles, {column_tile_width, scan_children}, [&] { scan_column_tiles<Row>(plan, x, out, board); });
  } else if (plan.length <= scan_children * scan_children) {
    const unsigned per_row = std::bit_ceil(unsigned(plan.length + scan_children - 1) / scan_children);
    launch((plan.outer * per_row + row_tile_threads - 1) / row_tile_threads, {row_tile_threads, 1},
           [&] { scan_short_rows<Row>(plan, int(per_row), x, out); });
  } else {
    const std::int64_t needed = (std::min(plan.length, plan.tile_length) + scan_children - 1) / scan_children;
    launch(tiles, {std::bit_ceil(unsigned(needed)), 1}, [&] { scan_row_tiles<Row>(plan, x, out, board); });
  }
}

template <class Row, class T>
void expect_scan(td_reduction reduction, std::int64_t outer, std::int64_t length, std::int64_t inner) {
  const Ints shape{outer, length, inner}, strides = row_major(shape), longer{(length + 1) * inner, inner, 1};
  std::vector<T> x = random_elements<T>(outer * length * inner);
  std::vector<T> expected(std::size_t(outer * (length + 1) * inner)), actual = expected;
  const td_view in = view(x.data(), dtype_of<T>, shape, strides), out = view(expected.data(), dtype_of<T>, shape, longer);
  td_error error;
  ASSERT_EQ(reference::scan(nullptr, &in, 1, reduction, &out, &error), TD_OK);
  run_scan<Row>(plan_scan(outer, length, inner, longer[0]), x.data(), actual.data());
  ASSERT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * sizeof(T)), 0)
      << "(" << outer << ", " << length << ", " << inner << ") of dtype " << dtype_of<T>;
}

TEST_F(CudaKernels, ScanOfRows) {
  for (std::int64_t length : {1, 2, 15, 16, 17, 31, 100, 255, 256, 257, 1000, 4095, 4096, 4097, 20'000})
    expect_scan<sum_row, float>(TD_REDUCE_sum, length < 300 ? 37 : 2, length, 1);
  expect_scan<sum_row, float>(TD_REDUCE_sum, 1, 17 * 65'536 + 5000, 1);  // three levels of tiles
  expect_scan<sum_row, double>(TD_REDUCE_sum, 3, 9000, 1);
  expect_scan<prod_row, scalar::c128>(TD_REDUCE_prod, 2, 5000, 1);
  expect_scan<max_row, scalar::i64>(TD_REDUCE_max, 3, 9000, 1);
  expect_scan<min_row, double>(TD_REDUCE_min, 5, 300, 1);
}

TEST_F(CudaKernels, ScanOfColumns) {
  for (std::int64_t length : {1, 2, 16, 17, 255, 256, 257, 1000, 4097})
    for (std::int64_t inner : {2, 32, 33}) expect_scan<sum_row, float>(TD_REDUCE_sum, 2, length, inner);
  expect_scan<sum_row, double>(TD_REDUCE_sum, 1, 70'000, 3);  // three levels of tiles
  expect_scan<prod_row, scalar::c128>(TD_REDUCE_prod, 2, 600, 5);
  expect_scan<max_row, scalar::i64>(TD_REDUCE_max, 1, 600, 70);
}

// ---- gather and scatter ----

/// x[o, index_0[p], index_1[p], i] with random shapes, strides and indices.
struct Case {
  explicit Case(unsigned seed) : engine(seed) {
    const auto lengths = [&](std::int64_t most_axes, std::int64_t most) {
      Ints list;
      for (std::int64_t n = pick(0, most_axes); n > 0; --n) list.push_back(pick(1, most));
      return list;
    };
    const Ints outer = lengths(2, 3), inner = lengths(2, 9);
    positions = lengths(2, 40);
    n_indices = int(pick(1, 2));
    axis = int(outer.size());
    shape = outer;
    for (int k = 0; k < n_indices; ++k) shape.push_back(pick(1, 20));
    shape.insert(shape.end(), inner.begin(), inner.end());
    values_shape = outer;
    values_shape.insert(values_shape.end(), positions.begin(), positions.end());
    values_shape.insert(values_shape.end(), inner.begin(), inner.end());

    // Memory in the order of a random permutation of the axes, some of them reversed.
    std::vector<std::size_t> order(shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (pick(0, 1)) std::shuffle(order.begin(), order.end(), engine);
    strides.resize(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      strides[order[i]] = pick(0, 3) ? step : -step;
      first += strides[order[i]] < 0 ? (shape[order[i]] - 1) * step : 0;
      step *= shape[order[i]];
    }
    for (int k = 0; k < n_indices; ++k) {
      const std::int64_t length = shape[std::size_t(axis + k)];
      Ints& list = index_lists[k];
      for (std::int64_t i = 0; i < product(positions); ++i) list.push_back(pick(-length, length - 1));
      index_strides[k] = row_major(positions);
      if (!positions.empty() && pick(0, 3) == 0) index_strides[k][0] = 0;
      indices[k] = view(list.data(), TD_INT64, positions, index_strides[k]);
    }
    values_strides = row_major(values_shape);
    if (!values_shape.empty() && pick(0, 3) == 0) values_strides.back() = 0;
  }
  Case(const Case&) = delete;

  std::int64_t pick(std::int64_t low, std::int64_t high) { return low + std::int64_t(engine() % std::uint64_t(high - low + 1)); }

  std::mt19937_64 engine;
  Ints positions, shape, strides, values_shape, values_strides, index_lists[2], index_strides[2];
  int axis, n_indices;
  std::int64_t first = 0;  // place of the element with all indices 0
  td_view indices[2];
};

/// The offsets of gather.cpp's class Places, by its kernels.
Ints offsets_of(const Case& c, const Movement& movement, std::uint32_t* outside = nullptr) {
  Ints offsets(std::size_t(movement.runs.positions));
  for (int k = 0; k < c.n_indices; ++k) {
    const auto axis = std::size_t(c.axis + k);
    Axes axes;
    for (std::size_t i = 0; i < c.positions.size(); ++i) axes.add(c.positions[i], c.index_strides[k][i]);
    const Indexed indexed{c.index_lists[k].data(), c.shape[axis], c.strides[axis] * 4 / movement.unit_bytes, outside};
    launch((movement.runs.positions + gather_threads - 1) / gather_threads, {gather_threads, 1},
           [&] { add_offsets(axes, indexed, k == 0, movement.runs.positions, offsets.data()); });
  }
  return offsets;
}

template <class Body>
void with_unit(int bytes, Body body) {
  switch (bytes) {
    case 4: return body(scalar::u32{});
    case 8: return body(uint2{});
    default: return body(uint4{});
  }
}

TEST_F(CudaKernels, GatherAndScatter) {
  int wide = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case c(seed);
    std::vector<float> x = random_elements<float>(product(c.shape)), added = x;
    std::vector<float> values = random_elements<float>(product(c.values_shape)), taken(values.size()), expected(values.size());
    const td_view from = view(x.data() + c.first, TD_FLOAT32, c.shape, c.strides);
    const td_view to = view(expected.data(), TD_FLOAT32, c.values_shape, row_major(c.values_shape));
    td_error error;
    ASSERT_EQ(reference::gather(nullptr, &from, c.axis, c.n_indices, c.indices, &to, &error), TD_OK);
    Movement movement(from, c.axis, c.n_indices, c.indices[0], view(taken.data(), TD_FLOAT32, c.values_shape, row_major(c.values_shape)), false);
    const Ints offsets = offsets_of(c, movement);
    movement.runs.indexed = {offsets.data(), 0, 1};
    wide += movement.unit_bytes > 4;
    const auto blocks = [](const Movement& m) { return (m.runs.count() + gather_threads - 1) / gather_threads; };
    with_unit(movement.unit_bytes, [&]<class U>(U) {
      launch(blocks(movement), {gather_threads, 1}, [&] {
        gather_units(movement.runs, reinterpret_cast<const U*>(x.data() + c.first), reinterpret_cast<U*>(taken.data()));
      });
    });
    ASSERT_EQ(taken, expected);

    for (const td_scatter mode : {TD_SCATTER_LAST, TD_SCATTER_ADD}) {
      std::vector<float> actual = random_elements<float>(product(c.shape)), wanted = actual;
      const td_view target = view(wanted.data() + c.first, TD_FLOAT32, c.shape, c.strides);
      const td_view source = view(values.data(), TD_FLOAT32, c.values_shape, c.values_strides);
      ASSERT_EQ(reference::scatter(nullptr, &target, c.axis, c.n_indices, c.indices, &source, mode, &error), TD_OK);
      Movement moved(target, c.axis, c.n_indices, c.indices[0], source, mode == TD_SCATTER_ADD);
      const Ints places = offsets_of(c, moved);
      moved.runs.indexed = {places.data(), 0, 1};
      const std::int64_t low = *std::min_element(places.begin(), places.end());
      const int bits = std::bit_width(places.size() - 1);
      std::vector<scalar::u64> words(places.size());
      launch((moved.runs.positions + gather_threads - 1) / gather_threads, {gather_threads, 1},
             [&] { make_targets(moved.runs.indexed, moved.runs.positions, low, bits, words.data()); });
      std::sort(words.begin(), words.end());
      const Sorted<scalar::u64> sorted{words.data(), low, bits};
      with_unit(moved.unit_bytes, [&]<class U>(U) {
        launch(blocks(moved), {gather_threads, 1}, [&] {
          if (mode == TD_SCATTER_ADD)
            scatter_add_elements(moved.runs, sorted, moved.values, values.data(), actual.data() + c.first);
          else
            scatter_last_units(moved.runs, sorted, moved.values, reinterpret_cast<const U*>(values.data()),
                               reinterpret_cast<U*>(actual.data() + c.first));
        });
      });
      ASSERT_EQ(actual, wanted) << "mode " << mode;
    }
  }
  EXPECT_GT(wide, 10);
}

TEST_F(CudaKernels, GatherOfElements) {
  const std::int64_t length = 77;
  for (std::int64_t n : {1, 3, 1023, 1024, 1025, 5000}) {
    Ints indices;
    for (std::int64_t i = 0; i < n; ++i) indices.push_back((i * 31 + 5) % (2 * length) - length);
    std::vector<float> x = random_elements<float>(3 * length), expected(static_cast<std::size_t>(n)), taken(expected.size() + 1, 7);
    const Ints shape{length}, strides{-3}, positions{n}, ones{1};
    const td_view from = view(x.data() + 3 * (length - 1), TD_FLOAT32, shape, strides);
    const td_view places = view(indices.data(), TD_INT64, positions, ones);
    const td_view to = view(expected.data(), TD_FLOAT32, positions, ones);
    Movement movement(from, 0, 1, places, to, false);
    ASSERT_EQ(movement.runs.count(), n);
    const auto gather = [&](const std::int64_t* list) {
      std::uint32_t outside = 0;
      movement.runs.indexed = {list, length, -3, &outside};
      launch((n + gather_threads * elements_at_once - 1) / (gather_threads * elements_at_once), {gather_threads, 1}, [&] {
        gather_elements(movement.runs, reinterpret_cast<const scalar::u32*>(from.data),
                        reinterpret_cast<scalar::u32*>(taken.data()));
      });
      return outside;
    };
    td_error error;
    ASSERT_EQ(reference::gather(nullptr, &from, 0, 1, &places, &to, &error), TD_OK);
    expected.push_back(7);  // is not written
    EXPECT_EQ(gather(indices.data()), 0u);
    EXPECT_EQ(taken, expected);
    for (const std::int64_t wrong : {length, -length - 1, INT64_MAX, INT64_MIN}) {
      Ints bad = indices;
      bad[std::size_t(n / 2)] = wrong;
      EXPECT_EQ(gather(bad.data()), 1u) << wrong;
    }
  }
}

TEST_F(CudaKernels, IndicesOutsideReadNothing) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case c(seed);
    Ints values_strides = row_major(c.values_shape);
    std::vector<float> x(std::size_t(product(c.shape))), out(std::size_t(product(c.values_shape)));
    const td_view from = view(x.data() + c.first, TD_FLOAT32, c.shape, c.strides);
    const Movement movement(from, c.axis, c.n_indices, c.indices[0],
                            view(out.data(), TD_FLOAT32, c.values_shape, values_strides), false);
    std::uint32_t outside = 0;
    const Ints expected = offsets_of(c, movement, &outside);
    EXPECT_EQ(outside, 0u);
    Ints& list = c.index_lists[c.n_indices - 1];
    const std::int64_t right = std::exchange(list[0], c.pick(0, 1) ? INT64_MAX : INT64_MIN);
    const Ints with_bad = offsets_of(c, movement, &outside);
    EXPECT_EQ(outside, 1u);
    list[0] = 0;
    EXPECT_EQ(with_bad, offsets_of(c, movement)) << right;
  }
}

// ---- QR factors ----

template <class T>
using RealOf = typename PartsOf<T>::Real;
using Complex = std::complex<long double>;

template <class T>
Complex wide(T x) { return {PartsOf<T>::re(x), PartsOf<T>::im(x)}; }

/// The factors of a matrix, column by column, by the kernel.
template <class T>
std::pair<std::vector<T>, std::vector<T>> factors_of(const QrShape& shape, const std::vector<T>& a) {
  std::vector<T> q(std::size_t(shape.m * shape.inner)), r(std::size_t(shape.inner * shape.n));
  std::vector<T> memory(std::size_t(qr_bytes<T>(shape)) / sizeof(T));
  launch(1, {unsigned(qr_threads(shape)), 1}, [&] { factorize(shape, memory.data(), a.data(), q.data(), r.data()); });
  return {q, r};
}

/// That q r is the matrix and columns of q are orthonormal, by the bounds for Householder's method (Higham: Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, theorem 19.4), that r is upper triangular and its diagonal real.
template <class T>
void expect_factors(const QrShape& shape, const std::vector<T>& a) {
  const auto [q, r] = factors_of(shape, a);
  const std::int64_t m = shape.m, n = shape.n, inner = shape.inner;
  const long double steps = 4 * (long double)(m + n);
  const long double bound = steps * std::numeric_limits<RealOf<T>>::epsilon();
  const long double subnormal = steps * std::numeric_limits<RealOf<T>>::denorm_min();  // what their rounding adds
  for (std::int64_t j = 0; j < n; ++j) {
    long double error = 0, length = 0;
    for (std::int64_t i = 0; i < m; ++i) {
      Complex sum = 0;
      for (std::int64_t k = 0; k <= std::min(j, inner - 1); ++k)
        sum += wide(q[std::size_t(k * m + i)]) * wide(r[std::size_t(j * inner + k)]);
      error += std::norm(sum - wide(a[std::size_t(j * m + i)]));
      length += std::norm(wide(a[std::size_t(j * m + i)]));
    }
    ASSERT_LE(std::sqrt(error), bound * std::sqrt(length) + subnormal) << "column " << j;
    if (j < inner) {
      ASSERT_EQ(PartsOf<T>::im(r[std::size_t(j * inner + j)]), 0) << "column " << j;
    }
  }
  for (std::int64_t j = 0; j < inner; ++j)
    for (std::int64_t k = 0; k <= j; ++k) {
      Complex sum = 0;
      for (std::int64_t i = 0; i < m; ++i)
        sum += std::conj(wide(q[std::size_t(k * m + i)])) * wide(q[std::size_t(j * m + i)]);
      ASSERT_LE(std::abs(sum - Complex(j == k)), bound) << "columns " << k << " and " << j;
    }
}

template <class T>
void expect_factors_of_all(td_dtype dtype) {
  SCOPED_TRACE("dtype " + std::to_string(dtype));
  std::mt19937 engine(7);
  const auto number = [&] { return RealOf<T>((double(engine() % 2001) - 1000) / 777); };
  for (const auto& [m, n, inner] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {2, 2, 2}, {5, 3, 3}, {5, 3, 5}, {3, 5, 3}, {16, 16, 16}, {32, 32, 32},
        {33, 17, 33}, {7, 40, 7}, {20, 70, 20}, {64, 2, 2}, {1, 4, 1}, {4, 1, 1}, {4, 1, 4}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", " + std::to_string(inner));
    const QrShape shape{m, n, inner, 1};
    std::vector<T> a(std::size_t(m * n));
    for (T& x : a) x = PartsOf<T>::make(number(), number());
    expect_factors(shape, a);
    // Squares of large elements overflow, those of small ones vanish; subnormal ones; columns of zeros.
    for (const int power : sizeof(RealOf<T>) == 4 ? std::array{110, -100, -140} : std::array{1000, -1000, -1060}) {
      std::vector<T> b = a;
      for (T& x : b) x = PartsOf<T>::make(std::ldexp(PartsOf<T>::re(x), power), std::ldexp(PartsOf<T>::im(x), power));
      expect_factors(shape, b);
    }
    for (std::int64_t i = 0; i < m; ++i) a[std::size_t(n / 2 * m + i)] = T{};
    expect_factors(shape, a);
    std::fill(a.begin(), a.end(), T{});
    expect_factors(shape, a);
    a[0] = PartsOf<T>::make(RealOf<T>(NAN), 0);
    factors_of(shape, a);  // comes to an end
  }
}

TEST_F(CudaKernels, QrFactors) {
  expect_factors_of_all<float>(TD_FLOAT32);
  expect_factors_of_all<double>(TD_FLOAT64);
  expect_factors_of_all<scalar::c64>(TD_COMPLEX64);
  expect_factors_of_all<scalar::c128>(TD_COMPLEX128);
}

}  // namespace
}  // namespace tandem::test
