// The .npy format: a header in the form of a Python dictionary, and the elements.
#pragma once

#include <cstdint>
#include <string>

#include <tandem/array.hpp>
#include <tandem/io.hpp>

#include "bytes.hpp"

namespace tandem::detail {

struct NpyHeader {
  DType dtype;
  bool swapped = false;  // the elements' bytes are in big-endian order
  bool column_major = false;
  Shape shape;
  std::uint64_t bytes = 0;  // of all elements
};

/// Reads magic, version, length and dictionary; throws Error that says what is wrong.
NpyHeader read_npy_header(Reader& in);

/// Magic to padding, as NumPy writes it.
std::string npy_header(DType dtype, const Shape& shape, bool column_major);

/// The array that comes next.
Array read_npy(Reader& in, const LoadOptions& options);

/// The array in [begin, end) of a file, in place if the options say so and it is possible. Throws Error if bytes are
/// left over.
Array read_npy(const Input& input, const Place& place, std::uint64_t begin, std::uint64_t end, const LoadOptions& options);

/// An array as it is written: its header, and its elements in the order in which they lie in memory.
class NpyContent {
 public:
  NpyContent(const char* function, const Array& array);
  std::uint64_t bytes() const { return header_.size() + static_cast<std::uint64_t>(array_.nbytes()); }
  void write_to(Writer& out) const;

 private:
  const char* function_;
  Array array_;
  std::string header_;
};

}  // namespace tandem::detail
