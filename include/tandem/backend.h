/* The plugin interface of Tandem: what a backend is, on one page, in plain C.
 *
 * A backend is a shared library `libtandem_<name>.so` that exports one function, tandem_backend(). The core finds
 * it, calls that function once, checks the head of the table that comes back, and from then on reaches every
 * device of the backend through the table's verbs. Elementwise operations and reductions are not verbs but data:
 * rows of ops.def, put together into a td_program and executed by the verb run_program.
 *
 * Rules of the boundary
 *  - Verbs return a td_status. Anything but TD_OK comes with a sentence in td_error::message; the core turns it
 *    into an exception that starts with the user's function name. No exception crosses the boundary.
 *  - Sizes, shapes and strides are int64_t. Strides count elements and may be zero or negative. A data pointer
 *    addresses the element with index 0 along every axis.
 *  - Memory that allocate() returned is aligned to TD_ALIGNMENT bytes and readable for TD_PADDING bytes past its
 *    end. A view may start anywhere in it, so no other alignment than the element's own may be assumed.
 *  - Outputs never overlap inputs, except that an output of run_program may be the very same view as an input.
 *  - Verbs may be called from several threads at once. A device executes the calls of one thread in order and may
 *    return before it has finished; synchronize() and copies to the host wait.
 *  - The table grows at its end only. A pointer may be NULL where the comment says "optional".
 */
#ifndef TANDEM_BACKEND_H
#define TANDEM_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TD_ABI_VERSION 1u
#define TD_MAX_NDIM 32
#define TD_ALIGNMENT 64
#define TD_PADDING 64

/* Bounds of a program, the same for every backend. */
#define TD_MAX_INSTRUCTIONS 64
#define TD_MAX_INPUTS 16
#define TD_MAX_CONSTANTS 64
#define TD_MAX_OUTPUTS 4
#define TD_MAX_SOURCES 4
#define TD_MAX_STAGED_ROW 16384 /* longest row of a program in which a map follows a reduction */

/* dtype, C++ type in tandem::scalar, name, bytes of one element */
#define TD_DTYPES(X)                    \
  X(BOOL, bool, "bool", 1)              \
  X(INT8, i8, "int8", 1)                \
  X(INT16, i16, "int16", 2)             \
  X(INT32, i32, "int32", 4)             \
  X(INT64, i64, "int64", 8)             \
  X(UINT8, u8, "uint8", 1)              \
  X(UINT16, u16, "uint16", 2)           \
  X(UINT32, u32, "uint32", 4)           \
  X(UINT64, u64, "uint64", 8)           \
  X(FLOAT16, f16, "float16", 2)         \
  X(BFLOAT16, bf16, "bfloat16", 2)      \
  X(FLOAT32, f32, "float32", 4)         \
  X(FLOAT64, f64, "float64", 8)         \
  X(COMPLEX64, c64, "complex64", 8)     \
  X(COMPLEX128, c128, "complex128", 16)

typedef enum td_dtype {
#define X(NAME, type, text, bytes) TD_##NAME,
  TD_DTYPES(X)
#undef X
  TD_DTYPE_COUNT
} td_dtype;

/* Opcodes: one per row of ops.def, in its order. The order is part of the ABI; new rows go to the end. */
typedef enum td_op {
#define TD_OP(name, ...) TD_OP_##name,
#include "tandem/ops.def"
  TD_OP_COUNT
} td_op;

typedef enum td_reduction {
#define TD_REDUCTION(name, ...) TD_REDUCE_##name,
#include "tandem/ops.def"
  TD_REDUCTION_COUNT
} td_reduction;

typedef enum td_status {
  TD_OK = 0,
  TD_INVALID_ARGUMENT, /* the core should have refused this call */
  TD_OUT_OF_MEMORY,
  TD_NOT_SUPPORTED, /* the verb exists but not for these dtypes, sizes or options */
  TD_UNAVAILABLE,   /* no driver, driver too old, no device, library missing: the message says which */
  TD_SINGULAR,      /* a factorization met a matrix that has none, or did not converge */
  TD_DEVICE_LOST,   /* the device can no longer be used by this process */
  TD_INTERNAL
} td_status;

typedef struct td_error {
  char message[512];
} td_error;

/* ---- programs --------------------------------------------------------------------------------------------------
 * A program is a list of instructions in static single assignment, executed at every position of an iteration
 * space. Values are numbered: first the inputs, then the constants, then one per instruction.
 *
 * The last n_reduced axes of the space form the row; the axes before them enumerate rows. A value is a *row value*
 * (one per row) if it is a constant, an input whose strides along all row axes are 0, a reduction, or a map of row
 * values only; every other value is a *full value* (one per position). TD_REDUCE combines its source over all
 * positions of a row, in the order that docs/reductions.md states; a row value as its source counts once per
 * position. Maps after it may mix its result with full values of the same row (softmax, normalization, variance);
 * such programs have rows of at most TD_MAX_STAGED_ROW elements. Without row axes n_reduced is 0 and every value is
 * a full value. Outputs may be full or row values; strides of the latter along row axes are ignored.
 *
 * Axes come collapsed: no axis of length 1 unless it is the only one, neighbours merged where all operands allow,
 * non-row axes in descending order of the first output's strides. There is at least one axis, and at least one row axis if
 * there is a TD_REDUCE. No length is 0: the core handles empty spaces. */
typedef enum td_kind { TD_MAP, TD_CAST, TD_REDUCE } td_kind;

typedef struct td_instruction {
  uint8_t kind;                     /* td_kind */
  uint8_t op;                       /* td_op, td_reduction, or 0 for TD_CAST */
  uint8_t dtype;                    /* of the sources; a row of ops.def may fix some of them to bool */
  uint8_t result;                   /* dtype of the value that it makes */
  uint8_t sources[TD_MAX_SOURCES];  /* numbers of earlier values */
} td_instruction;

/* A constant in its own dtype, in the first bytes; the rest is zero. */
typedef struct td_constant {
  uint8_t bytes[16];
} td_constant;

typedef struct td_program {
  int32_t n_inputs, n_constants, n_instructions, n_outputs;
  const uint8_t* input_dtypes;
  const uint8_t* constant_dtypes;
  const td_constant* constants;
  const td_instruction* instructions;
  const uint8_t* outputs; /* value numbers; an output has its value's dtype */
  int32_t ndim, n_reduced;
  const int64_t* shape;
} td_program;

/* One array that a program reads or writes; strides has program->ndim entries. An int64 input whose data is NULL is the
 * index array: its element at offset o (the sum of position times stride over the axes) is the number o itself. It is how
 * arange, eye and the like are made, and costs no memory. */
typedef struct td_operand {
  void* data;
  const int64_t* strides;
} td_operand;

/* ---- arrays of the other verbs ---- */
typedef struct td_view {
  void* data;
  td_dtype dtype;
  int32_t ndim;
  const int64_t* shape;
  const int64_t* strides;
} td_view;

typedef enum td_copy_kind { TD_HOST_TO_DEVICE, TD_DEVICE_TO_HOST, TD_DEVICE_TO_DEVICE } td_copy_kind;

typedef enum td_distribution {
  TD_RANDOM_BITS,    /* uint32, uint64: all bits */
  TD_RANDOM_UNIFORM, /* float16, bfloat16, float32, float64: low + (high - low) * [0, 1) */
  TD_RANDOM_NORMAL,  /* the same dtypes: mean low, standard deviation high */
  TD_RANDOM_INTEGERS, /* any integer dtype: low <= x < high, from td_random::low_int and span */
  TD_RANDOM_EXPONENTIAL, /* the floats: mean low */
  /* Laws: they have parameters for all elements or for each. */
  TD_RANDOM_GAMMA,   /* the floats: shape low, scale high */
  TD_RANDOM_POISSON, /* int32, int64: mean low */
  TD_RANDOM_BINOMIAL /* int32, int64: trials low, a whole number, probability high */
} td_distribution;

/* Element i of the output is a function of (seed, stream, offset + i) alone; docs/random.md gives it. */
typedef struct td_random {
  td_distribution distribution;
  uint64_t seed, stream, offset;
  double low, high;
  int64_t low_int;
  uint64_t span; /* number of different integers; 0 stands for 2^64 */
  /* Parameters of a law's elements, in place of low and high: both contiguous float64 arrays with an element for each
     of the output (NULL for a second parameter that the law lacks), or both NULL. */
  const double *lows, *highs;
} td_random;

typedef enum td_precision {
  TD_PRECISION_FULL, /* float32 products in float32 */
  TD_PRECISION_TF32  /* float32 inputs may be rounded to TF32 where the device has it */
} td_precision;

typedef struct td_device_info {
  char name[128];
  int64_t total_memory; /* bytes */
  int32_t units;        /* cores or multiprocessors */
  int32_t shares_host_memory; /* 1 if the host may read and write the device's pointers after synchronize() */
} td_device_info;

typedef struct td_memory_stats {
  int64_t used_bytes;     /* held by live arrays */
  int64_t cached_bytes;   /* kept for reuse */
  int64_t peak_bytes;     /* highest used_bytes */
  int64_t limit_bytes;    /* 0: none */
  int64_t allocations;    /* calls of allocate */
  int64_t cache_hits;     /* of these, served without asking the system */
} td_memory_stats;

/* What scatter does with values that meet in one place. Order is the row-major order of the positions. */
typedef enum td_scatter {
  TD_SCATTER_LAST,  /* the last one stays */
  TD_SCATTER_ADD,   /* each is added by the operation add of ops.def, one after the other in their order */
  TD_SCATTER_UNIQUE /* the core promises that no two meet */
} td_scatter;

/* What solve may know of its matrices. Of triangular ones the other triangle is not read, of unit triangular ones the
 * diagonal is not read either but taken for ones. */
typedef enum td_structure {
  TD_GENERAL,
  TD_LOWER,
  TD_UPPER,
  TD_UNIT_LOWER,
  TD_UNIT_UPPER
} td_structure;

/* Discrete Fourier transforms. Forward: X[k] = sum over j < n of x[j] exp(-2 pi i j k / n); backward: with +2 pi i. Along
 * several axes they follow one another. */
typedef enum td_transform {
  TD_FFT_FORWARD,  /* complex to complex */
  TD_FFT_BACKWARD, /* the same */
  TD_FFT_REAL,     /* forward, of real x: the last one of the axes has n elements in x and n / 2 + 1 in out. Where it is
                      the only axis, the first element and, for even n, the last have imaginary part 0 */
  TD_FFT_HERMITIAN /* backward, to real out: the last one of the axes has n / 2 + 1 elements in x, the first half of a
                      Hermitian row, and n in out. What must be real of it (its first element and, for even n, its last)
                      counts with its real part alone */
} td_transform;

/* Receives `key` and `value` pairs for `tandem info`. */
typedef void (*td_info_sink)(void* user, const char* key, const char* value);

typedef enum td_log_level { TD_LOG_ERROR, TD_LOG_WARNING, TD_LOG_INFO, TD_LOG_DEBUG } td_log_level;

/* What the core offers to a backend. */
typedef struct td_host {
  uint32_t abi_version;
  uint32_t struct_size;
  void (*log)(td_log_level level, const char* message);
} td_host;

typedef struct td_device td_device; /* one executor; the backend defines it */
typedef struct td_event td_event;

/* ---- the table ---- */
/* Which of a verb's arrays it writes, and which it reads and writes: for readers, and for layers (layer.h), which treat
 * all verbs alike by these words. An array of views follows its length, which is called n_ and its name. */
#define TD_OUT
#define TD_INOUT

/* X(result, name, arguments), OPTIONAL(...) for verbs that the core knows how to do without */
#define TD_ALL_VERBS(X, OPTIONAL)                                                                                      \
  /* How many devices work. 0 is TD_OK or TD_UNAVAILABLE with the reason as message. Never initializes one. */        \
  X(td_status, device_count, (int32_t * count, td_error * error))                                                      \
  /* Opens device `index`, which stays open for the life of the process. */                                            \
  X(td_status, open_device, (int32_t index, td_device * *device, td_error* error))                                     \
  X(td_status, device_info, (td_device * device, td_device_info * info, td_error * error))                             \
  /* Versions, libraries, threads: everything worth a line in `tandem info`. Must work without any device. */          \
  X(td_status, describe, (td_info_sink sink, void* user, td_error* error))                                             \
  /* Memory. `bytes` of free is what allocate was asked for. trim gives cached memory back to the system. */           \
  X(td_status, allocate, (td_device * device, int64_t bytes, void** pointer, td_error* error))                         \
  X(void, free, (td_device * device, void* pointer, int64_t bytes))                                                    \
  X(td_status, copy, (td_device * device, td_copy_kind kind, void* to, const void* from, int64_t bytes, td_error* error)) \
  X(td_status, memory_stats, (td_device * device, td_memory_stats * stats, td_error * error))                          \
  X(td_status, trim, (td_device * device, td_error * error))                                                           \
  X(td_status, set_memory_limit, (td_device * device, int64_t bytes, td_error* error))                                 \
  X(td_status, synchronize, (td_device * device, td_error * error))                                                    \
  /* Events mark a place in the device's order of execution; elapsed is in seconds, between two recorded events. */    \
  X(td_status, event_create, (td_device * device, td_event * *event, td_error* error))                                 \
  X(void, event_destroy, (td_device * device, td_event * event))                                                       \
  X(td_status, event_record, (td_device * device, td_event * event, td_error * error))                                 \
  X(td_status, event_synchronize, (td_device * device, td_event * event, td_error * error))                            \
  X(td_status, event_elapsed, (td_device * device, td_event * begin, td_event * end, double* seconds, td_error* error)) \
  /* inputs has n_inputs entries, outputs n_outputs. */                                                                \
  X(td_status, run_program, (td_device * device, const td_program* program, const td_operand* inputs,                  \
                             const td_operand* outputs, td_error* error))                                              \
  /* c = a b over the last two axes: a (..., m, k), b (..., k, n), c (..., m, n) of one dtype and one ndim >= 2;        \
     leading axes have equal lengths (stride 0 where broadcast), c is contiguous, no length is 0. Integers wrap;        \
     bool is the or of ands; float16 and bfloat16 accumulate in float32. */                                             \
  X(td_status, matmul, (td_device * device, const td_view* a, const td_view* b, TD_OUT const td_view* c,               \
                        td_precision precision, td_error* error))                                                      \
  /* Stable sort along the last axis; NaN last, also if descending. values (dtype of x) and indices (int64), either     \
     may be NULL, are contiguous and have the shape of x. */                                                            \
  X(td_status, sort, (td_device * device, const td_view* x, int32_t descending, TD_OUT const td_view* values,          \
                      TD_OUT const td_view* indices, td_error* error))                                                 \
  /* Fills a contiguous array. */                                                                                      \
  X(td_status, random, (td_device * device, const td_random* random, TD_OUT const td_view* out, td_error* error))      \
  /* Cholesky factor of each (..., n, n) float32, float64, complex64 or complex128 matrix of a into the contiguous l,  \
     the other triangle zero; reads the lower triangle of a (upper: the upper one). TD_SINGULAR names the matrix. */    \
  X(td_status, cholesky, (td_device * device, const td_view* a, int32_t upper, TD_OUT const td_view* l,                \
                          td_error* error))                                                                            \
  /* out[o, p, i] = x[o, indices[0][p], indices[1][p], ..., i]: o runs over the first `axis` axes of x, p over the      \
     axes of the index arrays, i over the axes of x behind the n_indices >= 1 indexed ones. The index arrays are int64, \
     of one shape, with stride 0 where they repeat; one whose data is NULL is the index array of td_operand. They lie   \
     in [-length, length), which the core has checked, and negative ones count from the end. out is contiguous; no      \
     length is 0. */                                                                                                    \
  X(td_status, gather, (td_device * device, const td_view* x, int32_t axis, int32_t n_indices, const td_view* indices, \
                        TD_OUT const td_view* out, td_error* error))                                                   \
  /* The way back: x[o, indices[0][p], ..., i] takes in values[o, p, i]. The values have x's dtype and any strides; x   \
     has no two elements in one place. */                                                                               \
  X(td_status, scatter, (td_device * device, TD_INOUT const td_view* x, int32_t axis, int32_t n_indices,               \
                         const td_view* indices, const td_view* values, td_scatter mode, td_error* error))             \
  /* The elements of x where the bool mask of its shape holds, in row-major order, into the contiguous out (count,),    \
     count > 0, which has exactly as many places. mask is contiguous; x is, too, or has data NULL and is an index array \
     (of any strides): then the result is positions. */                                                                 \
  X(td_status, select, (td_device * device, const td_view* x, const td_view* mask, TD_OUT const td_view* out,          \
                        td_error* error))                                                                              \
  /* out[i] = x[0] combined with x[1], ... x[i] along an axis of a contiguous x that is not empty, in the order that    \
     docs/reductions.md states; sum, prod, max or min of int64, uint64, float32, float64, complex64 or complex128.      \
     out has the shape and dtype of x and its strides, but that those of the axes before `axis` may belong to a longer  \
     axis. */                                                                                                           \
  X(td_status, scan, (td_device * device, const td_view* x, int32_t axis, td_reduction reduction,                      \
                      TD_OUT const td_view* out, td_error* error))                                                     \
  /* For each value the number of elements of the sorted 1-d array that come before it in sort's order (right: before   \
     or with it). All are contiguous; sorted and values have one dtype, out is int64. */                                \
  X(td_status, searchsorted, (td_device * device, const td_view* sorted, const td_view* values, int32_t right,         \
                              TD_OUT const td_view* out, td_error* error))                                             \
  /* Linear algebra of stacks of matrices (..., rows, columns) of float32, float64, complex64 or complex128. All views \
     of a call have the same leading axes; what is read has any strides, 0 where it repeats. Matrices that are written  \
     lie column by column, as LAPACK has them: strides (..., 1, rows), the stack without gaps; vectors are contiguous.  \
     No length is 0. TD_SINGULAR names the matrix by its number in the stack.                                           \
     lu: a (..., n, n) becomes unit lower and upper triangular factors in one matrix, by partial pivoting; the int32    \
     pivots (..., n) are rows, counted from 1, that were exchanged with rows 1, 2, ... in turn. From the first 0 on the \
     diagonal on, what comes after it is undefined. */                                                                  \
  X(td_status, lu, (td_device * device, const td_view* a, TD_OUT const td_view* lu, TD_OUT const td_view* pivots,      \
                    td_error* error))                                                                                  \
  /* x (..., n, k) with a x = b for a (..., n, n), b (..., n, k). TD_SINGULAR: a pivot is 0, or NaN, which the core    \
     then tells apart. The core has seen to it that triangular matrices have no 0 on the diagonal. */                  \
  X(td_status, solve, (td_device * device, const td_view* a, td_structure structure, const td_view* b,                 \
                       TD_OUT const td_view* x, td_error* error))                                                      \
  /* a (..., m, n) = q r by Householder reflections: with k the smaller of m and n either q (..., m, k), r (..., k, n), \
     or q (..., m, m), r (..., m, n). What r holds below the diagonal is undefined. */                                  \
  X(td_status, qr, (td_device * device, const td_view* a, TD_OUT const td_view* q, TD_OUT const td_view* r,            \
                    td_error* error))                                                                                  \
  /* a (..., m, n), m >= n, = u diag(s) vh: s (..., n) is real and descends, vh is (..., n, n), u is (..., m, n) or, to \
     an orthogonal basis completed, (..., m, m). u and vh may both be NULL. All elements of a are finite. */            \
  X(td_status, svd, (td_device * device, const td_view* a, TD_OUT const td_view* u, TD_OUT const td_view* s,           \
                     TD_OUT const td_view* vh, td_error* error))                                                       \
  /* The Hermitian a (..., n, n) = v diag(w) v^H: w (..., n) is real and ascends. Reads the lower triangle (upper: the  \
     upper one) and real parts of the diagonal. v may be NULL. All elements of a are finite. */                         \
  X(td_status, eigh, (td_device * device, const td_view* a, int32_t upper, TD_OUT const td_view* w,                    \
                      TD_OUT const td_view* v, td_error* error))                                                       \
  /* a v = v diag(w) for a (..., n, n): w (..., n) and v (..., n, n) are complex also for real a; columns of v have     \
     length 1. v may be NULL. All elements of a are finite. */                                                          \
  X(td_status, eig, (td_device * device, const td_view* a, TD_OUT const td_view* w, TD_OUT const td_view* v,           \
                     td_error* error))                                                                                 \
  /* out = scale times the transform of x along n_axes >= 1 different axes, of which the last one is the first to be    \
     taken by TD_FFT_REAL and the last by TD_FFT_HERMITIAN. float32 goes with complex64, float64 with complex128. x has \
     any strides and stays as it is, out is contiguous; no length is 0. */                                              \
  X(td_status, fft, (td_device * device, const td_view* x, td_transform transform, int32_t n_axes,                     \
                     const int32_t* axes, double scale, TD_OUT const td_view* out, td_error* error))                   \
  /* Optional: without it the core sorts. What sort would put at the places `ranks` (..., n_ranks) of each row along    \
     the last axis of x, of length n >= n_ranks > 0: int64 in [0, n), ascending in each row, of x's leading axes, with  \
     any strides, 0 where they repeat. values (dtype of x) and indices (int64), either may be NULL, are contiguous. If  \
     their last axis has n_ranks elements, it holds these alone. If it has n, these stand at their ranks and all other  \
     elements in x's order between them, those that sort puts in front of a rank in front of it. */                     \
  X(td_status, partition, (td_device * device, const td_view* x, int32_t descending, const td_view* ranks,             \
                           TD_OUT const td_view* values, TD_OUT const td_view* indices, td_error* error))              \
  /* gather with indices that nobody has checked: *inside says whether all of them lie in [-length, length). If not,    \
     nothing outside x has been read and out holds anything. Waits for the device. */                                   \
  OPTIONAL(td_status, gather_checked, (td_device * device, const td_view* x, int32_t axis, int32_t n_indices,          \
                                       const td_view* indices, TD_OUT const td_view* out, int32_t* inside,             \
                                       td_error* error))

/* Those that a backend is expected to have. */
#define TD_NO_VERB(...)
#define TD_VERBS(X) TD_ALL_VERBS(X, TD_NO_VERB)

typedef struct td_backend {
  uint32_t abi_version; /* TD_ABI_VERSION it was built with */
  uint32_t struct_size; /* sizeof(td_backend) it was built with */
  const char* name;     /* "cpu", "cuda", "reference", ... */
  const char* version;
#define X(result, verb, arguments) result(*verb) arguments;
  TD_ALL_VERBS(X, X)
#undef X
} td_backend;

/* The one exported symbol. Must not fail, start threads or initialize a device. */
typedef const td_backend* (*td_backend_entry)(const td_host* host);
#define TD_BACKEND_ENTRY_NAME "tandem_backend"
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const td_backend* tandem_backend(const td_host* host);

#ifdef __cplusplus
}
#endif
#endif
