// Arrays in files and streams: NumPy's .npy and .npz, and tables of numbers as text.
//
// A .npy file is byte for byte what NumPy writes. A file comes to stand under its name when it is complete: until then,
// and if writing fails, what stood there stays. Every message names the function and the file.
//
//     td::save("unit.npy", unit);
//     td::Array unit = td::load("unit.npy", {.memory_map = true});
//     td::savez("model.npz", {{"weights", w}, {"bias", b}});
//     td::Array bias = td::loadz("model.npz")["bias"];
//     td::Array prices = td::loadtxt("prices.csv", {.delimiter = ",", .skiprows = 1, .usecols = {1, 2}});
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tandem/array.hpp>

namespace tandem {

/// Options of load and loadz.
struct LoadOptions {
  /// Use the file's elements in place: nothing is read before it is needed, and arrays larger than memory can be opened.
  /// Writing to the array changes memory alone, never the file. While the array lives the file must not be cut short
  /// (the system ends programs that read beyond a file's end) or written to. Bools are read once, to check them. What
  /// cannot be used in place is read as usual: devices without the host's memory, big-endian or misaligned elements,
  /// compressed ones, and what is no regular file.
  bool memory_map = false;
  std::optional<Device> device = {};
};

/// The array in a .npy file, of version 1, 2 or 3 of the format, in any byte order; arrays that were saved in column-major
/// order keep it by their strides. Throws Error for a file that is damaged, incomplete or followed by other bytes, and
/// for dtypes that Tandem lacks (structured ones, text, dates, Python objects). NumPy has no bfloat16: two-byte elements
/// of descr '<V2' or '|V2', as the package ml_dtypes writes them, are taken for it.
TANDEM_API Array load(const std::string& path, const LoadOptions& options = {});
/// The array that comes next in a stream, which is left behind its last byte. Throws Error likewise.
TANDEM_API Array load(std::istream& in, const LoadOptions& options = {});

/// Writes an array as a .npy file under exactly that name, from any device. Elements are in row-major order unless they
/// lie in memory in column-major order. bfloat16 has the descr '<V2', so that NumPy reads it as bytes that
/// `.view(ml_dtypes.bfloat16)` gives a meaning. Throws Error if the file cannot be written.
TANDEM_API void save(const std::string& path, const Array& array);
/// Appends the array to a stream. Throws Error if the stream fails.
TANDEM_API void save(std::ostream& out, const Array& array);

/// An array and what it is called in an archive.
struct NamedArray {
  std::string name;
  Array array;
};

/// Writes arrays as a .npz archive that NumPy reads; names are UTF-8. The same arrays give the same bytes. Throws Error
/// for an empty name, two equal ones, and if the file cannot be written; a stream must be able to seek.
TANDEM_API void savez(const std::string& path, std::span<const NamedArray> arrays);
TANDEM_API void savez(std::ostream& out, std::span<const NamedArray> arrays);
inline void savez(const std::string& path, std::initializer_list<NamedArray> arrays) {
  savez(path, std::span<const NamedArray>(arrays.begin(), arrays.size()));
}
/// Likewise, deflated by zlib: smaller, and more than ten times slower.
TANDEM_API void savez_compressed(const std::string& path, std::span<const NamedArray> arrays);
TANDEM_API void savez_compressed(std::ostream& out, std::span<const NamedArray> arrays);
inline void savez_compressed(const std::string& path, std::initializer_list<NamedArray> arrays) {
  savez_compressed(path, std::span<const NamedArray>(arrays.begin(), arrays.size()));
}

namespace detail {
struct NpzArchive;
TANDEM_API void retain(const NpzArchive* archive) noexcept;
TANDEM_API void release(const NpzArchive* archive) noexcept;
}  // namespace detail

/// A .npz archive that is open for reading; arrays are read when they are asked for. Copies share it, and any number of
/// threads may read.
class TANDEM_API NpzFile {
 public:
  /// The arrays' names in the archive's order, without ".npy".
  const std::vector<std::string>& names() const noexcept;
  bool contains(std::string_view name) const noexcept;
  /// Reads the array of that name; see load. Throws Error if there is none, and if its checksum is wrong, except that
  /// arrays that are mapped are not read for it.
  Array operator[](std::string_view name) const;

 private:
  explicit NpzFile(detail::CountedPtr<const detail::NpzArchive> archive) noexcept;
  friend NpzFile loadz(const std::string& path, const LoadOptions& options);
  friend NpzFile loadz(std::istream& in, const LoadOptions& options);
  detail::CountedPtr<const detail::NpzArchive> archive_;
};

/// Opens a .npz archive of stored or deflated arrays. Throws Error for what is no archive or a damaged one. Mapping in
/// place is possible for arrays that are stored and aligned, as savez writes them; NumPy does not align them.
TANDEM_API NpzFile loadz(const std::string& path, const LoadOptions& options = {});
/// The archive that the rest of a stream is, read into memory.
TANDEM_API NpzFile loadz(std::istream& in, const LoadOptions& options = {});

/// Options of loadtxt, with NumPy's names.
struct LoadtxtOptions {
  std::string delimiter = {};               // between the columns; empty: blanks, one or more
  std::int64_t skiprows = 0;                // lines left out at the beginning, whatever they hold
  std::vector<int> usecols = {};            // columns to read, in this order, from 0 or from the end; empty: all
  std::optional<std::int64_t> max_rows = {};  // rows to read at most, not counting blank lines and comments
  std::string comments = "#";               // what begins a comment, up to the end of the line; empty: nothing
  char quotechar = 0;                       // encloses columns that may hold delimiters; 0: nothing does
  int ndmin = 0;                            // axes at least: 1 or 2 keep those of length 1
  DType dtype = float64;
  std::optional<Device> device = {};
};

/// A table of numbers from text: shape (rows, columns), without the axes of length 1 unless ndmin keeps them. Lines of
/// nothing but blanks that are no delimiters count for nothing. Reals are decimal, inf or nan, complex numbers like 1-2j
/// or (1-2j), integers whole and in the dtype's range. Lines end with \n or \r\n; the locale does not matter. Throws
/// Error naming line, column and text for what is no such number, for rows of different lengths (without usecols), and
/// for columns that a row lacks.
TANDEM_API Array loadtxt(const std::string& path, const LoadtxtOptions& options = {});
TANDEM_API Array loadtxt(std::istream& in, const LoadtxtOptions& options = {});

/// Options of savetxt, with NumPy's names and defaults.
struct SavetxtOptions {
  std::string fmt = "%.18e";     // as printf's, of one number: d, i, e, f or g; empty: the fewest digits that identify it
  std::string delimiter = " ";
  std::string newline = "\n";
  std::string header = {};       // lines before and after the numbers,
  std::string footer = {};
  std::string comments = "# ";   // each after this
};

/// An array of one axis (a number a line) or two (a row a line) as text, the same that NumPy writes. d and i truncate
/// reals. Throws Error for another number of axes, a format that is none, and if the file cannot be written.
TANDEM_API void savetxt(const std::string& path, const Array& array, const SavetxtOptions& options = {});
TANDEM_API void savetxt(std::ostream& out, const Array& array, const SavetxtOptions& options = {});

}  // namespace tandem
