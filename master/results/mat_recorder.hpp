#pragma once

#include "master/results/recorder.hpp"

#include <memory>

namespace master::results {

/// Writes `results.mat` as Dymola and OpenModelica do: MAT version 4 with the matrices Aclass, name, description,
/// dataInfo, data_1 (parameters and constants) and data_2 (trajectories, one column per row of time: "binTrans"). Every
/// number is a double; text and binary columns must not be asked for. The file is complete after each flush.
[[nodiscard]] std::unique_ptr<core::Tap> make_mat(const Recording& recording);

}  // namespace master::results
