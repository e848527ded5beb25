// std::complex and std::shared_ptr, declared only: <complex> and <memory> cost a compiler more than all of Tandem's own
// headers. Whoever makes one includes its header, as anywhere.
#pragma once

#include <cstddef>

#ifdef __GLIBCXX__
namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
template <class T> class complex;
template <class T> class shared_ptr;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
#else
#include <complex>
#include <memory>
#endif
