// LU and Cholesky factorizations of several small real matrices at once, one in each lane of a vector; compiled once
// per instruction set level. A matrix of vectors holds elements (i, j) of all of them together, row by row, in memory
// that is aligned to vectors. What happens in a lane depends on that lane alone: a matrix has the same bits in any
// company.
#pragma once

#include <cstdint>

namespace tandem::cpu {

inline constexpr std::int64_t most_lanes = 16;

/// Vectors from a row of a matrix of vectors to the next one. An odd number, where it matters: the elements of a column
/// would share their last address bits with one another, and processors take them for the same.
constexpr std::int64_t row_pitch(std::int64_t columns) noexcept { return columns < 8 ? columns : columns | 1; }

/// How a matrix lies in memory; strides count elements.
struct Places {
  std::int64_t row_stride, column_stride;
};

template <class T>
struct LaneKernels {
  std::int64_t lanes;
  /// Fills a matrix of vectors from as many matrices as there are lanes.
  void (*gather)(const T* const* from, Places places, std::int64_t rows, std::int64_t columns, T* to);
  /// Fills `count` matrices from the first lanes.
  void (*scatter)(const T* from, std::int64_t rows, std::int64_t columns, T* const* to, Places places,
                  std::int64_t count);
  /// Elimination with partial pivoting in n x n matrices a and in what stands beside them, n x k matrices b. Leaves
  /// unit lower and upper triangular factors in a, and with pivots the row exchanges, those number i of all lanes
  /// together, which count from 1; null spares exchanges of rows of the lower factor, which has no use then. Returns a
  /// bit for each lane in which a pivot is 0; what follows that is undefined.
  std::uint32_t (*eliminate)(T* a, std::int64_t n, T* b, std::int64_t k, std::int32_t* pivots);
  /// Divides b by the upper triangular matrix in a.
  void (*substitute)(const T* a, std::int64_t n, T* b, std::int64_t k);
  /// U with a = U^T U in place of the upper triangle of a, zeros below. minors: for each lane the order of the first
  /// leading minor that is not positive, 0 for none.
  void (*cholesky)(T* a, std::int64_t n, std::int32_t* minors);
};

struct LaneTable {
  LaneKernels<float> s;
  LaneKernels<double> d;
};

namespace v2 { extern const LaneTable lane_table; }
namespace v3 { extern const LaneTable lane_table; }
namespace v4 { extern const LaneTable lane_table; }

}  // namespace tandem::cpu
