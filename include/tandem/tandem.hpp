// Tandem: arrays that run on CPU and GPU. This header is all a program needs, with <complex> where it makes complex
// numbers and <memory> where it makes owners for Array::adopt.
#pragma once

#include <tandem/array.hpp>
#include <tandem/constants.hpp>
#include <tandem/creation.hpp>
#include <tandem/data_types.hpp>
#include <tandem/device.hpp>
#include <tandem/dlpack.hpp>
#include <tandem/dtype.hpp>
#include <tandem/elementwise.hpp>
#include <tandem/error.hpp>
#include <tandem/fft.hpp>
#include <tandem/indexing.hpp>
#include <tandem/info.hpp>
#include <tandem/inspection.hpp>
#include <tandem/io.hpp>
#include <tandem/linalg.hpp>
#include <tandem/manipulation.hpp>
#include <tandem/nan_reductions.hpp>
#include <tandem/numerics.hpp>
#include <tandem/parity.hpp>
#include <tandem/products.hpp>
#include <tandem/profile.hpp>
#include <tandem/random.hpp>
#include <tandem/reductions.hpp>
#include <tandem/scalar_value.hpp>
#include <tandem/scans.hpp>
#include <tandem/sets.hpp>
#include <tandem/shape.hpp>
#include <tandem/sorting.hpp>
#include <tandem/statistics.hpp>
