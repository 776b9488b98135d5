#pragma once

#include "master/results/recorder.hpp"

#include <memory>

namespace master::results {

/// Arrays with more elements get a dataset of their own.
inline constexpr std::size_t large_array = 16;

/// Writes `results.h5`, which can be read while it grows (as results.partial.h5) and after the process is killed
/// (SWMR). All datasets grow by rows; strings have a fixed length and are padded with zeros.
///
///   /signals/values        double, rows x columns; the first column is the time; every number, integers rounded
///   /signals/names, units, descriptions   one string per column of `values`
///   /signals/integers, naturals           int64, uint64, rows x columns: the same integers exactly
///   /signals/integer_names, natural_names
///   /arrays/NAME/values, names            arrays of more than 16 reals: double, rows x elements, same rows as above
///   /streams/NAME/time, ends, data        binary and text signals: value k lies in data[ends[k-1] .. ends[k]) and
///   holds
///                          from time[k] on; attribute `kind` is bytes or string, `name` the unaltered name
///
/// A slash in NAME is replaced by a vertical bar.
[[nodiscard]] std::unique_ptr<core::Tap> make_hdf5(const Recording& recording);

/// Brings the file of a recorder that died to its last whole row: with the rows that were waiting, or, without or where
/// the disk is full, to those that are there. Any reader then opens it. To be called in a process that has not opened
/// the file before.
void complete_hdf5(const std::filesystem::path& file, const UnwrittenRows* rows);

}  // namespace master::results
