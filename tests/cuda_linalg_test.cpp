// The CUDA backend's linear algebra without a device: LAPACK stands in for cuBLAS and cuSOLVER, the host's memory for
// the device's. Shows which matrices, leading dimensions, jobs and lengths the libraries are asked for; what they and
// the kernels then do only a device can show. See linalg_verbs.hpp.
#include <cstdarg>
#include <cstdlib>
#include <mutex>

#include "../backends/cpu/blas.hpp"
#include "../backends/cuda/factorization.hpp"
#include "../backends/cuda/qr_kernels.hpp"
#include "linalg_verbs.hpp"

namespace tandem::cuda {

// ---- the device ----

td_status fail(td_error* error, td_status status, const char* format, ...) noexcept {
  if (error == nullptr) return status;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return status;
}
td_status check(cudaError_t result, const char* what, td_error* error) noexcept {
  return result == cudaSuccess ? TD_OK : fail(error, TD_INTERNAL, "%s", what);
}
td_status check(const Blas&, cublasStatus_t result, const char* what, td_error* error) {
  return result == CUBLAS_STATUS_SUCCESS ? TD_OK : fail(error, TD_INTERNAL, "%s", what);
}
td_status check(cusolverStatus_t result, const char* what, td_error* error) {
  return result == CUSOLVER_STATUS_SUCCESS ? TD_OK : fail(error, TD_INTERNAL, "%s", what);
}

Current::Current(const Device&) noexcept {}
Current::~Current() {}
Scratch::Scratch(Device& device, std::int64_t bytes, td_error*) noexcept : device_(device), bytes_(bytes) {
  data_ = std::malloc(std::size_t(bytes));
  std::memset(data_, 0xff, std::size_t(bytes));  // NaN, and infos that refuse an argument
}
Scratch::~Scratch() { std::free(data_); }

std::int64_t item_bytes(td_dtype dtype) {
  return dtype == TD_FLOAT32 ? 4 : dtype == TD_COMPLEX128 ? 16 : 8;
}
std::int64_t element_count(const td_view& view) {
  std::int64_t count = 1;
  for (int i = 0; i < view.ndim; ++i) count *= view.shape[i];
  return count;
}
td_status pack(Device&, const td_view& view, void* to, td_error*) {
  const std::int64_t item = item_bytes(view.dtype), count = element_count(view);
  for (std::int64_t number = 0; number < count; ++number) {
    std::int64_t rest = number, offset = 0;
    for (int i = view.ndim - 1; i >= 0; rest /= view.shape[i--]) offset += rest % view.shape[i] * view.strides[i];
    std::memcpy(matrix_at(to, item, number), matrix_at(view.data, item, offset), std::size_t(item));
  }
  return TD_OK;
}
td_status copy(td_device*, td_copy_kind, void* to, const void* from, std::int64_t bytes, td_error*) {
  std::memcpy(to, from, std::size_t(bytes));
  return TD_OK;
}

// ---- the kernels ----

// What is left to cuSOLVER is tested here.
bool fits_a_block(const QrShape&, td_dtype) { return false; }
cudaError_t factorize_qr(cudaStream_t, const QrShape&, td_dtype, const void*, void*, void*) {
  return cudaErrorNotSupported;
}

cudaError_t make_addresses(cudaStream_t, void* data, std::int64_t bytes, std::int64_t count, void** addresses) {
  for (std::int64_t i = 0; i < count; ++i) addresses[i] = matrix_at(data, bytes, i);
  return cudaSuccess;
}
cudaError_t narrow(cudaStream_t, const std::int64_t* from, std::int32_t* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = std::int32_t(from[i]);
  return cudaSuccess;
}

/// The element type of LAPACK for one of the libraries', or for the name of one.
template <class T> struct HostOf { using type = T; };
template <> struct HostOf<cuComplex> { using type = std::complex<float>; };
template <> struct HostOf<cuDoubleComplex> { using type = std::complex<double>; };
template <class Body>
void with_type(cudaDataType type, Body body) {
  if (type == CUDA_R_32F) body(float());
  else if (type == CUDA_R_64F) body(double());
  else if (type == CUDA_C_32F) body(std::complex<float>());
  else body(std::complex<double>());
}

cudaError_t conjugate_transpose(cudaStream_t, td_dtype dtype, std::int64_t n, std::int64_t count, const void* from,
                                void* to) {
  with_type(data_type(dtype), [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < count * n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        static_cast<T*>(to)[i * n + j] = test::conjugate(static_cast<const T*>(from)[(i / n * n + j) * n + i % n]);
  });
  return cudaSuccess;
}
cudaError_t drop_signs(cudaStream_t, td_dtype dtype, std::int64_t count, void* values) {
  with_type(real_type(dtype), [&](auto zero) {
    auto* parts = static_cast<typename cpu::RealPart<decltype(zero)>::type*>(values);
    std::transform(parts, parts + count, parts, [](auto part) { return std::abs(part); });
  });
  return cudaSuccess;
}
cudaError_t join_eigenvectors(cudaStream_t, td_dtype dtype, std::int64_t n, std::int64_t count, const void* packed,
                              const void* w, void* v) {
  with_type(data_type(dtype), [&](auto zero) {
    using Real = typename cpu::RealPart<decltype(zero)>::type;
    const auto* parts = static_cast<const Real*>(packed);
    for (std::int64_t at = 0; at < n * n * count; ++at) {
      const Real part = static_cast<const std::complex<Real>*>(w)[at / n].imag();
      static_cast<std::complex<Real>*>(v)[at] = part == 0  ? std::complex<Real>(parts[at])
                                                : part > 0 ? std::complex<Real>(parts[at], parts[at + n])
                                                           : std::complex<Real>(parts[at - n], -parts[at]);
    }
  });
  return cudaSuccess;
}

// ---- the libraries ----

namespace {

template <class T>
const cpu::Lapack<T>& lapack() {
  static const cpu::Blas* library = cpu::blas(nullptr);
  return library->lapack<T>();
}

constexpr int work_length = 1 << 16;  // enough for the matrices of these tests
template <class T>
T* work() {
  static std::vector<T> memory(work_length);
  return memory.data();
}

/// Refuses what the libraries would refuse.
void demand(bool condition) {
  if (!condition) std::abort();
}

template <class T>
int gesdd(const char* job, int m, int n, void* a, void* s, void* u, void* vt) {
  using Real = typename cpu::Lapack<T>::Real;
  static std::vector<Real> reals(work_length);
  static std::vector<int> integers(work_length);
  int info = 0;
  const auto call = [&](auto... real_work) {
    lapack<T>().gesdd(job, &m, &n, static_cast<T*>(a), &m, static_cast<Real*>(s), static_cast<T*>(u), &m,
                      static_cast<T*>(vt), &n, work<T>(), &work_length, real_work..., integers.data(), &info, 1);
  };
  if constexpr (cpu::Lapack<T>::is_complex) call(reals.data());
  else call();
  return info;
}

void heevd(cusolverEigMode_t mode, cublasFillMode_t triangle, std::int64_t n, cudaDataType type, void* a, void* w,
           int* info) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    using Real = typename cpu::Lapack<T>::Real;
    static std::vector<Real> reals(work_length);
    static std::vector<int> integers(work_length);
    const int order = int(n);
    const auto call = [&](auto... real_work) {
      lapack<T>().syevd(mode == CUSOLVER_EIG_MODE_VECTOR ? "V" : "N", triangle == CUBLAS_FILL_MODE_UPPER ? "U" : "L",
                        &order, static_cast<T*>(a), &order, static_cast<Real*>(w), work<T>(), &work_length,
                        real_work..., integers.data(), &work_length, info, 1, 1);
    };
    if constexpr (cpu::Lapack<T>::is_complex) call(reals.data(), &work_length);
    else call();
  });
}

template <class D>
struct StandIn {
  using T = typename HostOf<D>::type;
  using Real = typename SolverOf<D>::Real;
  static T* host(D* x) { return reinterpret_cast<T*>(x); }
  static const T* host(const D* x) { return reinterpret_cast<const T*>(x); }

  static cublasStatus_t getrf_batched(cublasHandle_t, int n, D* const a[], int lda, int* pivots, int* infos,
                                      int count) {
    for (int i = 0; i < count; ++i) lapack<T>().getrf(&n, &n, host(a[i]), &lda, pivots + i * n, infos + i);
    return CUBLAS_STATUS_SUCCESS;
  }
  static cublasStatus_t getrs_batched(cublasHandle_t, cublasOperation_t, int n, int k, const D* const a[], int lda,
                                      const int* pivots, D* const b[], int ldb, int* info, int count) {
    for (int i = 0; i < count; ++i)
      lapack<T>().getrs("N", &n, &k, host(a[i]), &lda, pivots + i * n, host(b[i]), &ldb, info, 1);
    return CUBLAS_STATUS_SUCCESS;
  }
  static cublasStatus_t trsm(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t triangle, cublasOperation_t,
                             cublasDiagType_t diagonal, std::int64_t m, std::int64_t n, const D* alpha, const D* a,
                             std::int64_t lda, D* b, std::int64_t ldb) {
    demand(side == CUBLAS_SIDE_LEFT && *host(alpha) == T(1) && lda == m && ldb == m);
    const int order = int(m), columns = int(n);
    int info = 0;
    lapack<T>().trtrs(triangle == CUBLAS_FILL_MODE_LOWER ? "L" : "U", "N", diagonal == CUBLAS_DIAG_UNIT ? "U" : "N",
                      &order, &columns, host(a), &order, host(b), &order, &info, 1, 1, 1);
    return CUBLAS_STATUS_SUCCESS;
  }
  static cublasStatus_t trsm_batched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,
                                     cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n,
                                     const D* alpha, const D* const a[], int lda, D* const b[], int ldb, int count) {
    for (int i = 0; i < count; ++i)
      trsm(handle, side, triangle, operation, diagonal, m, n, alpha, a[i], lda, b[i], ldb);
    return CUBLAS_STATUS_SUCCESS;
  }
  static cusolverStatus_t orgqr_memory(cusolverDnHandle_t, int, int n, int, const D*, int, const D*, int* length) {
    *length = n;
    return CUSOLVER_STATUS_SUCCESS;
  }
  static cusolverStatus_t orgqr(cusolverDnHandle_t, int m, int n, int k, D* a, int lda, const D* tau, D* memory,
                                int length, int* info) {
    lapack<T>().make_q(&m, &n, &k, host(a), &lda, host(tau), host(memory), &length, info);
    return CUSOLVER_STATUS_SUCCESS;
  }
  static cusolverStatus_t gesvdj_memory(cusolverDnHandle_t, cusolverEigMode_t, int m, int n, const D*, int lda,
                                        const Real*, const D*, int ldu, const D*, int ldv, int* length, gesvdjInfo_t,
                                        int) {
    demand(m <= 32 && n <= 32 && lda == m && ldu == m && ldv == n);
    *length = 1;
    return CUSOLVER_STATUS_SUCCESS;
  }
  static cusolverStatus_t gesvdj(cusolverDnHandle_t, cusolverEigMode_t mode, int m, int n, D* a, int, Real* s, D* u,
                                 int, D* v, int, D*, int, int* infos, gesvdjInfo_t, int count) {
    const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
    std::vector<D> vh(std::size_t(n * n));
    for (int i = 0; i < count; ++i) {
      infos[i] = gesdd<T>(vectors ? "A" : "N", m, n, a + i * m * n, s + i * n, u + i * m * m, vh.data());
      if (vectors)
        conjugate_transpose(nullptr, test::dtype_of<T>, n, 1, vh.data(), v + i * n * n);
    }
    return CUSOLVER_STATUS_SUCCESS;
  }
};

using Handle = cusolverDnHandle_t;
using Parameters = cusolverDnParams_t;
using Type = cudaDataType;
using i64 = std::int64_t;
using Size = std::size_t;

/// What is asked for memory answers with some, wherever the two sizes stand in the arguments.
template <class... Arguments>
cusolverStatus_t some_memory(Arguments... arguments) {
  const auto answer = [](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), Size*>) *argument = sizeof(double) * 4096;
  };
  (answer(arguments), ...);
  return CUSOLVER_STATUS_SUCCESS;
}

void fill(Solver& solver) {
  solver.s = {StandIn<float>::orgqr_memory, StandIn<float>::orgqr, StandIn<float>::gesvdj_memory,
              StandIn<float>::gesvdj};
  solver.d = {StandIn<double>::orgqr_memory, StandIn<double>::orgqr, StandIn<double>::gesvdj_memory,
              StandIn<double>::gesvdj};
  solver.c = {StandIn<cuComplex>::orgqr_memory, StandIn<cuComplex>::orgqr, StandIn<cuComplex>::gesvdj_memory,
              StandIn<cuComplex>::gesvdj};
  solver.z = {StandIn<cuDoubleComplex>::orgqr_memory, StandIn<cuDoubleComplex>::orgqr,
              StandIn<cuDoubleComplex>::gesvdj_memory, StandIn<cuDoubleComplex>::gesvdj};
  solver.getrf_memory = some_memory;
  solver.geqrf_memory = some_memory;
  solver.gesvd_memory = some_memory;
  solver.gesvdp_memory = some_memory;
  solver.syevd_memory = some_memory;
  solver.syev_batched_memory = some_memory;
  solver.geev_memory = some_memory;
  solver.getrf = [](Handle, Parameters, i64 m, i64 n, Type type, void* a, i64 lda, i64* pivots, Type, void*, Size,
                    void*, Size, int* info) {
    demand(m == n && lda == n);
    with_type(type, [&](auto zero) {
      const int order = int(n);
      std::vector<int> rows(static_cast<Size>(n));
      lapack<decltype(zero)>().getrf(&order, &order, static_cast<decltype(zero)*>(a), &order, rows.data(), info);
      std::copy(rows.begin(), rows.end(), pivots);
    });
    return CUSOLVER_STATUS_SUCCESS;
  };
  solver.getrs = [](Handle, Parameters, cublasOperation_t, i64 n, i64 k, Type type, const void* a, i64 lda,
                    const i64* pivots, Type, void* b, i64 ldb, int* info) {
    demand(lda == n && ldb == n);
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      const int order = int(n), columns = int(k);
      const std::vector<int> rows(pivots, pivots + n);
      lapack<T>().getrs("N", &order, &columns, static_cast<const T*>(a), &order, rows.data(), static_cast<T*>(b),
                        &order, info, 1);
    });
    return CUSOLVER_STATUS_SUCCESS;
  };
  solver.geqrf = [](Handle, Parameters, i64 m, i64 n, Type type, void* a, i64 lda, Type, void* tau, Type, void* memory,
                    Size, void*, Size, int* info) {
    demand(lda == m);
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      const int rows = int(m), columns = int(n);
      lapack<T>().geqrf(&rows, &columns, static_cast<T*>(a), &rows, static_cast<T*>(tau), static_cast<T*>(memory),
                        &columns, info);
    });
    return CUSOLVER_STATUS_SUCCESS;
  };
  solver.gesvd = [](Handle, Parameters, signed char left, signed char right, i64 m, i64 n, Type type, void* a, i64 lda,
                    Type, void* s, Type, void* u, i64 ldu, Type, void* vt, i64 ldvt, Type, void*, Size, void*, Size,
                    int* info) {
    demand(m >= n && left == right && lda == m && ldu == m && ldvt == n);
    const char job[] = {char(left), 0};
    with_type(type, [&](auto zero) { *info = gesdd<decltype(zero)>(job, int(m), int(n), a, s, u, vt); });
    return CUSOLVER_STATUS_SUCCESS;
  };
  // Every other matrix is one that it moves: then it leaves nothing of use anywhere.
  solver.gesvdp = [](Handle, Parameters, cusolverEigMode_t mode, int economic, i64 m, i64 n, Type type, void* a,
                     i64 lda, Type, void* s, Type, void* u, i64 ldu, Type, void* v, i64 ldv, Type, void*, Size, void*,
                     Size, int* info, double* moved) {
    static bool moves = false;
    moves = !moves;
    demand(mode == CUSOLVER_EIG_MODE_VECTOR && m >= n && lda == m && ldu == m && ldv == n);
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      std::vector<T> vh(static_cast<Size>(n * n));
      *info = gesdd<T>(economic ? "S" : "A", int(m), int(n), a, s, u, vh.data());
      conjugate_transpose(nullptr, test::dtype_of<T>, n, 1, vh.data(), v);
      *moved = moves ? 1e-9 : 0;
      if (!moves) return;
      for (void* spoiled : {a, u}) std::memset(spoiled, 0xff, static_cast<Size>(m * n) * sizeof(T));
      std::memset(v, 0xff, static_cast<Size>(n * n) * sizeof(T));
    });
    return CUSOLVER_STATUS_SUCCESS;
  };
  solver.syevd = [](Handle, Parameters, cusolverEigMode_t mode, cublasFillMode_t triangle, i64 n, Type type, void* a,
                    i64 lda, Type, void* w, Type, void*, Size, void*, Size, int* info) {
    demand(lda == n);
    heevd(mode, triangle, n, type, a, w, info);
    return CUSOLVER_STATUS_SUCCESS;
  };
  solver.syev_batched = [](Handle, Parameters, cusolverEigMode_t mode, cublasFillMode_t triangle, i64 n, Type type,
                           void* a, i64 lda, Type, void* w, Type, void*, Size, void*, Size, int* infos, i64 count) {
    demand(lda == n);
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      for (i64 i = 0; i < count; ++i)
        heevd(mode, triangle, n, type, static_cast<T*>(a) + i * n * n,
              static_cast<typename cpu::Lapack<T>::Real*>(w) + i * n, infos + i);
    });
    return CUSOLVER_STATUS_SUCCESS;
  };
  solver.geev = [](Handle, Parameters, cusolverEigMode_t left, cusolverEigMode_t right, i64 n, Type type, void* a, i64,
                   Type value_type, void* w, Type, void*, i64, Type, void* v, i64 ldv, Type, void*, Size, void*, Size,
                   int* info) {
    demand(left == CUSOLVER_EIG_MODE_NOVECTOR && ldv == n && (value_type == CUDA_C_32F || value_type == CUDA_C_64F));
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      using Real = typename cpu::Lapack<T>::Real;
      const int order = int(n);
      const char* job = right == CUSOLVER_EIG_MODE_VECTOR ? "V" : "N";
      auto *matrix = static_cast<T*>(a), *vectors = static_cast<T*>(v);
      auto* values = static_cast<std::complex<Real>*>(w);
      if constexpr (cpu::Lapack<T>::is_complex) {
        std::vector<Real> reals(2 * static_cast<Size>(n));
        lapack<T>().geev("N", job, &order, matrix, &order, values, nullptr, &order, vectors, &order, work<T>(),
                         &work_length, reals.data(), info, 1, 1);
      } else {
        std::vector<T> re(static_cast<Size>(n)), im(re);
        lapack<T>().geev("N", job, &order, matrix, &order, re.data(), im.data(), nullptr, &order, vectors, &order,
                         work<T>(), &work_length, info, 1, 1);
        for (Size i = 0; i < re.size(); ++i) values[i] = {re[i], im[i]};
      }
    });
    return CUSOLVER_STATUS_SUCCESS;
  };
}

template <class D>
constexpr BlasOf<D> blas_of{StandIn<D>::getrf_batched, StandIn<D>::getrs_batched, StandIn<D>::trsm,
                            StandIn<D>::trsm_batched};

std::mutex mutex;
Solver stand_in_solver{};
Blas stand_in_blas{};

}  // namespace

template <>
InUse<Blas>::InUse(Device&, td_status* status, td_error*) : lock_(mutex), library_(&stand_in_blas) {
  stand_in_blas.s = blas_of<float>;
  stand_in_blas.d = blas_of<double>;
  stand_in_blas.c = blas_of<cuComplex>;
  stand_in_blas.z = blas_of<cuDoubleComplex>;
  *status = TD_OK;
}
template <>
InUse<Solver>::InUse(Device&, td_status* status, td_error*) : lock_(mutex), library_(&stand_in_solver) {
  if (stand_in_solver.getrf == nullptr) fill(stand_in_solver);
  *status = TD_OK;
}

}  // namespace tandem::cuda

extern "C" {
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind, cudaStream_t) {
  tandem::cuda::demand(width <= to_pitch && width <= from_pitch);
  for (std::size_t i = 0; i < height; ++i)
    std::memcpy(static_cast<char*>(to) + i * to_pitch, static_cast<const char*>(from) + i * from_pitch, width);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
}

namespace tandem::test {

cuda::Device device{};
const Verbs verbs{reinterpret_cast<td_device*>(&device), cuda::lu, cuda::solve, cuda::qr, cuda::svd, cuda::eigh,
                  cuda::eig};

namespace {

TEST(CudaLinalg, LibrariesWithoutTheNewestFunctions) {
  cuda::fill(cuda::stand_in_solver);
  cuda::stand_in_solver.geev = nullptr;
  cuda::stand_in_solver.syev_batched = nullptr;
  Stack<double> a = random_stack<double>({5, 3, 3}, 1), w({5, 3}, Stack<double>::rows), x = w;
  Stack<C128> z({5, 3}, Stack<C128>::rows);
  const td_view in = a.view(), values = w.view(), truth = x.view(), complex = z.view();
  td_error error{};
  EXPECT_EQ(cuda::eig(verbs.device, &in, &complex, nullptr, &error), TD_NOT_SUPPORTED);
  EXPECT_STREQ(error.message, "needs the cuSOLVER of CUDA 12.8 or newer, which has cusolverDnXgeev");
  EXPECT_EQ(cuda::eigh(verbs.device, &in, 0, &values, nullptr, &error), TD_OK) << error.message;
  EXPECT_EQ(reference::eigh(nullptr, &in, 0, &truth, nullptr, &error), TD_OK) << error.message;
  expect_near(w, x, 32, "eigenvalues");
  cuda::fill(cuda::stand_in_solver);
}

}  // namespace
}  // namespace tandem::test
