# The Array API standard's functions and where the headers declare them: docs/coverage.md.
# Usage: cmake -P coverage.cmake             fails unless the committed page is what the headers say
#        cmake -DWRITE=ON -P coverage.cmake  writes the page
cmake_minimum_required(VERSION 3.25)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(page ${root}/docs/coverage.md)

# The standard, edition 2025.12, by its groups.
set(groups creation data_type elementwise indexing linear_algebra manipulation searching set sorting statistical utility
  inspection linalg fft)
set(creation arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu
  zeros zeros_like)
set(data_type astype can_cast finfo iinfo isdtype result_type)
set(elementwise abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or
  bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
  greater_equal hypot imag isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not
  logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
  round sign signbit sin sinh sqrt square subtract tan tanh trunc)
set(indexing take take_along_axis)
set(linear_algebra matmul matrix_transpose tensordot vecdot)
set(manipulation broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat
  reshape roll squeeze stack tile unstack)
set(searching argmax argmin count_nonzero nonzero searchsorted where)
set(set isin unique_all unique_counts unique_inverse unique_values)
set(sorting argsort sort)
set(statistical cumulative_prod cumulative_sum max mean min prod std sum var)
set(utility all any diff)
set(inspection __array_namespace_info__)
set(linalg cholesky cross det diagonal eig eigh eigvals eigvalsh inv matrix_norm matrix_power matrix_rank outer pinv qr
  slogdet solve svd svdvals trace vector_norm)
set(fft fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn)
set(title_creation "Creation")
set(title_data_type "Data types")
set(title_elementwise "Elementwise")
set(title_indexing "Indexing")
set(title_linear_algebra "Linear algebra")
set(title_manipulation "Manipulation")
set(title_searching "Searching")
set(title_set "Sets")
set(title_sorting "Sorting")
set(title_statistical "Statistics")
set(title_utility "Utilities")
set(title_inspection "Inspection")
set(title_linalg "Extension `linalg`")
set(title_fft "Extension `fft`")

# Names that C++ does not allow.
set(name___array_namespace_info__ array_namespace_info)
set(note___array_namespace_info__ "C++ reserves names with two underscores; its methods have the standard's names")
set(note_all "an object, which is also the whole axis in an index")

# functions_<header>: what a header declares, those of the namespaces linalg and fft apart.
file(GLOB headers RELATIVE ${root}/include/tandem ${root}/include/tandem/*.hpp)
foreach(header ${headers})
  file(READ ${root}/include/tandem/${header} text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REPLACE ";" "\n" text "${text}")
  string(REGEX REPLACE "[[]|[]]" "" text "${text}")
  set(scope "")
  set(extension_text "")
  if(text MATCHES "namespace (tandem::)?(linalg|fft) {")
    set(scope ${CMAKE_MATCH_2})
    string(REGEX REPLACE ".*namespace (tandem::)?(linalg|fft) {" "" extension_text "${text}")
    string(REGEX REPLACE "namespace (tandem::)?(linalg|fft) {.*" "" text "${text}")
  endif()
  foreach(part text extension_text)
    string(REGEX MATCHALL "\n *(TANDEM_API|inline) [A-Za-z0-9_:<>*& ]*[ *&]([a-z][a-z0-9_]*)\\(" found "${${part}}")
    list(TRANSFORM found REPLACE ".*[ *&]([a-z][a-z0-9_]*)\\($" "\\1")
    list(REMOVE_DUPLICATES found)
    list(REMOVE_ITEM found symbol) # the macro that makes the operators
    if(part STREQUAL "extension_text")
      set(${scope}_functions_${header} ${found})
    else()
      set(functions_${header} ${found})
    endif()
  endforeach()
endforeach()
file(READ ${root}/include/tandem/ops.def text)
string(REGEX MATCHALL "\nTD_OP\\([a-z0-9_]+," rows "${text}")
list(TRANSFORM rows REPLACE "\nTD_OP\\(([a-z0-9_]+)," "\\1")
set(functions_ops.def ${rows})
list(APPEND functions_array.hpp all)
list(PREPEND headers ops.def)

set(body "")
set(present 0)
set(total 0)
set(standard "")
foreach(group ${groups})
  string(APPEND body "\n## ${title_${group}}\n\n| function | declared in | |\n|---|---|---|\n")
  set(prefix "")
  if(group MATCHES "^(linalg|fft)$")
    set(prefix ${group}_)
  else()
    list(APPEND standard ${${group}})
  endif()
  foreach(function ${${group}})
    set(name ${function})
    if(DEFINED name_${function})
      set(name ${name_${function}})
    endif()
    list(APPEND standard_${group} ${name})
    set(places "")
    foreach(header ${headers})
      if(name IN_LIST ${prefix}functions_${header})
        list(APPEND places "[${header}](../include/tandem/${header})")
      endif()
    endforeach()
    if(group STREQUAL "linalg" AND NOT places) # an alias of a function of the main namespace
      file(STRINGS ${root}/include/tandem/linalg.hpp alias REGEX "using tandem::${name};")
      if(alias)
        set(places "[linalg.hpp](../include/tandem/linalg.hpp)")
      endif()
    endif()
    math(EXPR total "${total} + 1")
    if(places)
      math(EXPR present "${present} + 1")
      list(JOIN places ", " places)
    else()
      set(places "missing")
    endif()
    string(APPEND body "| `${name}` | ${places} | ${note_${function}} |\n")
  endforeach()
endforeach()

# What the headers declare on top, in the namespaces that the standard has, too.
set(beyond "")
set(noted "")
foreach(header ops.def elementwise.hpp creation.hpp manipulation.hpp indexing.hpp reductions.hpp nan_reductions.hpp
        statistics.hpp scans.hpp sorting.hpp sets.hpp numerics.hpp linalg.hpp products.hpp fft.hpp)
  set(names "")
  foreach(function ${functions_${header}})
    if(NOT function IN_LIST standard)
      list(APPEND names "`${function}`")
    endif()
  endforeach()
  foreach(scope linalg fft)
    foreach(function ${${scope}_functions_${header}})
      if(NOT function IN_LIST standard_${scope})
        list(APPEND names "`${scope}::${function}`")
      endif()
    endforeach()
  endforeach()
  if(names)
    list(JOIN names ", " names)
    string(APPEND beyond "| [${header}](../include/tandem/${header}) | ${names} |\n")
  endif()
endforeach()

set(text "# Coverage of the Array API standard

${present} of the ${total} functions of the Python Array API standard, edition 2025.12, with its extensions `linalg` and
`fft`, in `namespace tandem`. Keyword arguments are members of an options struct: `td::sum(x, {.axis = 0, .keepdims =
true})`. Where the standard leaves a result open it is NumPy 2's. This page is made from the headers by
[tests/coverage.cmake](../tests/coverage.cmake): `cmake -DWRITE=ON -P tests/coverage.cmake`.

The constants `e`, `pi`, `inf`, `nan` are in [constants.hpp](../include/tandem/constants.hpp), `newaxis` in
[array.hpp](../include/tandem/array.hpp). C++ has the operators `+ - * / % & | ^ << >> ~`, the comparisons and their
assigning forms; `//`, `**` and `@` are `floor_divide`, `pow` and `matmul`.
${body}
## Beyond the standard

Names are NumPy's. `delete_` is NumPy's `delete`, a keyword in C++; `cumulative_max` and `cumulative_min` are its
`maximum.accumulate` and `minimum.accumulate`, `add_at` is its `add.at`.

| declared in | functions |
|---|---|
${beyond}")
if(WRITE)
  file(WRITE ${page} "${text}")
else()
  set(committed "")
  if(EXISTS ${page})
    file(READ ${page} committed)
  endif()
  if(NOT committed STREQUAL text)
    message(FATAL_ERROR "${page} is out of date; write it with: cmake -DWRITE=ON -P tests/coverage.cmake")
  endif()
endif()
