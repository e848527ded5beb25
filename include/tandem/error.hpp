// Exceptions. Every message starts with the function that refused: "matmul: shapes (3, 4) and (5, 6) do not align".
#pragma once

#include <stdexcept>
#include <string>

#include <tandem/export.hpp>

namespace tandem {

/// Base of all exceptions of the library; thrown itself for invalid shapes, dtypes and values.
class TANDEM_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An index or an axis outside its range.
class TANDEM_API IndexError : public Error { public: using Error::Error; };

/// Memory ran out on a device, also after its caches were freed.
class TANDEM_API OutOfMemory : public Error { public: using Error::Error; };

/// A backend that cannot be loaded or has no working device; the message lists every path tried and why.
class TANDEM_API BackendUnavailable : public Error { public: using Error::Error; };

/// The operation exists but not on this backend or for these dtypes.
class TANDEM_API NotSupported : public Error { public: using Error::Error; };

/// A linear algebra routine met a singular or not positive definite matrix.
class TANDEM_API LinAlgError : public Error { public: using Error::Error; };

}  // namespace tandem
