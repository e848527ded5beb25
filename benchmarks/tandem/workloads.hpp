// Small programs of everyday use, none of which calibration has seen: how far predictions are off.
#pragma once

#include <vector>

#include "cost_model.hpp"

namespace tandem::bench {

/// Runs every workload on the device, which is the default one, and predicts what it took.
std::vector<Prediction> check_predictions(const CostModel& model, const Device& device);

/// Seconds of all loads of a report that lie on the device; what cannot be predicted is added to `unknown`, measured.
double predicted_seconds(const CostModel& model, const profile::Report& report, const std::string& device,
                         double* unknown = nullptr);

}  // namespace tandem::bench
