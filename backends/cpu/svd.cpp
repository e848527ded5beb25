// Singular values by LAPACK's gesdd; the vectors of large matrices by its parts, of which the last one is ours.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "factorization.hpp"

namespace tandem::cpu {
namespace {

/// gesdd, with the further memory that it takes for complex matrices.
template <class T>
int gesdd(const Lapack<T>& lapack, const char* job, int m, int n, T* a, typename Lapack<T>::Real* s, T* u, T* vh,
          T* work, int length, typename Lapack<T>::Real* real_work, int* integer_work) {
  int info = 0;
  if constexpr (Lapack<T>::is_complex)
    lapack.gesdd(job, &m, &n, a, &m, s, u, &m, vh, &n, work, &length, real_work, integer_work, &info, 1);
  else
    lapack.gesdd(job, &m, &n, a, &m, s, u, &m, vh, &n, work, &length, integer_work, &info, 1);
  return info;
}

/// Whether one thread has products of a matrix and vectors from its cache faster than several threads together, which
/// meet at each one.
template <class T>
bool stays_in_cache(int64_t m, int64_t n) noexcept {
  return m * n * int64_t(sizeof(T)) <= 4 << 20;
}

/// What gesdd does for matrices that are not much taller than wide: bidiagonal form by reflections from both sides, its
/// singular values and vectors by divide and conquer, and the reflections again. gesdd has threads of BLAS meet at
/// every product with a vector of the first part, and applies the reflections of the last one in products that are too
/// narrow for many threads; here columns of U and rows of Vh are shared out between them.
template <class T>
class LargeSvd {
 public:
  using Real = typename Lapack<T>::Real;

  static bool suits(int64_t m, int64_t n) noexcept {
    return of_vectors(10, m, n).worth_threads && 6 * m < 11 * n;  // gesdd begins with QR factors from there on
  }

  LargeSvd(const Blas& blas, int64_t m, int64_t n, int64_t columns, Layout& layout)
      : blas_(blas), lapack_(blas.lapack<T>()), m_(int(m)), n_(int(n)), columns_(int(columns)) {
    T answer{};
    Real unused{};
    const int question = -1;
    int info = 0;
    lapack_.gebrd(&m_, &n_, &answer, &m_, &unused, &unused, &answer, &answer, &answer, &question, &info);
    length_ = work_length(answer);
    off_diagonal_at_ = layout.add<Real>(n);
    tau_q_at_ = layout.add<T>(n);
    tau_p_at_ = layout.add<T>(n);
    work_at_ = layout.add<T>(length_);
    real_at_ = layout.add<Real>(3 * n * n + 4 * n + (Lapack<T>::is_complex ? 2 * n * n : 0));
    integer_at_ = layout.add<int>(8 * n);
    factors_at_ = layout.add<T>(2 * blocks() * block * block);
    products_at_ = layout.add<T>((tasks(columns_) + tasks(n_)) * chunk * block);
  }

  /// Returns whether it converged.
  bool operator()(T* a, Real* s, T* u, T* vh, char* memory) const {
    Real *e = reinterpret_cast<Real*>(memory + off_diagonal_at_), *reals = reinterpret_cast<Real*>(memory + real_at_);
    T *tau_q = reinterpret_cast<T*>(memory + tau_q_at_), *tau_p = reinterpret_cast<T*>(memory + tau_p_at_);
    T* work = reinterpret_cast<T*>(memory + work_at_);
    int info = 0;
    const auto bidiagonalize = [&] {
      lapack_.gebrd(&m_, &n_, a, &m_, s, e, tau_q, tau_p, work, &length_, &info);
    };
    if (stays_in_cache<T>(m_, n_)) in_turn(1, blas_, [&](int64_t) { bidiagonalize(); });
    else bidiagonalize();
    if (!diagonalize(s, e, u, vh, reals, reinterpret_cast<int*>(memory + integer_at_))) return false;
    reflect(a, tau_q, tau_p, u, vh, reinterpret_cast<T*>(memory + factors_at_),
            reinterpret_cast<T*>(memory + products_at_));
    return true;
  }

 private:
  static constexpr int block = 32, chunk = 128;  // reflections that are applied together, to so many vectors

  int64_t blocks() const noexcept { return (n_ + block - 1) / block; }
  static int64_t tasks(int vectors) noexcept { return (vectors + chunk - 1) / chunk; }

  /// Singular vectors of the bidiagonal matrix in u and vh.
  bool diagonalize(Real* s, Real* e, T* u, T* vh, Real* reals, int* integers) const {
    Real *left, *right, unused = 0;
    int unused_integer = 0, info = 0;
    const int left_pitch = Lapack<T>::is_complex ? n_ : m_;
    if constexpr (Lapack<T>::is_complex) {
      left = reals + 3 * int64_t(n_) * n_ + 4 * n_;
      right = left + int64_t(n_) * n_;
    } else {
      left = u;
      right = vh;
    }
    lapack_.bdsdc("U", "I", &n_, s, e, left, &left_pitch, right, &n_, &unused, &unused_integer, reals, integers, &info,
                  1, 1);
    if (info != 0) return false;
    for (int64_t j = 0; j < columns_; ++j) {
      T* column = u + j * m_;
      if (Lapack<T>::is_complex && j < n_) std::copy_n(left + j * n_, n_, column);
      std::fill(column + (j < n_ ? n_ : 0), column + m_, T(0));
      if (j >= n_) column[j] = 1;
    }
    if (Lapack<T>::is_complex) std::copy_n(right, int64_t(n_) * n_, vh);
    return true;
  }

  /// u = Q u and vh = vh P^H for the reflections that gebrd left in a.
  void reflect(const T* a, const T* tau_q, const T* tau_p, T* u, T* vh, T* factors, T* products) const {
    struct Block {
      const T *left, *right;  // reflections, each a column of the lower or a row of the upper triangle
      int first, left_count, right_count;
    };
    const auto at = [&](int64_t number) -> Block {
      const int first = int(number) * block;
      return {a + first * int64_t(m_) + first, a + (first + 1) * int64_t(m_) + first, first,
              std::min(block, n_ - first), std::max(0, std::min(block, n_ - 1 - first))};
    };
    const auto left_factor = [&](int64_t number) { return factors + 2 * number * block * block; };
    const auto right_factor = [&](int64_t number) { return left_factor(number) + block * block; };
    in_turn(blocks(), blas_, [&](int64_t number) {
      const Block x = at(number);
      const int rows = m_ - x.first, columns = n_ - 1 - x.first;
      lapack_.larft("F", "C", &rows, &x.left_count, x.left, &m_, tau_q + x.first, left_factor(number), &block_, 1, 1);
      if (x.right_count > 0)
        lapack_.larft("F", "R", &columns, &x.right_count, x.right, &m_, tau_p + x.first, right_factor(number), &block_,
                      1, 1);
    });
    const int64_t left_tasks = tasks(columns_);
    in_turn(left_tasks + tasks(n_), blas_, [&](int64_t task) {
      T* product = products + task * chunk * block;
      const bool left = task < left_tasks;
      const int begin = int(left ? task : task - left_tasks) * chunk;
      const int count = std::min(chunk, (left ? columns_ : n_) - begin);
      for (int64_t number = blocks(); number-- > 0;) {
        const Block x = at(number);
        const int rows = m_ - x.first, columns = n_ - 1 - x.first;
        if (left)
          lapack_.larfb("L", "N", "F", "C", &rows, &count, &x.left_count, x.left, &m_, left_factor(number), &block_,
                        u + begin * int64_t(m_) + x.first, &m_, product, &chunk_, 1, 1, 1, 1);
        else if (x.right_count > 0)
          lapack_.larfb("R", Lapack<T>::is_complex ? "C" : "T", "F", "R", &count, &columns, &x.right_count, x.right,
                        &m_, right_factor(number), &block_, vh + (x.first + 1) * int64_t(n_) + begin, &n_, product,
                        &chunk_, 1, 1, 1, 1);
      }
    });
  }

  static constexpr int block_ = block, chunk_ = chunk;  // with addresses
  const Blas& blas_;
  const Lapack<T>& lapack_;
  const int m_, n_, columns_;
  int length_;
  int64_t off_diagonal_at_, tau_q_at_, tau_p_at_, work_at_, real_at_, integer_at_, factors_at_, products_at_;
};

/// Whether all elements are so far from the ends of the range that their squares stay in it.
template <class T>
bool is_moderate(const T* a, int64_t count) noexcept {
  using Real = typename Lapack<T>::Real;
  const Real smallest = std::sqrt(std::numeric_limits<Real>::min()) / std::numeric_limits<Real>::epsilon();
  Real largest = 0;
  for (int64_t i = 0; i < count; ++i)
    largest = std::max({largest, std::abs(std::real(a[i])), std::abs(std::imag(a[i]))});
  return largest > smallest && largest < 1 / smallest;
}

template <class T>
td_status decompose(const Blas& blas, const td_view& a, const td_view* u, const td_view& s, const td_view* vh,
                    td_error* error) {
  using Real = typename Lapack<T>::Real;
  const Inputs<T> from(a);
  const Lapack<T>& lapack = blas.lapack<T>();
  const int64_t m = a.shape[a.ndim - 2], n = a.shape[a.ndim - 1], columns = u ? u->shape[u->ndim - 1] : 0;
  const int rows = int(m), order = int(n);
  const char* job = !u ? "N" : columns > n ? "A" : "S";
  T answer{};
  Real unused{};
  int unused_integers[8];
  gesdd(lapack, job, rows, order, &answer, &unused, &answer, &answer, &answer, -1, &unused, unused_integers);
  const int length = work_length(answer);
  const int64_t reals = !Lapack<T>::is_complex ? 0 : !u ? 7 * n : n * std::max(5 * n + 7, 2 * m + 2 * n + 1);
  Layout layout;
  const int64_t matrix_at = layout.add<T>(m * n), work_at = layout.add<T>(length), real_at = layout.add<Real>(reals);
  const int64_t integer_at = layout.add<int>(8 * n);
  std::optional<LargeSvd<T>> large;
  if (u && LargeSvd<T>::suits(m, n)) large.emplace(blas, m, n, columns, layout);
  Effort effort = of_vectors(10, m, n);
  if (!u && stays_in_cache<T>(m, n)) effort.worth_threads = false;
  return for_each_matrix(a, effort, blas, layout, "did not converge", error, [&](int64_t number, char* memory) {
    T* matrix = reinterpret_cast<T*>(memory + matrix_at);
    from.copy(number, matrix);
    if (large && is_moderate(matrix, m * n))
      return (*large)(matrix, output<Real>(s, number, n), output<T>(*u, number, m * columns),
                      output<T>(*vh, number, n * n), memory);
    return gesdd(lapack, job, rows, order, matrix, output<Real>(s, number, n),
                 u ? output<T>(*u, number, m * columns) : nullptr, vh ? output<T>(*vh, number, n * n) : nullptr,
                 reinterpret_cast<T*>(memory + work_at), length, reinterpret_cast<Real*>(memory + real_at),
                 reinterpret_cast<int*>(memory + integer_at)) == 0;
  });
}

}  // namespace

td_status svd(td_device*, const td_view* a, const td_view* u, const td_view* s, const td_view* vh, td_error* error) {
  return with_lapack(*a, error, [&](const Blas& blas, auto zero) {
    return decompose<decltype(zero)>(blas, *a, u, *s, vh, error);
  });
}

}  // namespace tandem::cpu
