#pragma once

#include "sim/cli/commands.h"
#include "sim/engine/engine.h"
#include "sim/graph/fold.h"
#include "sim/report/report.h"
#include "sim/scenario/load.h"

namespace parsim {

/// Looks at the files a run is to write before it starts, so that nobody waits for a result that
/// has no place. Throws UsageError where one would overwrite another or the scenario, and RunError
/// where one evidently cannot be written. Creates nothing.
void check_outputs(const RunOptions& options);

/// The same for the outputs (option, file) of any command; those without a file are passed over.
void check_file_outputs(const std::string& scenario,
                        const std::vector<std::pair<std::string, std::string>>& options);

/// Throws UsageError for a rank of --trace-ranks that does not exist.
void check_trace_ranks(const RunOptions& options, const Folding& folding);

/// What a run has to show.
struct Results {
  const LoadedScenario& loaded;
  const Folding& folding;
  const TaskGraph& graph;
  const Timeline& timeline;
  const Report& report;
};

/// Writes the trace, the JSON report and the report for people, as the options say. Throws
/// RunError.
void write_outputs(const RunOptions& options, const Results& results);

}  // namespace parsim
