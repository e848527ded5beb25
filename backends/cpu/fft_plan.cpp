#include "fft_plan.hpp"

#include <pthread.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <list>
#include <mutex>
#include <new>
#include <numbers>

#include "fft_rows.hpp"
#include "isa.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

// ---- roots of unity ----

/// exp(-2 pi i k / order), in a format better than T.
template <class T>
class Roots {
 public:
  using Real = std::conditional_t<sizeof(T) == sizeof(float), double, long double>;
  struct Number {
    Real re, im;
  };

  explicit Roots(int64_t order) : order_(order) {
    while (fine_ * fine_ < order) fine_ *= 2;
    if (order <= largest_direct) return;
    for (int64_t k = 0; k < fine_; ++k) small_.push_back(direct(k));
    for (int64_t k = 0; k < order; k += fine_) large_.push_back(direct(k));
  }

  /// For any k >= 0.
  Number operator()(int64_t k) const {
    k %= order_;
    if (order_ <= largest_direct) return direct(k);
    const Number a = large_[size_t(k / fine_)], b = small_[size_t(k % fine_)];
    return {exact(a.re * b.re - a.im * b.im), exact(a.re * b.im + a.im * b.re)};
  }

 private:
  static constexpr int64_t largest_direct = 4096;

  /// Angles of at most an eighth of a turn are what sine and cosine are most exact for.
  Number direct(int64_t k) const {
    const int64_t quarter = (4 * k + order_ / 2) / order_, rest = 4 * k - quarter * order_;
    const Real angle = std::numbers::pi_v<Real> / 2 * Real(rest) / Real(order_);
    const Real c = std::cos(angle), s = std::sin(angle);
    switch (quarter % 4) {
      case 0: return {c, -s};
      case 1: return {-s, -c};
      case 2: return {-c, s};
      default: return {s, c};
    }
  }

  /// No part is so small but 0.
  static Real exact(Real x) { return std::abs(x) < Real(1e-14) ? 0 : x; }

  int64_t order_, fine_ = 1;
  std::vector<Number> small_, large_;
};

template <class T>
void append(std::vector<T>& table, typename Roots<T>::Number x) {
  table.push_back(T(x.re));
  table.push_back(T(x.im));
}

// ---- lengths ----

int64_t smallest_factor(int64_t n, int64_t from) noexcept {
  for (int64_t p = from; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

/// The radices of the passes: eights first, which touch memory least often.
std::vector<int64_t> radices(int64_t n) {
  std::vector<int64_t> list;
  for (const int64_t radix : {8, 4, 2})
    while (n % radix == 0) {
      list.push_back(radix);
      n /= radix;
    }
  for (int64_t p = 3; n > 1; n /= p) {
    p = smallest_factor(n, p);
    list.push_back(p);
  }
  return list;
}

/// A length of at least 2 n - 1 for convolutions: 2^k, 3 * 2^k or 5 * 2^k.
int64_t convolution_length(int64_t n) noexcept {
  const auto least = std::uint64_t(2 * n - 1);
  const auto with = [&](std::uint64_t factor) { return factor * std::bit_ceil((least + factor - 1) / factor); };
  return int64_t(std::min({with(1), with(3), with(5)}));
}

/// exp(-pi i k^2 / n) for k < n, as `table`, and its conjugate, round the ends of m numbers and divided by m.
template <class T>
std::vector<T> chirp(int64_t n, int64_t m, std::vector<T>& table) {
  const Roots<T> roots(2 * n);
  std::vector<T> conjugate(size_t(2 * m), T(0));
  int64_t square = 0;  // k^2 modulo 2 n
  for (int64_t k = 0; k < n; ++k) {
    const auto x = roots(square);
    append(table, x);
    for (const int64_t at : {k, (m - k) % m}) {
      conjugate[size_t(2 * at)] = T(x.re / typename Roots<T>::Real(m));
      conjugate[size_t(2 * at + 1)] = T(-x.im / typename Roots<T>::Real(m));
    }
    square = (square + 2 * k + 1) % (2 * n);
  }
  return conjugate;
}

/// The transform of m numbers in place, as one row of a tile.
template <class T>
void transform_one(const FftLength<T>& length, T* x) {
  Scratch work(length.work() * 2 * largest_vector_bytes);
  if (!work) throw std::bad_alloc();
  const int64_t row = 0;
  FftTile<T> tile{&length, FftForm::complex, 1, false, false, T(1), {x, &row, 1}, {x, &row, 1}};
  fft_kernels<T>().transform(tile, work.as<void>());
}

template <class T>
std::shared_ptr<FftLengthPlan<T>> make_length(int64_t n, bool half_roots) {
  auto plan = std::make_shared<FftLengthPlan<T>>();
  FftLength<T>& length = plan->length;
  std::vector<T>& table = plan->tables;
  length.n = n;
  const std::vector<int64_t> factors = radices(n);
  std::vector<size_t> places;  // of the parts of the table, which may move until it is whole
  const bool convolved = n > 1 && *std::max_element(factors.begin(), factors.end()) > largest_radix;
  if (convolved) {
    plan->convolution = fft_length_plan<T>(convolution_length(n), false);
    length.convolution = &plan->convolution->length;
    std::vector<T> spectrum = chirp<T>(n, length.convolution->n, table);
    transform_one(*length.convolution, spectrum.data());
    places.push_back(table.size());
    table.insert(table.end(), spectrum.begin(), spectrum.end());
  } else {
    const Roots<T> roots(n);
    int64_t before = 1;
    for (const int64_t radix : factors) {
      const int64_t after = n / (before * radix);
      length.passes[length.n_passes++] = {radix, before, after, nullptr, nullptr};
      places.push_back(table.size());
      for (int64_t k = 0; k < after; ++k)
        for (int64_t j = 1; j < radix; ++j) append(table, roots(before * j * k));
      places.push_back(table.size());
      for (int64_t k = 0; radix % 2 && k < radix; ++k) append(table, roots(n / radix * k));
      before *= radix;
    }
  }
  places.push_back(table.size());
  if (half_roots) {
    const Roots<T> roots(2 * n);
    for (int64_t k = 0; k <= n / 2; ++k) append(table, roots(k));
    length.half_roots = table.data() + places.back();
  }
  if (convolved) {
    length.chirp = table.data();
    length.chirp_spectrum = table.data() + places[0];
  }
  for (int i = 0; i < length.n_passes; ++i) {
    length.passes[i].twiddles = table.data() + places[size_t(2 * i)];
    length.passes[i].roots = table.data() + places[size_t(2 * i + 1)];
  }
  return plan;
}

// ---- long rows ----

constexpr int64_t least_split = 8, longest_lane = 512;

/// The largest divisor up to the square root.
int64_t lesser_factor(int64_t n) noexcept {
  int64_t d = int64_t(std::sqrt(double(n)));
  while (d * d > n) --d;
  while (n % d != 0) --d;
  return d;
}

template <class T>
void make_split(FftRowPlan<T>& plan) {
  constexpr int64_t margin = 16;  // columns that the last, partial tile reads
  const int64_t rows = lesser_factor(plan.n), columns = plan.n / rows;
  plan.column = fft_length_plan<T>(rows, false);
  plan.row = fft_length_plan<T>(columns, false);
  int64_t fine = 1;
  while (fine * fine < rows) fine *= 2;
  const Roots<T> roots(plan.n);
  const int64_t width = columns + margin;
  const auto add_row = [&](int64_t k) {
    for (int64_t i = 0; i < width; ++i) append(plan.tables, roots(i < columns ? i * k : 0));
  };
  for (int64_t k = 0; k < fine; ++k) add_row(k);
  for (int64_t k = 0; k < rows; k += fine) add_row(k);
  plan.twiddles = {fine, width, plan.tables.data() + 2 * fine * width, plan.tables.data()};
}

template <class T>
std::shared_ptr<FftRowPlan<T>> make_row(int64_t n) {
  using Kind = typename FftRowPlan<T>::Kind;
  auto plan = std::make_shared<FftRowPlan<T>>();
  plan->n = n;
  if (lesser_factor(n) >= least_split) {
    plan->kind = Kind::split;
    make_split(*plan);
  } else if (n <= longest_lane) {
    plan->kind = Kind::lane;
    plan->column = fft_length_plan<T>(n, false);
  } else {
    plan->kind = Kind::convolved;
    const int64_t m = convolution_length(n);
    plan->convolution = fft_row_plan<T>(m);
    std::vector<T> conjugate = chirp<T>(n, m, plan->tables);
    if (!transform_row(*plan->convolution, conjugate.data(), conjugate.data(), {})) throw std::bad_alloc();
    plan->tables.insert(plan->tables.end(), conjugate.begin(), conjugate.end());
  }
  return plan;
}

template <class T>
std::shared_ptr<FftRealPlan<T>> make_real(int64_t n) {
  constexpr int64_t fine = FftRoots<T>::fine_count;
  auto plan = std::make_shared<FftRealPlan<T>>();
  const Roots<T> roots(n);
  std::vector<T>& table = plan->tables;
  const int64_t coarse = n / 4 / fine + 1;
  for (int64_t k = 0; k < fine; ++k) table.push_back(T(roots(k).re));
  for (int64_t k = 0; k < fine; ++k) table.push_back(T(roots(k).im));
  for (int64_t k = 0; k < coarse; ++k) append(table, roots(k * fine));
  plan->roots = {table.data() + 2 * fine, table.data(), table.data() + fine};
  return plan;
}

// ---- the cache ----

std::mutex& cache_mutex() {
  static std::mutex& mutex = *[] {
    static auto* created = new std::mutex;
    pthread_atfork([] { created->lock(); }, [] { created->unlock(); }, [] { created->unlock(); });
    return created;
  }();
  return mutex;
}

/// The plans that were used last.
template <class Plan>
class Cache {
 public:
  template <class Make>
  std::shared_ptr<const Plan> get(int64_t key, Make make) {
    if (auto found = find(key)) return found;
    std::shared_ptr<const Plan> made = make();  // perhaps by two threads at once, of which one keeps its own
    std::lock_guard lock(cache_mutex());
    entries_.push_front({key, made});
    bytes_ += made->bytes();
    while (entries_.size() > most_plans || (bytes_ > most_bytes && entries_.size() > 1)) {
      bytes_ -= entries_.back().plan->bytes();
      entries_.pop_back();
    }
    return made;
  }

 private:
  static constexpr size_t most_plans = 64;
  static constexpr int64_t most_bytes = int64_t{64} << 20;
  struct Entry {
    int64_t key;
    std::shared_ptr<const Plan> plan;
  };

  std::shared_ptr<const Plan> find(int64_t key) {
    std::lock_guard lock(cache_mutex());
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.key == key; });
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().plan;
  }

  std::list<Entry> entries_;
  int64_t bytes_ = 0;
};

template <class Plan>
Cache<Plan>& cache() {
  static Cache<Plan>& shared = *new Cache<Plan>;
  return shared;
}

}  // namespace

template <>
const FftKernels<float>& fft_kernels() noexcept {
  switch (isa()) {
    case Isa::v4: return v4::fft_kernels_float;
    case Isa::v3: return v3::fft_kernels_float;
    default: return v2::fft_kernels_float;
  }
}

template <>
const FftKernels<double>& fft_kernels() noexcept {
  switch (isa()) {
    case Isa::v4: return v4::fft_kernels_double;
    case Isa::v3: return v3::fft_kernels_double;
    default: return v2::fft_kernels_double;
  }
}

template <class T>
std::shared_ptr<const FftLengthPlan<T>> fft_length_plan(int64_t n, bool half_roots) {
  return cache<FftLengthPlan<T>>().get(2 * n + half_roots, [&] { return make_length<T>(n, half_roots); });
}

template <class T>
std::shared_ptr<const FftRowPlan<T>> fft_row_plan(int64_t n) {
  return cache<FftRowPlan<T>>().get(n, [&] { return make_row<T>(n); });
}

template <class T>
std::shared_ptr<const FftRealPlan<T>> fft_real_plan(int64_t n) {
  return cache<FftRealPlan<T>>().get(n, [&] { return make_real<T>(n); });
}

template std::shared_ptr<const FftLengthPlan<float>> fft_length_plan(int64_t, bool);
template std::shared_ptr<const FftLengthPlan<double>> fft_length_plan(int64_t, bool);
template std::shared_ptr<const FftRowPlan<float>> fft_row_plan(int64_t);
template std::shared_ptr<const FftRowPlan<double>> fft_row_plan(int64_t);
template std::shared_ptr<const FftRealPlan<float>> fft_real_plan(int64_t);
template std::shared_ptr<const FftRealPlan<double>> fft_real_plan(int64_t);

}  // namespace tandem::cpu
