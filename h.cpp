#include <tandem/tandem.hpp>
