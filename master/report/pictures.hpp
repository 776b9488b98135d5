#pragma once

#include "master/report/observer.hpp"
#include "master/report/report.hpp"
#include "master/report/report_file.hpp"

namespace master::report {

/// The drawings a system wishes for, from what an observer took of their arrays. What cannot be drawn, because
/// the system has no such signal or its size does not fit, is left out.
[[nodiscard]] std::vector<ReportData::Pictures> pictures_of(const ReportFile& wishes, const Observer& observer);

/// How far detected edges were from the true wall: over all moments that were looked at, and over time.
[[nodiscard]] Facts edge_error_facts_of(const ReportFile& wishes, const Observer& observer);
[[nodiscard]] std::vector<PlotGroup> edge_error_plots_of(const ReportFile& wishes, const Observer& observer);

/// The machines of the report as scenes that can be turned, of a size that does not grow with the run.
[[nodiscard]] std::vector<ReportData::Scene> scenes_of(const ReportFile& wishes, const Observer& observer);

}  // namespace master::report
